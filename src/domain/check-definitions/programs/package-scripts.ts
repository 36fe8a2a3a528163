import { keyText } from '../definition.ts';
import {
  type Call,
  isTable,
  join,
  nearestPlace,
  pathFrom,
  placeFrom,
  type Reading,
  shownWord,
  upwards,
} from '../reading.ts';
import { defineRunner } from '../runners.ts';
import { readScript } from './shell-scripts.ts';

/** Reads npm, pnpm, yarn and bun: the scripts that a command runs. */
export function readPackageManager(reading: Reading, call: Call): void {
  const parsed = parseArguments(call);
  if (parsed === null) {
    reading.unread(call.program);
    return;
  }
  const { words, directory, members } = parsed;
  const [verb = '', ...rest] = words;
  const others = rest.filter((word) => word !== 'run' && word !== 'foreach');
  defineSettings(reading, call.program, directory);
  if (verb === '' || installs.has(verb)) install(reading, directory, members);
  else if (executes.has(verb)) execute(reading, rest, directory);
  else if (call.program === 'bun' && verb === 'test') defineRunner(reading, 'bun test', rest, directory);
  else if (verb === 'workspace') runScripts(reading, others.slice(1, 2), directory, others.slice(0, 1));
  else if (verb === 'workspaces') runScripts(reading, others.slice(0, 1), directory, 'all');
  else if (call.program === 'npm') {
    const script = runs.has(verb) ? rest[0] : shorthands[verb];
    if (script !== undefined) runScripts(reading, [script], directory, members);
  } else runNamed(reading, runs.has(verb) ? rest : words, parsed);
}

/** Reads an installation, which runs lifecycle scripts of the package and its members, also of new ones, and `binding.gyp`. */
function install(reading: Reading, directory: string, members: Members): void {
  runScripts(reading, lifecycle, directory, members);
  reading.define(
    join(directory, '**/package.json'),
    lifecycle.map((name) => keyText(['scripts', name])),
  );
  reading.define(join(directory, 'binding.gyp'));
}

function execute(reading: Reading, words: readonly string[], directory: string): void {
  const [program, ...args] = words[0] === '--' ? words.slice(1) : words;
  defineInstalled(reading, directory);
  if (program !== undefined) reading.program({ program, args, directory });
}

/** Reads a script, a file or an installed program, whichever exists first. */
function runNamed(
  reading: Reading,
  [name = '', ...args]: readonly string[],
  { directory, members }: ParsedArguments,
): void {
  const script = shorthands[name] ?? name;
  const path = pathFrom(directory, name);
  if (members !== null || hasScript(reading, script, directory)) runScripts(reading, [script], directory, members);
  else if (path !== null && reading.files.has(path)) readScript(reading, path, { program: name, args, directory });
  else if (!builtIn.has(name)) execute(reading, [name, ...args], directory);
}

const runs = new Set(['run', 'run-script', 'rum', 'urn']);
const shorthands: Readonly<Record<string, string | undefined>> = {
  test: 'test',
  t: 'test',
  tst: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
};
const executes = new Set(['exec', 'x', 'dlx']);
const installs = new Set(['ci', 'install', 'i', 'add', 'clean-install', 'install-clean', 'isntall', 'it']);
const builtIn = new Set(
  'audit build cache config dedupe info init link list ls node outdated pack prune publish rebuild remove up update why'.split(
    ' ',
  ),
);
/** Scripts that an installation runs. */
const lifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
  'dependencies',
];

type Members = 'all' | readonly string[] | null;
type ParsedArguments = { readonly words: readonly string[]; readonly directory: string; readonly members: Members };

/** Separates the package manager's options from the words; null when they lead out of the repository. */
function parseArguments({ args, directory: from }: Call): ParsedArguments | null {
  const words: string[] = [];
  let directory: string | null = from;
  let members: Members = null;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [option = '', inline] = arg.startsWith('--') ? arg.split(/=(.*)/s) : [arg];
    const value = () => inline ?? args[++at] ?? '';
    if (arg === '--' || executes.has(words[0] ?? '')) {
      words.push(...args.slice(executes.has(words[0] ?? '') ? at : at + 1));
      break;
    }
    if (['--prefix', '-C', '--dir', '--cwd'].includes(option)) directory = placeFrom(directory ?? '', value());
    else if (
      ['-w', '--workspace', '--filter', '-F'].includes(option) &&
      !(option === '-w' && args[at + 1] === undefined)
    )
      members = [...(Array.isArray(members) ? members : []), value()];
    else if (['--workspaces', '-ws', '-r', '--recursive', '-A', '--all'].includes(option)) members = 'all';
    else if (['--loglevel', '--userconfig', '--cache', '--registry'].includes(option)) value();
    else if (!arg.startsWith('-')) words.push(arg);
  }
  return directory === null ? null : { words, directory, members };
}

/** Adds the directories of installed programs, which are searched first. */
export function defineInstalled(reading: Reading, directory: string): void {
  for (const place of upwards(directory)) reading.define(join(place, 'node_modules/.bin/**'));
}

/** Adds settings that can replace the shell of every script. */
function defineSettings(reading: Reading, program: string, directory: string): void {
  for (const place of upwards(directory)) {
    for (const file of settings[program] ?? []) reading.define(join(place, file));
    if (program === 'pnpm') reading.define(join(place, 'pnpm-workspace.yaml'), pnpmKeys);
    if (program === 'bun') reading.define(join(place, 'bunfig.toml'), ['run', 'preload', 'define']);
  }
}

const settings: Readonly<Record<string, readonly string[]>> = {
  npm: ['.npmrc'],
  pnpm: ['.npmrc', '.pnpmfile.cjs'],
  yarn: ['.yarnrc.yml', '.yarnrc', '.yarn/releases/**', '.yarn/plugins/**', '.pnp.cjs', '.pnp.loader.mjs'],
};
const pnpmKeys = [
  'scriptShell',
  'shellEmulator',
  'enablePrePostScripts',
  'nodeOptions',
  'configDependencies',
  'packages',
];

/** Reads scripts by name or `*`, each with its `pre` and `post` script. */
export function runScripts(
  reading: Reading,
  names: readonly string[],
  directory: string,
  members: Members = null,
): void {
  const own = nearestPlace(reading, 'package.json', directory) ?? directory;
  for (const name of names.filter((one) => one.includes('$'))) reading.unread(shownWord(name));
  if (members !== null) reading.define(join(own, 'package.json'), ['workspaces']);
  for (const place of members === null ? [own] : membersOf(reading, own, members)) {
    const manifest = join(place, 'package.json');
    const scripts = scriptsIn(reading, manifest);
    defineInstalled(reading, place);
    for (const name of names.flatMap((one) => matching(one, scripts)))
      for (const each of [`pre${name}`, name, `post${name}`]) {
        reading.define(manifest, [keyText(['scripts', each])]);
        const text = scripts[each];
        if (text !== undefined) runScript(reading, { manifest, text, directory: place });
      }
  }
}

type Script = { readonly manifest: string; readonly text: string; readonly directory: string };

function runScript(reading: Reading, { manifest, text, directory }: Script): void {
  if (text.trim() === 'wireit') {
    const table = record(reading, manifest)['wireit'];
    reading.define(manifest, ['wireit']);
    for (const one of isTable(table) ? Object.values(table) : [])
      if (isTable(one) && typeof one['command'] === 'string') reading.commands(one['command'], directory);
    return;
  }
  reading.commands(text, directory);
}

/** Returns the packages below, or the named ones. Name patterns are not evaluated and mean all packages. */
function membersOf(reading: Reading, own: string, members: 'all' | readonly string[]): readonly string[] {
  const below = reading.files.paths
    .filter(
      (path) =>
        path.endsWith('/package.json') &&
        !path.includes('node_modules/') &&
        path.startsWith(own === '' ? '' : `${own}/`),
    )
    .map((path) => path.slice(0, -'/package.json'.length));
  if (members === 'all') return [own, ...below];
  const named = below.filter((place) =>
    members.some(
      (member) => place === pathFrom(own, member) || record(reading, join(place, 'package.json'))['name'] === member,
    ),
  );
  return named.length === 0 ? below : named;
}

function matching(name: string, scripts: Readonly<Record<string, string>>): readonly string[] {
  if (!name.includes('*')) return [name];
  const glob = new RegExp(`^${name.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
  return Object.keys(scripts).filter((one) => glob.test(one));
}

/** True when there is such a script. Its name becomes a definition in any case, because a new script would run too. */
function hasScript(reading: Reading, name: string, directory: string): boolean {
  const own = nearestPlace(reading, 'package.json', directory);
  if (own === null) return false;
  const manifest = join(own, 'package.json');
  reading.define(manifest, [keyText(['scripts', name])]);
  return Object.hasOwn(scriptsIn(reading, manifest), name);
}

function scriptsIn(reading: Reading, manifest: string): Readonly<Record<string, string>> {
  const { scripts } = record(reading, manifest);
  return Object.fromEntries(
    Object.entries(isTable(scripts) ? scripts : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function record(reading: Reading, path: string): Readonly<Record<string, unknown>> {
  const data = reading.files.data(path);
  return isTable(data) ? data : {};
}
