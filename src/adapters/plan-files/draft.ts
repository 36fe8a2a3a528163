import { dirname } from 'node:path';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { DraftTask, DraftWave, Place, PlanDraft, PlanProblem, TaskKeys } from '../../domain/plan/plan-draft.ts';
import type { ResolvedSettings } from '../../domain/settings/settings.ts';
import { fitSchema } from './fit-schema.ts';
import { type FrontMatter, frontMatterSchema, type PlanDocument, type TaskDocument } from './schema.ts';
import { insideRepository, isWithin, pathFromRoot, readSource, readYaml, type YamlDocument } from './source-file.ts';

type WrittenTask = { readonly id: string; readonly place: Place; readonly task: TaskDocument };
type WrittenWave = Pick<DraftWave, 'name' | 'place' | 'closure'> & { readonly tasks: readonly WrittenTask[] };

/** `tasks:` alone is one wave; maps and lists of tasks mean the same. */
export function wavesOf(document: PlanDocument): readonly WrittenWave[] {
  if (document.waves)
    return document.waves.map((wave, index) => ({
      name: wave.name ?? null,
      place: ['waves', index],
      tasks: tasksOf(wave.tasks, ['waves', index, 'tasks']),
      closure: wave.closure ?? null,
    }));
  const tasks = document.tasks ? tasksOf(document.tasks, ['tasks']) : [];
  return tasks.length === 0 ? [] : [{ name: null, place: ['tasks'], tasks, closure: null }];
}

function tasksOf(tasks: NonNullable<PlanDocument['tasks']>, place: Place): readonly WrittenTask[] {
  if (Array.isArray(tasks)) return tasks.map(({ id, ...task }, index) => ({ id, place: [...place, index], task }));
  return Object.entries(tasks).map(([id, value]) => ({
    id,
    place: [...place, id],
    task: typeof value === 'string' ? { do: value } : value,
  }));
}

/** Mistakes in the form of the whole document. */
export function formProblems(document: PlanDocument): readonly PlanProblem[] {
  if (document.tasks && document.waves) return [{ rule: 'tasks-and-waves', place: ['tasks'], at: 'key' }];
  if (wavesOf(document).length > 0) return [];
  return [{ rule: 'empty-plan', fault: 'no-task', place: document.tasks ? ['tasks'] : ['waves'] }];
}

/** Reads every directive. Findings are about files; lint judges the tasks themselves. */
export async function makeDraft(
  waves: readonly WrittenWave[],
  settings: ResolvedSettings,
  from: { readonly root: string; readonly planPath: string; readonly yaml: YamlDocument },
): Promise<{
  readonly draft: PlanDraft;
  readonly findings: readonly Finding[];
  /** Gives a problem its place: in the front matter that has the value, else in the plan. */
  readonly locate: (problem: PlanProblem) => Finding;
  /** `file:line:column` of a value of a task, in the same way. */
  readonly whereOf: (place: Place) => string;
}> {
  const findings: Finding[] = [];
  const fronts: { readonly place: Place; readonly plan: object; readonly front: YamlDocument }[] = [];
  const read = async ({ id, place, task }: WrittenTask, wave: number): Promise<DraftTask> => {
    const { do: brief, ...keys } = task;
    const where = from.yaml.where([...place, 'do']);
    if (namesFile(brief)) {
      const {
        findings: unread,
        front,
        ...directive
      } = await readDirective({ id, brief, keys, where }, from.root, from.planPath);
      findings.push(...unread);
      if (front !== null) fronts.push({ place, plan: keys, front });
      return { id, wave, place, ...directive };
    }
    const empty = brief.trim() === '';
    if (empty) findings.push({ rule: 'empty-directive', task: id, file: null, where });
    return { id, wave, place, file: null, text: empty ? null : `${brief.trimEnd()}\n`, hasFrontMatter: false, keys };
  };
  const readWave = (wave: WrittenWave, index: number) => Promise.all(wave.tasks.map((task) => read(task, index)));
  const tasks = await Promise.all(waves.map(readWave));
  const drafted = waves.map((wave, index) => ({ ...wave, tasks: tasks[index] ?? [] }));
  const sourceOf = (place: Place): { readonly yaml: YamlDocument; readonly place: Place } => {
    const entry = fronts.find((one) => one.place.every((step, at) => place[at] === step));
    const within = place.slice(entry?.place.length);
    const [key] = within;
    return entry !== undefined && hasKey(entry.front.value, key) && !hasKey(entry.plan, key)
      ? { yaml: entry.front, place: within }
      : { yaml: from.yaml, place };
  };
  const locate = (problem: PlanProblem): Finding => {
    const { yaml, place } = sourceOf(problem.place);
    return yaml.finding({ ...problem, place });
  };
  const whereOf = (place: Place): string => {
    const source = sourceOf(place);
    return source.yaml.where(source.place);
  };
  return { draft: { settings, waves: drafted }, findings, locate, whereOf };
}

const hasKey = (mapping: unknown, key: string | number | undefined): boolean =>
  typeof mapping === 'object' && mapping !== null && key !== undefined && Object.hasOwn(mapping, key);

type Directive = {
  readonly file: string | null;
  /** Null when it could not be read; `findings` say why. */
  readonly text: string | null;
  readonly hasFrontMatter: boolean;
  readonly keys: TaskKeys;
  /** Its front matter, with places; null without one. */
  readonly front: YamlDocument | null;
  readonly findings: readonly Finding[];
};

/** One word that ends in .md is a path; anything else is the brief itself. */
const namesFile = (brief: string): boolean => /^\S+\.md$/i.test(brief.trim());

/** Reads the directive that a task names. `where` is the place of `do` in the plan. */
async function readDirective(
  task: { readonly id: string; readonly brief: string; readonly keys: TaskKeys; readonly where: string },
  root: string,
  planPath: string,
): Promise<Directive> {
  const unread = (finding: Finding, file: string | null): Directive => ({
    file,
    text: null,
    hasFrontMatter: false,
    keys: task.keys,
    front: null,
    findings: [finding],
  });
  const path = task.brief.trim();
  // A plan in the state directory lies outside of the checkout: its paths start at the root.
  const from = isWithin(root, planPath) ? dirname(planPath) : root;
  const absolute = await insideRepository(root, from, path);
  if (absolute === null) return unread({ rule: 'leaves-repository', path, where: task.where }, null);
  const shown = pathFromRoot(root, absolute);
  const source = await readSource(absolute, shown);
  if (!source.ok) return unread({ ...source.finding, directiveOf: task.id, where: task.where }, shown);
  const { matter, body } = splitFrontMatter(source.text);
  const front = matter === null ? null : readFrontMatter(matter, shown, task);
  const findings = [...(front?.findings ?? [])];
  if (body.trim() === '') findings.push({ rule: 'empty-directive', task: task.id, file: shown, where: shown });
  const text = body.trim() === '' ? null : body;
  return {
    file: shown,
    text,
    hasFrontMatter: matter !== null,
    keys: { ...front?.keys, ...task.keys },
    front: front?.document ?? null,
    findings,
  };
}

/** The lines before the matter are kept as blank ones, so that positions in it are those of the file. */
function splitFrontMatter(text: string): { readonly matter: string | null; readonly body: string } {
  const match = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text);
  return match ? { matter: `\n${match[1] ?? ''}`, body: text.slice(match[0].length) } : { matter: null, body: text };
}

function readFrontMatter(
  matter: string,
  shown: string,
  task: { readonly id: string; readonly keys: TaskKeys },
): { readonly keys: TaskKeys; readonly document: YamlDocument | null; readonly findings: readonly Finding[] } {
  const { document, findings } = readYaml(matter, shown);
  if (document === null) return { keys: {}, document, findings };
  const { data, problems } = fitSchema<FrontMatter>(frontMatterSchema, document.value ?? {});
  const { id, ...keys } = data ?? {};
  const plan: Readonly<Record<string, unknown>> = { ...task.keys, id: task.id };
  const contradictions = Object.entries(data ?? {})
    .filter(([key, value]) => value !== undefined && plan[key] !== undefined && !sameMeaning(plan[key], value))
    .map(([key, value]) =>
      document.finding({
        rule: 'front-matter-contradicts',
        key,
        words: [boundedWords(JSON.stringify(value), 300), boundedWords(JSON.stringify(plan[key]), 300)],
        place: [key],
      }),
    );
  return { keys, document, findings: [...findings, ...problems.map(document.finding), ...contradictions] };
}

/** Lists of a task are sets; an agent alone is a chain of one. */
const sameMeaning = (a: unknown, b: unknown): boolean => canonicalJson(asSet(a)) === canonicalJson(asSet(b));
const asSet = (value: unknown): unknown =>
  Array.isArray(value) ? [...new Set(value.map(asWord))].sort() : typeof value === 'string' ? [value] : value;
const asWord = (value: unknown): string => (typeof value === 'object' ? canonicalJson(value) : String(value));
