import {
  type Call,
  isTable,
  join,
  type ProgramReader,
  pathFrom,
  placeFrom,
  plainPrograms,
  type Reading,
  upwards,
} from '../reading.ts';
import { defineRunner } from '../runners.ts';
import { operands } from './interpreters.ts';
import { readScript } from './shell-scripts.ts';
import { leads } from './wrappers.ts';

/** Reads `uv run`, `pixi run`, `hatch run` and the like, which run a task or a program. */
export function environment(manager: string, ...files: readonly string[]): ProgramReader {
  return (reading, { program, args, directory: from }) => {
    const directory = directoryOf(args, from);
    if (directory === null) {
      reading.unread(program);
      return;
    }
    for (const file of files) reading.define(join(directory, file));
    for (const place of upwards(directory))
      reading.define(
        join(place, 'pyproject.toml'),
        ['scripts', 'envs', 'tasks', 'environments'].map((table) => `tool.${manager}.${table}`),
      );
    const [verb = '', ...rest] = operands(args, takes);
    const runner = manager === 'hatch' ? hatchRunners[verb] : undefined;
    if (runner !== undefined) defineRunner(reading, runner, rest, directory);
    if (verb === 'install' || verb === 'sync') defineBuild(reading, directory);
    if (verb === 'run' || verb === 'exec') runIn(reading, manager, operands(rest, takes), directory);
  };
}

/** Adds the code that runs when a Python project is installed. */
function defineBuild(reading: Reading, place: string): void {
  reading.define(join(place, 'setup.py'));
  reading.define(join(place, 'pyproject.toml'), ['build-system']);
}

/** Reads pip. `pip install -e .` runs the project's build; other packages are only installed. */
export function readPip(reading: Reading, { args, directory }: Call): void {
  for (const [index, arg] of args.entries())
    if (/^\.{0,2}\/|^\.{1,2}(\[|$)/.test(arg) && !pipLists.has(args[index - 1] ?? '')) {
      const place = placeFrom(directory, arg.replace(/\[.*$/, ''));
      if (place === null) reading.unread(`pip ${arg}`);
      else defineBuild(reading, place);
    }
}
const pipLists = new Set(['-r', '--requirement', '-c', '--constraint', '-t', '--target', '--prefix', '--cache-dir']);

const hatchRunners: Readonly<Record<string, string | undefined>> = { test: 'pytest', fmt: 'ruff' };

/** Options with a value. */
const takes = [
  ...['-C', '--directory', '--project', '-p', '--with', '--extra', '--group', '--python', '-e', '--env'],
  ...['--environment', '--manifest-path', '--package', '--env-file'],
];

function directoryOf(args: readonly string[], from: string): string | null {
  const at = args.findIndex((arg) => arg === '-C' || arg === '--directory');
  const inline = args.find((arg) => arg.startsWith('--directory='))?.slice('--directory='.length);
  const named = inline ?? (at < 0 ? undefined : args[at + 1]);
  return named === undefined ? from : placeFrom(from, named);
}

function runIn(reading: Reading, manager: string, words: readonly string[], directory: string): void {
  const name = words.find((word) => word !== '--' && !/^[A-Za-z_]\w*=/.test(word));
  if (name === undefined) return;
  const path = name.includes('/') ? null : pathFrom(directory, name);
  if (runTask(reading, manager, name, directory)) return;
  if (path !== null && reading.files.has(path)) readScript(reading, path, { program: name, args: [], directory });
  // a shell built-in cannot be started like this, so it is the name of a task in another file
  else if (plainPrograms.has(name)) reading.unread(`${manager} run ${name}`);
  else leads()(reading, { program: manager, args: words, directory });
}

/** The tables that hold the tasks of each manager; `*` is any name. In `pyproject.toml` they are below `tool`. */
const tables: Readonly<Record<string, { readonly file: string | null; readonly keys: readonly string[] }>> = {
  pixi: { file: 'pixi.toml', keys: ['tasks', 'feature.*.tasks', 'target.*.tasks', 'feature.*.target.*.tasks'] },
  hatch: { file: 'hatch.toml', keys: ['envs.*.scripts'] },
  pdm: { file: null, keys: ['scripts'] },
  rye: { file: null, keys: ['scripts'] },
};

/** False when there is no such task. */
function runTask(reading: Reading, manager: string, task: string, directory: string): boolean {
  const table = Object.hasOwn(tables, manager) ? tables[manager] : undefined;
  const place = upwards(directory).find((one) =>
    [table?.file ?? 'pyproject.toml', 'pyproject.toml'].some((file) => reading.files.has(join(one, file))),
  );
  if (table === undefined || place === undefined) return false;
  const own = table.file === null ? [] : tablesAt(reading.files.data(join(place, table.file)), table.keys);
  const shared = table.keys.map((key) => `tool.${manager}.${key}`);
  const pyproject = tablesAt(reading.files.data(join(place, 'pyproject.toml')), shared);
  for (const { key } of pyproject) reading.define(join(place, 'pyproject.toml'), [key]);
  const all = [...own, ...pyproject].map(({ value }) => value);
  const done = new Set<string>();
  const visit = (name: string): boolean => {
    const tasks = all.flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
    if (tasks.length === 0 || done.has(name)) return tasks.length > 0;
    done.add(name);
    for (const each of [`pre_${name}`, `post_${name}`]) visit(each);
    for (const text of tasks.flatMap((one) => commandsIn(one, manager)))
      if (!visit(text.trim().split(/\s+/)[0] ?? '')) reading.commands(text, place);
    return true;
  };
  // hatch: the environment comes first
  return visit(task) || (task.includes(':') && visit(task.slice(task.indexOf(':') + 1)));
}

type Table = Readonly<Record<string, unknown>>;

/** Returns the tables of a document at these keys. */
function tablesAt(
  document: unknown,
  keys: readonly string[],
): readonly { readonly key: string; readonly value: Table }[] {
  return keys.flatMap((key) =>
    key.split('.').reduce<readonly { readonly key: string; readonly value: Table }[]>(
      (parents, step) =>
        parents.flatMap(({ key: at, value }) =>
          (step === '*' ? Object.keys(value) : [step]).flatMap((name) => {
            const inner = Object.hasOwn(value, name) ? value[name] : undefined;
            return isTable(inner) ? [{ key: at === '' ? name : `${at}.${name}`, value: inner }] : [];
          }),
        ),
      isTable(document) ? [{ key: '', value: document }] : [],
    ),
  );
}

/** Returns the commands of a task and the names of the tasks that it needs. */
function commandsIn(task: unknown, manager: string): readonly string[] {
  if (typeof task === 'string') return [task];
  if (Array.isArray(task)) {
    const words = task.filter((one) => typeof one === 'string');
    return manager === 'hatch' ? words : [words.join(' ')];
  }
  if (!isTable(task)) return [];
  const lists = [task['composite'], task['chain'], task['depends-on'], task['depends_on']].flatMap((list) =>
    (Array.isArray(list) ? list : [list]).map((one) => (isTable(one) ? one['task'] : one)),
  );
  const call = typeof task['call'] === 'string' ? [`python -m ${task['call'].split(':')[0]}`] : [];
  const single = [task['cmd'], task['shell']].flatMap((one) => commandsIn(one, 'argv'));
  return [...lists.filter((one) => typeof one === 'string'), ...single, ...call];
}
