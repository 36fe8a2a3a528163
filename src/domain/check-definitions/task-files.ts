import { type Call, isTable, join, pathFrom, type Reading, upwards } from './reading.ts';

/** `just`: its file counts as a whole; recipes that are reached are read as commands. */
export function readJust(reading: Reading, { args, directory }: Call): void {
  const { file, goals } = argumentsOf(args, ['-f', '--justfile'], ['-d', '--working-directory', '--set']);
  const names = file === null ? ['justfile', 'Justfile', '.justfile'] : [file];
  const path = defineFirst(reading, names, directory);
  const text = path === null ? null : reading.files.text(path);
  if (path === null || text === null) return;
  const place = path.split('/').slice(0, -1).join('/');
  const recipes = justRecipes(text);
  const visit = (name: string): void => {
    const recipe = recipes.get(name);
    recipes.delete(name);
    recipe?.needs.forEach(visit);
    for (const line of recipe?.lines ?? []) reading.commands(line, place);
  };
  (goals.length > 0 ? goals : [...recipes.keys()].slice(0, 1)).forEach(visit);
}

function justRecipes(
  text: string,
): Map<string, { readonly needs: readonly string[]; readonly lines: readonly string[] }> {
  const recipes = new Map<string, { needs: string[]; lines: string[] }>();
  let current: { needs: string[]; lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const head = /^@?([A-Za-z_][\w-]*)[^:]*:(?!=)\s*(.*)$/.exec(line);
    if (/^\s+\S/.test(line)) current?.lines.push(line.trim().replace(/^[@-]+/, ''));
    else if (head !== null) {
      current = { needs: [...(head[2] ?? '').matchAll(/[A-Za-z_][\w-]*/g)].map(([need]) => need), lines: [] };
      recipes.set(head[1] ?? '', current);
    } else if (line.trim() !== '' && !line.startsWith('#')) current = null;
  }
  return recipes;
}

/** `task`: the same, of YAML. */
export function readTask(reading: Reading, { args, directory }: Call): void {
  const { file, goals } = argumentsOf(args, ['-t', '--taskfile'], ['-d', '--dir', '-o', '--output', '-C']);
  const names =
    file === null
      ? ['Taskfile', 'taskfile'].flatMap((name) =>
          ['.yml', '.yaml', '.dist.yml', '.dist.yaml'].map((end) => `${name}${end}`),
        )
      : [file];
  const path = defineFirst(reading, names, directory);
  if (path !== null) readTasks(reading, path, goals.length > 0 ? goals : ['default']);
}

function readTasks(reading: Reading, path: string, goals: readonly string[]): void {
  const data = reading.files.data(path);
  const place = path.split('/').slice(0, -1).join('/');
  const tasks = isTable(data) && isTable(data['tasks']) ? data['tasks'] : {};
  const includes = isTable(data) && isTable(data['includes']) ? data['includes'] : {};
  for (const included of Object.values(includes)) {
    const named = typeof included === 'string' ? included : isTable(included) ? included['taskfile'] : null;
    const other = typeof named === 'string' ? pathFrom(place, named) : null;
    if (other === null) continue;
    for (const each of [other, `${other}/Taskfile.yml`]) reading.define(each);
    for (const each of [other, `${other}/Taskfile.yml`].filter((one) => one !== path && reading.files.has(one)))
      readTasks(
        reading,
        each,
        goals.map((goal) => goal.split(':').at(-1) ?? goal),
      );
  }
  const done = new Set<string>();
  const visit = (name: string): void => {
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
    if (task === undefined || done.has(name)) return;
    done.add(name);
    const parts = isTable(task) ? [...list(task['deps']), ...list(task['cmds']), ...list(task['cmd'])] : list(task);
    const own = isTable(task) && typeof task['dir'] === 'string' ? (pathFrom(place, task['dir']) ?? place) : place;
    for (const part of parts) {
      const called = isTable(part) ? part['task'] : null;
      const command = isTable(part) ? (part['cmd'] ?? part['defer']) : part;
      if (typeof called === 'string') visit(called);
      else if (typeof command !== 'string') continue;
      else if (Object.hasOwn(tasks, command)) visit(command);
      else reading.commands(command, own);
    }
  };
  goals.forEach(visit);
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** The nearest of these, here or above; every name that would be taken instead is listed as well. */
function defineFirst(reading: Reading, names: readonly string[], directory: string): string | null {
  for (const place of upwards(directory)) {
    for (const name of names) reading.define(join(place, name));
    const found = names.map((name) => join(place, name)).find((path) => reading.files.has(path));
    if (found !== undefined) return found;
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
