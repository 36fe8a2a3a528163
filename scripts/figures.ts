import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

/**
 * `npm run figures [-- <directory>]`: what can be counted of our source: lines of code, files per folder, lengths of functions, cycles
 * among modules as they run, exported names that occur twice, `any` and casts. Tests are not counted.
 */
type Source = { readonly path: string; readonly lines: number; readonly code: number } & Declared;
type Declared = {
  readonly functions: readonly Counted[];
  readonly exported: readonly string[];
  readonly imports: readonly string[];
  readonly anys: number;
  readonly casts: number;
};
/** `isTable`: it is one `switch`, and thereby as long as the union that it goes through. */
type Counted = { readonly name: string; readonly lines: number; readonly isTable: boolean };
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

export function figuresOf(root: string) {
  const paths = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((path) => !/\.test\.tsx?$|\.d\.ts$/.test(path));
  const sources = paths.sort().map((path) => readSource(root, path));
  const functions = sources.flatMap(({ path, functions: found }) => found.map((one) => ({ ...one, path })));
  const measured = functions.filter(({ isTable }) => !isTable).toSorted((a, b) => b.lines - a.lines);
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
      longest: measured.slice(0, 5).map(({ path, name, lines }) => `${lines} ${name} (${path})`),
    },
    cycles: cyclesIn(new Map(sources.map(({ path, imports }) => [path, imports]))),
    duplicates: [...names]
      .filter(([, places]) => new Set(places.map(({ path }) => path)).size > 1)
      .map(([name, places]) => ({ name, places: places.map(({ path }) => path) })),
    anys: sum(sources, ({ anys }) => anys),
    casts: sum(sources, ({ casts }) => casts),
  };
}

function readSource(root: string, path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const body = program.body as unknown as readonly Node[];
  const left = [...comments, ...body.filter(({ type }) => type === 'ImportDeclaration')];
  return {
    path,
    lines: text.split('\n').length - 1,
    code: codeLines(text, left),
    ...declaredIn(body, path, text),
  };
}

/** Lines that hold something when these parts are taken away. */
function codeLines(text: string, left: readonly { readonly start: number; readonly end: number }[]): number {
  let kept = '';
  let at = 0;
  for (const { start, end } of left.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    kept += text.slice(at, start) + text.slice(start, end).replaceAll(/[^\n]/g, '');
    at = end;
  }
  return `${kept}${text.slice(at)}`.split('\n').filter((line) => line.trim() !== '').length;
}

function declaredIn(body: readonly Node[], path: string, text: string): Declared {
  const functions: Counted[] = [];
  let anys = 0;
  let casts = 0;
  for (const { node, name } of nodesIn(body, '')) {
    if (node.type === 'TSAnyKeyword') anys += 1;
    if (node.type === 'TSAsExpression' && !text.slice(node.start, node.end).endsWith('as const')) casts += 1;
    if (!functionTypes.has(node.type)) continue;
    const lines = text.slice(node.start, node.end).split('\n').length;
    functions.push({ name: nameOf(node) || name || '(anonymous)', lines, isTable: isTable(node) });
  }
  return {
    functions,
    anys,
    casts,
    exported: body.flatMap(exportedBy),
    imports: body.flatMap((node) => importedBy(node, path)),
  };
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Every node, with the name of what it is the value of. */
function* nodesIn(value: unknown, name: string): Generator<{ readonly node: Node; readonly name: string }> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one, name);
  if (!isNode(value)) return;
  yield { node: value, name };
  const own =
    nameOf(value) || (value.type === 'Property' && isNode(value['key']) ? String(value['key']['name'] ?? '') : '');
  for (const key of Object.keys(value)) yield* nodesIn(value[key], own || name);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nameOf = ({ id }: Node): string => (isNode(id) && typeof id['name'] === 'string' ? id['name'] : '');

/** A function that does nothing but go through cases; what comes before the `switch` may prepare it. */
function isTable({ body }: Node): boolean {
  const statements = isNode(body) && Array.isArray(body['body']) ? (body['body'] as readonly Node[]) : [];
  return statements.length <= 3 && statements.at(-1)?.type === 'SwitchStatement';
}

/** Names that a module declares and exports itself. */
function exportedBy(node: Node): readonly string[] {
  if (node.type !== 'ExportNamedDeclaration' || !isNode(node['declaration'])) return [];
  const declaration = node['declaration'];
  const many = declaration['declarations'];
  return (Array.isArray(many) ? (many as readonly Node[]) : [declaration]).map(nameOf).filter((name) => name !== '');
}

/** Modules of ours that are loaded when this one is; those that only types are taken from are not. */
function importedBy(node: Node, path: string): readonly string[] {
  const { source, specifiers = [] } = node as Node & { readonly specifiers?: readonly Node[] };
  if (!/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type) || !isNode(source)) return [];
  const isOfType = (one: Node): boolean => one['importKind'] === 'type' || one['exportKind'] === 'type';
  const onlyTypes = isOfType(node) || (specifiers.length > 0 && specifiers.every(isOfType));
  const from = String(source['value']);
  return onlyTypes || !from.startsWith('.') ? [] : [join(dirname(path), from)];
}

/** Sets of modules that all wait for one another (Tarjan). */
export function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = [];
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
    if (cycle.length > 1) found.push(cycle.sort());
  };
  for (const module of graph.keys()) if (!order.has(module)) visit(module);
  return found;
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

if (import.meta.main) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const { folders, functions, cycles, duplicates, ...rest } = figuresOf(root);
  console.log(
    [
      `files ${rest.files}, lines ${rest.lines}, of code ${rest.code} (without blank lines, comments and imports)`,
      `functions ${functions.count}: p95 ${functions.p95} lines, longest ${functions.longest.join(', ')}`,
      `folders with most files: ${folders
        .slice(0, 12)
        .map(({ folder, files }) => `${files} ${folder}`)
        .join(', ')}`,
      `cycles ${cycles.length}: ${cycles.map((cycle) => `${cycle.length} (${cycle.slice(0, 4).join(', ')} …)`).join('; ')}`,
      `exported names in more than one file ${duplicates.length}: ${duplicates.map(({ name }) => name).join(', ')}`,
      `any ${rest.anys}, casts ${rest.casts} (${((rest.casts / rest.lines) * 1000).toFixed(1)} per 1,000 lines)`,
    ].join('\n'),
  );
}
