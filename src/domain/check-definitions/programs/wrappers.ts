import { type Call, isTable, join, nearestPlace, type ProgramReader, placeFrom, type Reading } from '../reading.ts';
import { defineNamed, defineRunner } from '../runners.ts';
import { operands, readInterpreter } from './interpreters.ts';
import { defineInstalled, runScripts } from './package-scripts.ts';

/** Reads a program that starts the one after it. `takes`: options with a value. `words`: the number of words before the program. */
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

/** Reads a program that wraps another one and has configuration itself. */
export function wraps(runner: string, takes: readonly string[]): ProgramReader {
  return (reading, call) => {
    defineRunner(reading, runner, call.args, call.directory);
    leads(takes)(reading, call);
  };
}

/** Reads a program that runs scripts of all packages of a repository. */
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

/** Reads a program whose words are scripts of `package.json` or commands. */
export function readSeveral(reading: Reading, { args, directory }: Call): void {
  for (const arg of operands(args, ['-n', '--names', '-c', '--prefix-colors', '--kill-others-on-fail']))
    if (arg.startsWith('npm:')) runScripts(reading, [arg.slice(4)], directory);
    else if (/\s/.test(arg)) reading.commands(arg, directory);
    else if (!/^https?:|^\d+$/.test(arg) && !arg.startsWith('-')) runScripts(reading, [arg], directory);
}

/** With `--build`, tsc also reads the projects below. */
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

/** `@other` is another script; `@php` and `@composer` are programs. Methods of classes are not read. */
const composerCommand = (line: unknown): unknown =>
  typeof line !== 'string' ? line : line.replace(/^@(?!php\b|composer\b|putenv\b)/, 'composer run ').replace(/^@/, '');

type Table = Readonly<Record<string, unknown>>;

function tableIn(reading: Reading, place: string | null, file: string, key: string): Table {
  const data = place === null ? null : reading.files.data(join(place, file));
  const table = isTable(data) ? data[key] : null;
  return isTable(table) ? table : {};
}

/** Reads the commands of an entry in every table that has it. */
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

/** Reads `docker` and `podman`. The files inside of images are not read. */
export function readDocker(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const [verb = '', ...rest] = operands(call.args, [
    '--context',
    '-c',
    '-H',
    '--host',
    '--config',
    '-l',
    '--log-level',
  ]);
  if (verb === 'compose') readCompose(reading, { ...call, args: rest });
  else if (verb === 'build' || verb === 'buildx') defineImage(reading, rest, directory);
  else if (starts.has(verb)) reading.unread(`${program} ${verb}`);
}

export function readCompose(reading: Reading, { args, directory }: Call): void {
  for (const file of composeFiles) reading.define(join(directory, file));
  defineNamed(reading, ['-f', '--file', '--env-file'], args, directory);
  const [verb = ''] = operands(args, ['-f', '--file', '-p', '--project-name', '--profile', '--env-file']);
  if (starts.has(verb)) reading.unread('docker compose');
}

const starts = new Set(['run', 'exec', 'create', 'start', 'up', 'build', 'watch', 'restart']);
const composeFiles = ['compose*.yml', 'compose*.yaml', 'docker-compose*.yml', 'docker-compose*.yaml', '.env'];

function defineImage(reading: Reading, args: readonly string[], directory: string): void {
  const place = placeFrom(directory, args.at(-1) ?? '.') ?? directory;
  for (const file of ['Dockerfile', 'Containerfile', '.dockerignore']) reading.define(join(place, file));
  defineNamed(reading, ['-f', '--file'], args, directory);
}
