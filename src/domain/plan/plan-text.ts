import { idPattern } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { WrittenClosure } from '../settings/closure-settings.ts';
import type { TaskKeys } from './plan-draft.ts';

/** A plan that nobody wrote as a file: texts from the command line, or markdown files that are a task each. */
export type PlanSketch = {
  readonly name: string;
  /** Null when the settings decide. */
  readonly agent: string | null;
  /** Absent when the settings decide. */
  readonly model?: string;
  readonly waves: readonly (readonly SketchedTask[])[];
  /** The closure roles of each wave; absent when no wave has any. */
  readonly closures?: readonly WrittenClosure[];
  /** One name for each wave; absent when waves get their usual names. */
  readonly waveNames?: readonly string[];
  /** A comment at the top of the file. */
  readonly note?: string;
};
export type SketchedTask = { readonly id: string; readonly do: string; readonly keys?: TaskKeys };

/** A task as it was typed. */
export type TypedTask = { readonly text: string; readonly owns: readonly string[] };

/** Makes a sketch of texts, each a task. Ids come from the texts alone: the same texts always give the same plan. */
export function sketchOf(
  waves: readonly (readonly (string | TypedTask)[])[],
  agent: string | null,
  model: string | null = null,
): PlanSketch {
  const taken = new Set<string>();
  const sketched = waves.map((tasks) => tasks.map((task) => sketchedTask(task, taken)));
  // never the beginning of a task's own name: `undo fix-login` is about the task
  const name = `go-${shortened(sketched[0]?.[0]?.id ?? 'task', 14)}`;
  return { name, agent, ...(model === null ? {} : { model }), waves: sketched };
}

function sketchedTask(typed: string | TypedTask, taken: Set<string>): SketchedTask {
  const { text, owns } = typeof typed === 'string' ? { text: typed, owns: [] } : typed;
  const task = { id: freeId(slugOf(text, 28), taken), do: text.trim() };
  return owns.length === 0 ? task : { ...task, keys: { owns } };
}

/** Makes a sketch of one wave of directives, in the order of the arguments. Paths are from the root of the repository. */
export function sketchOfFiles(files: readonly string[]): Result<PlanSketch, string> {
  const named = files.map((file) => ({ id: slugOf(nameIn(file), 64, true), do: file }));
  for (const [at, task] of named.entries()) {
    const before = named.slice(0, at).find(({ id }) => id === task.id);
    if (before !== undefined) return err(`${before.do} and ${task.do} would both be task ${task.id}; rename one`);
    if (/\s/.test(task.do)) return err(`${task.do}: the path of a directive has no spaces; rename it`);
  }
  const [first] = named;
  const folder = first?.do.split('/').at(-2);
  const name = named.length === 1 || folder === undefined ? first?.id : slugOf(folder, 24, true);
  return ok({ name: shortened(name ?? 'tasks', 48), agent: null, waves: [named] });
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');

/** Writes a sketch as a plan file. */
export function planText(
  { name, agent, model, waves, waveNames, closures = [], note }: PlanSketch,
  usualNote: string,
): string {
  const tasks = (wave: readonly SketchedTask[], indent: string): readonly string[] =>
    wave.flatMap((task) => taskLines(task, indent));
  const [only, ...more] = waveNames === undefined ? waves : [];
  const waveLines = (wave: readonly SketchedTask[], at: number): readonly string[] => {
    const title = waveNames?.[at];
    const head = title === undefined ? ['  - tasks:'] : [`  - name: ${scalar(title, 4)}`, '    tasks:'];
    return [...head, ...tasks(wave, '      '), ...closureLines(closures[at] ?? {})];
  };
  return [
    `# ${(note ?? usualNote).replaceAll('\n', ' ')}`,
    `name: ${name}`,
    ...(agent === null ? [] : [`agent: ${scalar(agent, 0)}`]),
    ...(model === undefined ? [] : [`model: ${scalar(model, 0)}`]),
    ...(only !== undefined && more.length === 0
      ? ['tasks:', ...tasks(only, '  ')]
      : ['waves:', ...waves.flatMap(waveLines)]),
    '',
  ].join('\n');
}

/** Written after the tasks, because the roles come after them. */
function closureLines(closure: WrittenClosure): readonly string[] {
  const roles = Object.entries(closure).flatMap(([role, written]) =>
    typeof written === 'object'
      ? [
          `      ${role}:`,
          ...Object.entries(written).map(
            ([key, value]) => `        ${key}: ${typeof value === 'string' ? scalar(value, 8) : flow(value)}`,
          ),
        ]
      : [`      ${role}: ${flow(written)}`],
  );
  return roles.length === 0 ? [] : ['    closure:', ...roles];
}

/** A task that is only a text is written as one. */
function taskLines({ id, do: text, keys }: SketchedTask, indent: string): readonly string[] {
  if (keys === undefined) return [`${indent}${id}: ${scalar(text, indent.length)}`];
  const inner = `${indent}  `;
  const entries = Object.entries(keys).filter(([, value]) => value !== undefined);
  return [
    `${indent}${id}:`,
    `${inner}do: ${scalar(text, inner.length)}`,
    ...entries.map(([key, value]) => `${inner}${key}: ${flow(value)}`),
  ];
}

/** Writes a value on one line. YAML takes JSON as it is, and a plain word needs no quotes. */
function flow(value: unknown): string {
  if (typeof value === 'string') return scalar(value, 0);
  if (Array.isArray(value))
    return `[${value.map((item) => (isPlainWord(item) ? item : JSON.stringify(item))).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${isPlainWord(item) ? item : JSON.stringify(item)}`)
    .join(', ')} }`;
}

const isPlainWord = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^[A-Za-z][\w./-]*$/.test(value) &&
  !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);

/**
 * Returns as many whole words of a text as fit, in letters that an id may have. Unless it is `whole`, words that say little are
 * left out.
 */
export function slugOf(text: string, longest: number, whole = false): string {
  const all = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const telling = whole ? all : all.filter((word) => !idle.has(word));
  const slug = shortened((telling.length === 0 ? all : telling).join('-'), longest);
  // numbers alone would not keep their order as keys
  return /[a-z]/.test(slug) ? slug : ['task', ...(slug === '' ? [] : [slug])].join('-');
}

const idle: ReadonlySet<string> = new Set(
  'a an and are as at be by for from in into is it of on or so that the this to with'.split(' '),
);

/** Cuts between words if there is more than one. */
function shortened(slug: string, longest: number): string {
  if (slug.length <= longest) return slug;
  const end = slug.lastIndexOf('-', longest);
  return slug.slice(0, end > 0 ? end : longest);
}

/** Returns an id that is not taken yet, and takes it. */
export function freeId(slug: string, taken: Set<string>): string {
  let id = slug;
  for (let number = 2; taken.has(id); number += 1) id = `${slug}-${number}`;
  taken.add(id);
  if (!idPattern.test(id)) throw new Error(`${id} is not a task id`);
  return id;
}

/** Writes a text as YAML: plain where it reads the same, a block for several lines, else in the quotes of JSON, which YAML takes too. */
function scalar(text: string, indent: number): string {
  if (/^[A-Za-z][\w ./,'()+-]*$/.test(text) && !/ $|^(true|false|null|yes|no|on|off)$/i.test(text)) return text;
  const isBlock =
    text.includes('\n') &&
    /^[\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\ufffd\u{1f000}-\u{1faff}]*$/u.test(text) &&
    !/^\s|\s$|[ \t]\n/.test(text);
  if (!isBlock) return JSON.stringify(text);
  const inner = ' '.repeat(indent + 2);
  return `|-\n${text
    .split('\n')
    .map((line) => (line === '' ? '' : inner + line))
    .join('\n')}`;
}
