import { defineConfig } from './config-files.ts';
import { filesStarted, join, placeFrom, type Reading, upwards } from './reading.ts';
import { type Runner, runners } from './runners.ts';

export const isRunner = (name: string): boolean => Object.hasOwn(runners, name);

/** Puts the configuration of a runner into the list. False when there is no such row. */
export function defineRunner(reading: Reading, name: string, args: readonly string[], directory: string): boolean {
  const runner = isRunner(name) ? runners[name] : undefined;
  if (runner === undefined) return false;
  const roots = optionValues(args, runner.roots ?? []).flatMap((root) => placeFrom(directory, root) ?? []);
  for (const root of [directory, ...roots]) {
    const { nested = false } = runner;
    for (const place of nested ? upwards(root).slice(1) : upwards(root)) definePlace(reading, runner, place);
    if (nested) definePlace(reading, runner, join(root, '**'));
    else for (const file of runner.anywhere ?? []) defineConfig(reading, join(root, `**/${file}`));
    for (const [file, keys] of runner.members === true ? Object.entries(runner.keys ?? {}) : [])
      reading.define(join(root, `**/${file}`), keys);
  }
  defineOptions(reading, runner.options ?? [], args, directory);
  for (const other of runner.with ?? []) defineRunner(reading, other, args, directory);
  return true;
}

/** `place` may be a pattern. */
function definePlace(reading: Reading, runner: Runner, place: string): void {
  const { files = [], anywhere = [], manifest, pyproject, sections = {}, keys = {} } = runner;
  for (const file of [...files, ...anywhere]) defineConfig(reading, join(place, file));
  const document = join(place, 'package.json');
  if (manifest !== undefined && (place.endsWith('**') || reading.files.has(document)))
    reading.define(document, manifest);
  if (pyproject !== undefined)
    defineConfig(
      reading,
      join(place, 'pyproject.toml'),
      pyproject.map((table) => `tool.${table}`),
    );
  // the options of this section hold in all others
  for (const [file, names] of Object.entries(sections)) reading.define(join(place, file), ['DEFAULT', ...names]);
  for (const [file, names] of Object.entries(keys)) reading.define(join(place, file), names);
}

function defineOptions(reading: Reading, options: readonly string[], args: readonly string[], directory: string): void {
  defineNamed(
    reading,
    options.filter((option) => loads.has(option)),
    args,
    directory,
  );
  const configs = options.filter((option) => !loads.has(option));
  for (const path of named(reading, configs, args, directory)) defineConfig(reading, path);
}

/** Options that load code. What that imports is often the sources themselves. */
const loads = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '--preload']);

/** Files of the repository that options name. */
export function defineNamed(
  reading: Reading,
  options: readonly string[],
  args: readonly string[],
  directory: string,
): void {
  for (const path of named(reading, options, args, directory)) reading.define(path);
}

const named = (
  reading: Reading,
  options: readonly string[],
  args: readonly string[],
  directory: string,
): readonly string[] =>
  optionValues(args, options)
    .flatMap((value) => filesStarted(reading, directory, value))
    .map((path) => (reading.files.has(`${path}/tsconfig.json`) ? `${path}/tsconfig.json` : path));

/** `--option value` and `--option=value`. */
function optionValues(args: readonly string[], options: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const [option, value] = at < 0 ? [arg, args[index + 1]] : [arg.slice(0, at), arg.slice(at + 1)];
    return !options.includes(option) || value === undefined || value.startsWith('-') ? [] : [value];
  });
}
