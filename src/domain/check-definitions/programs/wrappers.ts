import { defineRunner } from '../define-runner.ts';
import { type Call, isTable, join, nearestPlace, type ProgramReader, type Reading } from '../reading.ts';
import { operands, readInterpreter } from './interpreters.ts';
import { defineInstalled, runScripts } from './package-scripts.ts';

/** Programs that start the one after them. `takes`: options followed by a word of their own. `words`: how many words come first. */
export function leads(takes: readonly string[] = [], words = 0): ProgramReader {
  return (reading, { args, directory }) => {
    const rest = operands(args, takes).slice(words);
    const from = rest.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg) && arg !== '--');
    const [program, ...more] = from < 0 ? [] : rest.slice(from);
    if (program !== undefined) reading.program({ program, args: more, directory });
  };
}

export function readNpx(reading: Reading, { args, directory }: Call): void {
  const text = args.find((_, index) => args[index - 1] === '-c' || args[index - 1] === '--call');
  const [program, ...more] = operands(args, ['-p', '--package']);
  defineInstalled(reading, directory);
  if (text !== undefined) reading.commands(text, directory);
  // `npx vitest@3` is vitest
  else if (program !== undefined)
    reading.program({ program: program.replace(/(?<=.)@[^/@]*$/, ''), args: more, directory });
}

/** Wraps a command whose outcome it passes on, and reads something itself. */
export function wraps(runner: string, takes: readonly string[]): ProgramReader {
  return (reading, call) => {
    defineRunner(reading, runner, call.args, call.directory);
    leads(takes)(reading, call);
  };
}

/** Runs scripts of all members of a repository. */
export function spreads(...files: readonly string[]): ProgramReader {
  return (reading, { args, directory }) => {
    for (const file of files) reading.define(join(directory, file));
    const names = args.filter((arg) => /^[\w:.,]+$/.test(arg) && !['run', 'run-many', 'affected'].includes(arg));
    runScripts(
      reading,
      names.flatMap((name) => name.split(',')),
      directory,
      'all',
    );
  };
}

/** Each word is a script of `package.json`, or a command of its own. */
export function readSeveral(reading: Reading, { args, directory }: Call): void {
  for (const arg of operands(args, ['-n', '--names', '-c', '--prefix-colors', '--kill-others-on-fail']))
    if (arg.startsWith('npm:')) runScripts(reading, [arg.slice(4)], directory);
    else if (/\s/.test(arg)) reading.commands(arg, directory);
    else if (!/^https?:|^\d+$/.test(arg) && !arg.startsWith('-')) runScripts(reading, [arg], directory);
}

/** With `--build` it goes through the projects below. */
export function readTsc(reading: Reading, { args, directory }: Call): void {
  defineRunner(reading, 'tsc', args, directory);
  if (args.some((arg) => arg === '-b' || arg === '--build')) defineRunner(reading, 'tsc --build', args, directory);
}

export function readCargo(reading: Reading, { args, directory }: Call): void {
  const [verb = ''] = operands(args).filter((arg) => !arg.startsWith('+'));
  nearestPlace(reading, 'Cargo.toml', directory);
  if (!defineRunner(reading, `cargo ${verb}`, args, directory)) defineRunner(reading, 'cargo', args, directory);
}

export function readDeno(reading: Reading, call: Call): void {
  const { args, directory } = call;
  defineRunner(reading, 'deno', args, directory);
  const places = ['deno.json', 'deno.jsonc'].map((file) => ({ file, place: nearestPlace(reading, file, directory) }));
  const [verb, ...rest] = operands(args);
  if (verb === 'run') readInterpreter([], [])(reading, { ...call, args: rest });
  if (verb === 'eval') reading.unread('deno eval');
  if (verb !== 'task') return;
  const tables = places.map(({ file, place }) => ({ place, table: tableIn(reading, place, file, 'tasks') }));
  runEntry(reading, tables, operands(rest)[0] ?? '', (task) =>
    isTable(task) ? [task['command'], ...list(task['dependencies']).map((one) => `deno task ${one}`)] : [task],
  );
}

export function readComposer(reading: Reading, { args, directory }: Call): void {
  const place = nearestPlace(reading, 'composer.json', directory);
  reading.define(join(place ?? directory, 'composer.json'), ['scripts', 'config']);
  const [verb = '', ...rest] = operands(args, ['-d', '--working-dir']);
  const tables = [{ place, table: tableIn(reading, place, 'composer.json', 'scripts') }];
  const isRun = ['run', 'run-script', 'exec'].includes(verb);
  runEntry(reading, tables, isRun ? (operands(rest)[0] ?? '') : verb, (script) => list(script).map(composerCommand));
}

/** `@other` is another script, `@php` and `@composer` are programs; a method of a class is code that nobody reads here. */
const composerCommand = (line: unknown): unknown =>
  typeof line !== 'string' ? line : line.replace(/^@(?!php\b|composer\b|putenv\b)/, 'composer run ').replace(/^@/, '');

type Table = Readonly<Record<string, unknown>>;

function tableIn(reading: Reading, place: string | null, file: string, key: string): Table {
  const data = place === null ? null : reading.files.data(join(place, file));
  const table = isTable(data) ? data[key] : null;
  return isTable(table) ? table : {};
}

/** Reads the commands of one entry, wherever there is one. */
function runEntry(
  reading: Reading,
  tables: readonly { readonly place: string | null; readonly table: Table }[],
  name: string,
  commandsIn: (entry: unknown) => readonly unknown[],
): void {
  for (const { place, table } of tables)
    for (const command of Object.hasOwn(table, name) ? commandsIn(table[name]) : [])
      if (typeof command === 'string') reading.commands(command, place ?? '');
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
