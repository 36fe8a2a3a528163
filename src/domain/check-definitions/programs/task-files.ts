import { type Call, isTable, join, parentOf, pathFrom, type Reading, upwards } from '../reading.ts';

/** Reads just. Its file counts as a whole; the recipes of a goal are read as commands. */
export function readJust(reading: Reading, { args, directory }: Call): void {
  const { file, goals } = argumentsOf(args, ['-f', '--justfile'], ['-d', '--working-directory', '--set']);
  const names = file === null ? ['justfile', 'Justfile', '.justfile'] : [file];
  const path = defineFirst(reading, names, directory);
  const text = path === null ? null : reading.files.text(path);
  if (path === null || text === null) return;
  const place = parentOf(path);
  const recipes = justRecipes(reading, text, place);
  const done = new Set<string>();
  const visit = (name: string): void => {
    const recipe = recipes.get(name);
    if (recipe === undefined) reading.unread(`just ${name}`);
    if (recipe === undefined || done.has(name)) return;
    done.add(name);
    recipe.needs.forEach(visit);
    for (const line of recipe.lines) reading.commands(line, place);
  };
  const [first] = recipes.keys();
  const words = goals.length > 0 || first === undefined ? goals : [first];
  // each recipe is followed by the values of its parameters
  for (let at = 0; at < words.length; at += 1 + (recipes.get(words[at] ?? '')?.parameters ?? 0)) visit(words[at] ?? '');
}

type Recipe = { readonly parameters: number; readonly needs: string[]; readonly lines: string[] };

/** Parses recipes, with those of imported files. */
function justRecipes(reading: Reading, text: string, place: string, left = 8): Map<string, Recipe> {
  const recipes = new Map<string, Recipe>();
  let current: Recipe | null = null;
  for (const line of text.split(/\r?\n/)) {
    const head = /^@?([A-Za-z_][\w-]*)([^:]*):(?!=)\s*(.*)$/.exec(line);
    const alias = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line);
    const imported = /^import\??\s+["']([^"']+)["']/.exec(line)?.[1];
    const path = imported === undefined ? null : pathFrom(place, imported);
    if (/^\s+\S/.test(line)) current?.lines.push(line.trim().replace(/^[@-]+/, ''));
    else if (path !== null) {
      reading.define(path);
      const more = left > 0 ? reading.files.text(path) : null;
      for (const [name, recipe] of more === null ? [] : justRecipes(reading, more, place, left - 1))
        recipes.set(name, recipe);
    } else if (alias !== null) recipes.set(alias[1] ?? '', { parameters: 0, needs: [alias[2] ?? ''], lines: [] });
    else if (head !== null) {
      const [, name = '', parameters = '', needs = ''] = head;
      current = { parameters: countOf(parameters), needs: needsOf(needs), lines: [] };
      recipes.set(name, current);
    } else if (line.trim() !== '' && !line.startsWith('#')) current = null;
  }
  return recipes;
}

/** Counts parameters. One with `*` or `+` takes all remaining words. */
const countOf = (parameters: string): number =>
  /[*+]/.test(parameters) ? Number.POSITIVE_INFINITY : parameters.split(/\s+/).filter((word) => word !== '').length;

/** Returns the recipe names in `a (b "value") && c`. */
const needsOf = (text: string): string[] =>
  text
    .replace(/#.*$/, '')
    .replaceAll(/\(\s*([\w-]+)[^)]*\)/g, '$1')
    .split(/[\s&]+/)
    .filter((word) => word !== '');

/** Reads task, whose file is YAML. */
export function readTask(reading: Reading, { args, directory }: Call): void {
  const { file, goals } = argumentsOf(args, ['-t', '--taskfile'], ['-d', '--dir', '-o', '--output', '-C']);
  const names =
    file === null
      ? ['Taskfile', 'taskfile'].flatMap((name) =>
          ['.yml', '.yaml', '.dist.yml', '.dist.yaml'].map((end) => `${name}${end}`),
        )
      : [file];
  const path = defineFirst(reading, names, directory);
  if (path === null) return;
  for (const goal of goals.length > 0 ? goals : ['default'])
    if (!runTask(reading, path, goal)) reading.unread(`task ${goal}`);
}

/** False when neither this file nor an included one has the task. `open`: the including files. */
function runTask(reading: Reading, path: string, goal: string, open: ReadonlySet<string> = new Set()): boolean {
  const data = reading.files.data(path);
  const place = parentOf(path);
  const tasks = isTable(data) && isTable(data['tasks']) ? data['tasks'] : {};
  const included = includedIn(reading, data, place).filter((one) => one !== path && !open.has(one));
  const done = new Set<string>();
  const visit = (name: string): boolean => {
    const key = nameOf(tasks, name);
    if (key === null) {
      const inner = name.split(':').at(-1) ?? name;
      return included.filter((one) => runTask(reading, one, inner, new Set([...open, path]))).length > 0;
    }
    if (done.has(key)) return true;
    done.add(key);
    const task = tasks[key];
    const own = isTable(task) && typeof task['dir'] === 'string' ? (pathFrom(place, task['dir']) ?? place) : place;
    for (const part of partsOf(task)) {
      const called = isTable(part) ? part['task'] : null;
      const command = isTable(part) ? (part['cmd'] ?? part['defer']) : part;
      if (typeof called === 'string') {
        if (!visit(called)) reading.unread(`task ${called}`);
      } else if (typeof command === 'string' && Object.hasOwn(tasks, command)) visit(command);
      else if (typeof command === 'string') reading.commands(command, own);
    }
    return true;
  };
  return visit(goal);
}

const partsOf = (task: unknown): readonly unknown[] =>
  isTable(task) ? [...list(task['deps']), ...list(task['cmds']), ...list(task['cmd'])] : list(task);

/** Returns the included files. Each counts as a whole, also a missing one. */
function includedIn(reading: Reading, data: unknown, place: string): readonly string[] {
  const includes = isTable(data) && isTable(data['includes']) ? data['includes'] : {};
  const paths = Object.values(includes).flatMap((included) => {
    const named = typeof included === 'string' ? included : isTable(included) ? included['taskfile'] : null;
    const path = typeof named === 'string' ? pathFrom(place, named) : null;
    return path === null ? [] : [path, `${path}/Taskfile.yml`];
  });
  for (const path of paths) reading.define(path);
  return paths.filter((path) => reading.files.has(path));
}

/** Returns the task with this name, or the one whose `*` matches it. */
function nameOf(tasks: Readonly<Record<string, unknown>>, goal: string): string | null {
  if (Object.hasOwn(tasks, goal)) return goal;
  const fits = (name: string) =>
    name.includes('*') &&
    new RegExp(`^${name.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*')}$`).test(goal);
  return Object.keys(tasks).find(fits) ?? null;
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** Returns the nearest of these files, here or above. Every name that could replace it is a definition as well. */
function defineFirst(reading: Reading, names: readonly string[], directory: string): string | null {
  for (const place of upwards(directory)) {
    for (const name of names) reading.define(join(place, name));
    const path = names.map((name) => join(place, name)).find((one) => reading.files.has(one));
    if (path !== undefined) return path;
  }
  return null;
}

function argumentsOf(args: readonly string[], files: readonly string[], takes: readonly string[]) {
  let file: string | null = null;
  const goals: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (files.includes(arg)) file = args[++at] ?? null;
    else if (takes.includes(arg)) at++;
    else if (arg === '--') break;
    else if (!arg.startsWith('-') && !arg.includes('=')) goals.push(arg);
  }
  return { file, goals };
}
