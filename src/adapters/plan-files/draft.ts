import type { Finding } from '../../domain/findings/finding.ts';
import type { DraftTask, Place, PlanDraft, PlanProblem } from '../../domain/plan/plan-draft.ts';
import type { ResolvedSettings } from '../../domain/settings/settings.ts';
import { namesFile, readDirective } from './directive-file.ts';
import type { PlanDocument, TaskDocument } from './schema.ts';
import type { YamlDocument } from './yaml-document.ts';

type Written = { readonly id: string; readonly place: Place; readonly task: TaskDocument };
type WrittenWave = { readonly name: string | null; readonly place: Place; readonly tasks: readonly Written[] };

/** `tasks:` alone is one wave; maps and lists of tasks mean the same. */
export function wavesOf(document: PlanDocument): readonly WrittenWave[] {
  if (document.waves)
    return document.waves.map((wave, index) => ({
      name: wave.name ?? null,
      place: ['waves', index],
      tasks: tasksOf(wave.tasks, ['waves', index, 'tasks']),
    }));
  const tasks = document.tasks ? tasksOf(document.tasks, ['tasks']) : [];
  return tasks.length === 0 ? [] : [{ name: null, place: ['tasks'], tasks }];
}

function tasksOf(tasks: NonNullable<PlanDocument['tasks']>, place: Place): readonly Written[] {
  if (Array.isArray(tasks)) return tasks.map(({ id, ...task }, index) => ({ id, place: [...place, index], task }));
  return Object.entries(tasks).map(([id, value]) => ({
    id,
    place: [...place, id],
    task: typeof value === 'string' ? { do: value } : value,
  }));
}

/** What the form of the whole document gets wrong. */
export function formProblems(document: PlanDocument): readonly PlanProblem[] {
  if (document.tasks && document.waves) return [{ rule: 'tasks-and-waves', place: ['tasks'], at: 'key' }];
  if (wavesOf(document).length > 0) return [];
  return [{ rule: 'empty-plan', fault: 'no-task', place: document.tasks ? ['tasks'] : ['waves'] }];
}

/** Reads every directive. Findings are about files; what the plan says about tasks is left to lint. */
export async function makeDraft(
  waves: readonly WrittenWave[],
  settings: ResolvedSettings,
  from: { readonly root: string; readonly planPath: string; readonly yaml: YamlDocument },
): Promise<{
  readonly draft: PlanDraft;
  readonly findings: readonly Finding[];
  /** A problem at its place: in the front matter that says it, else in the plan. */
  readonly locate: (problem: PlanProblem) => Finding;
  /** `file:line:column` of a value of a task, in the same way. */
  readonly whereOf: (place: Place) => string;
}> {
  const findings: Finding[] = [];
  const fronts: { readonly place: Place; readonly plan: object; readonly front: YamlDocument }[] = [];
  const read = async ({ id, place, task }: Written, wave: number): Promise<DraftTask> => {
    const { do: brief, ...keys } = task;
    const where = from.yaml.where([...place, 'do']);
    if (namesFile(brief)) {
      const {
        findings: found,
        front,
        ...directive
      } = await readDirective({ id, brief, keys, where }, from.root, from.planPath);
      findings.push(...found);
      if (front !== null) fronts.push({ place, plan: keys, front });
      return { id, wave, place, ...directive };
    }
    const empty = brief.trim() === '';
    if (empty) findings.push({ rule: 'empty-directive', task: id, file: null, where });
    return { id, wave, place, file: null, text: empty ? null : `${brief.trimEnd()}\n`, hasFrontMatter: false, keys };
  };
  const readWave = (wave: WrittenWave, index: number) => Promise.all(wave.tasks.map((task) => read(task, index)));
  const tasks = await Promise.all(waves.map(readWave));
  const drafted = waves.map((wave, index) => ({ name: wave.name, place: wave.place, tasks: tasks[index] ?? [] }));
  const sourceOf = (place: Place): { readonly yaml: YamlDocument; readonly place: Place } => {
    const said = fronts.find((one) => one.place.every((step, at) => place[at] === step));
    const within = place.slice(said?.place.length);
    const [key] = within;
    return said !== undefined && isSaid(said.front.value, key) && !isSaid(said.plan, key)
      ? { yaml: said.front, place: within }
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

const isSaid = (front: unknown, key: string | number | undefined): boolean =>
  typeof front === 'object' && front !== null && key !== undefined && Object.hasOwn(front, key);
