import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

/**
 * `npm run figures [-- <checkout>]` counts lines of code, files per folder, lengths of functions, runtime import cycles, exported names
 * that occur twice, `any` and casts. Tests are not counted.
 */
type SourceFile = { readonly path: string; readonly lines: number; readonly code: number } & Declarations;
type Declarations = {
  readonly functions: readonly FunctionLength[];
  readonly exported: readonly string[];
  readonly imports: readonly string[];
  readonly anys: number;
  readonly casts: number;
};
/** `isSwitch`: the function is one `switch`, so it is as long as its union. Limits on length do not apply to it. */
type FunctionLength = { readonly name: string; readonly lines: number; readonly isSwitch: boolean };
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

export function figuresOf(root: string) {
  const paths = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((path) => !/\.test\.tsx?$|\.d\.ts$/.test(path));
  const sources = paths.sort().map((path) => readSource(root, path));
  const functions = sources.flatMap((source) => source.functions.map((each) => ({ ...each, path: source.path })));
  const measured = functions.filter(({ isSwitch }) => !isSwitch).toSorted((a, b) => b.lines - a.lines);
  const folders = Map.groupBy(sources, ({ path }) => dirname(path));
  const names = Map.groupBy(
    sources.flatMap(({ path, exported }) => exported.map((name) => ({ path, name }))),
    ({ name }) => name,
  );
  return {
    files: sources.length,
    lines: sum(sources, ({ lines }) => lines),
    code: sum(sources, ({ code }) => code),
    folders: [...folders].map(([folder, files]) => ({ folder, files: files.length })).sort((a, b) => b.files - a.files),
    functions: {
      count: functions.length,
      p95: measured[Math.floor(measured.length * 0.05)]?.lines ?? 0,
      max: measured[0]?.lines ?? 0,
      longest: measured.slice(0, 5),
    },
    cycles: cyclesIn(new Map(sources.map(({ path, imports }) => [path, imports]))),
    duplicates: [...names]
      .filter(([, places]) => new Set(places.map(({ path }) => path)).size > 1)
      .map(([name, places]) => ({ name, places: places.map(({ path }) => path) })),
    anys: sum(sources, ({ anys }) => anys),
    casts: sum(sources, ({ casts }) => casts),
  };
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const body = program.body as unknown as readonly Node[];
  const imports = body.filter(({ type }) => type === 'ImportDeclaration');
  return {
    path,
    lines: text.split('\n').length - 1,
    code: linesWithout([...comments, ...imports], text),
    ...declarationsIn(body, path, text),
  };
}

/** Counts the lines that are not blank once these parts are removed. */
function linesWithout(parts: readonly { readonly start: number; readonly end: number }[], text: string): number {
  let rest = '';
  let at = 0;
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    rest += text.slice(at, start) + text.slice(start, end).replaceAll(/[^\n]/g, '');
    at = end;
  }
  return `${rest}${text.slice(at)}`.split('\n').filter((line) => line.trim() !== '').length;
}

function declarationsIn(body: readonly Node[], path: string, text: string): Declarations {
  const functions: FunctionLength[] = [];
  let anys = 0;
  let casts = 0;
  for (const { node, name } of nodesIn(body, '')) {
    if (node.type === 'TSAnyKeyword') anys += 1;
    if (node.type === 'TSAsExpression' && !text.slice(node.start, node.end).endsWith('as const')) casts += 1;
    if (!functionTypes.has(node.type)) continue;
    const lines = text.slice(node.start, node.end).split('\n').length;
    functions.push({ name: nameOf(node) || name || '(anonymous)', lines, isSwitch: isSwitch(node) });
  }
  return {
    functions,
    anys,
    casts,
    exported: body.flatMap(exportedNames),
    imports: body.flatMap((node) => runtimeImports(node, path)),
  };
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Every node, with the name of the declaration or property around it. */
function* nodesIn(value: unknown, name: string): Generator<{ readonly node: Node; readonly name: string }> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item, name);
  if (!isNode(value)) return;
  yield { node: value, name };
  const own =
    nameOf(value) || (value.type === 'Property' && isNode(value['key']) ? String(value['key']['name'] ?? '') : '');
  for (const key of Object.keys(value)) yield* nodesIn(value[key], own || name);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nameOf = ({ id }: Node): string => (isNode(id) && typeof id['name'] === 'string' ? id['name'] : '');

/** True for a body that ends with a `switch` and has at most two statements before it. */
function isSwitch({ body }: Node): boolean {
  const statements = isNode(body) && Array.isArray(body['body']) ? (body['body'] as readonly Node[]) : [];
  return statements.length <= 3 && statements.at(-1)?.type === 'SwitchStatement';
}

/** Names that a module declares and exports itself. Re-exports are left out. */
function exportedNames(node: Node): readonly string[] {
  if (node.type !== 'ExportNamedDeclaration' || !isNode(node['declaration'])) return [];
  const declaration = node['declaration'];
  const many = declaration['declarations'];
  return (Array.isArray(many) ? (many as readonly Node[]) : [declaration]).map(nameOf).filter((name) => name !== '');
}

/** Modules of ours that are loaded with this one. Imports of types are left out. */
function runtimeImports(node: Node, path: string): readonly string[] {
  const { source, specifiers = [] } = node as Node & { readonly specifiers?: readonly Node[] };
  if (!/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type) || !isNode(source)) return [];
  const isType = (each: Node): boolean => each['importKind'] === 'type' || each['exportKind'] === 'type';
  const onlyTypes = isType(node) || (specifiers.length > 0 && specifiers.every(isType));
  const from = String(source['value']);
  return onlyTypes || !from.startsWith('.') ? [] : [join(dirname(path), from)];
}

/** Sets of modules that import one another in a circle (Tarjan's algorithm). */
export function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (module: string): void => {
    order.set(module, order.size);
    lowest.set(module, order.size - 1);
    open.push(module);
    for (const next of graph.get(module) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(module, Math.min(lowest.get(module) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(module) !== order.get(module)) return;
    const cycle = open.splice(open.indexOf(module));
    if (cycle.length > 1) cycles.push(cycle.sort());
  };
  for (const module of graph.keys()) if (!order.has(module)) visit(module);
  return cycles;
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

if (import.meta.main) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const { files, lines, code, folders, functions, cycles, duplicates, anys, casts } = figuresOf(root);
  const list = (items: readonly string[], most = 12): string =>
    items.length === 0 ? '' : `: ${items.slice(0, most).join(', ')}${items.length > most ? ', …' : ''}`;
  const longest = functions.longest.map(({ name, path, ...its }) => `${its.lines} ${name} (${path})`);
  const largest = folders.map(({ folder, files: count }) => `${count} ${folder}`);
  const table = {
    files,
    lines,
    'lines of code': `${code} (without blank lines, comments and imports)`,
    functions: `${functions.count}, p95 ${functions.p95} lines, max ${functions.max} (a function that is one switch is exempt)`,
    'longest functions': longest.join(', '),
    folders: `${folders.length}${list(largest)}`,
    'runtime import cycles': `${cycles.length}${list(cycles.map((cycle) => `${cycle.length} files (${cycle[0]} …)`))}`,
    'exported names in more than one file': `${duplicates.length}${list(duplicates.map(({ name }) => name))}`,
    any: anys,
    casts: `${casts} (${((casts / lines) * 1000).toFixed(1)} per 1,000 lines)`,
  };
  for (const [name, value] of Object.entries(table)) console.log(`${name}: ${value}`);
}
