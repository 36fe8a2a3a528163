import { canonicalJson, everyTask, type FrozenPlan, type PlannedTask } from './plan.ts';

/** Lists the differences between two versions of a plan, a few words for each: `b: do, owns`, `c is new`, `checks`. */
export function planDifference(before: FrozenPlan, after: FrozenPlan): readonly string[] {
  const { waves: _, ...settings } = before;
  const { waves: __, ...newSettings } = after;
  const differences = [...tasksBetween(before, after), ...keysBetween(settings, newSettings)];
  if (differences.length > 0 || canonicalJson(before) === canonicalJson(after)) return differences;
  return ['names of waves, or the order of tasks'];
}

function tasksBetween(before: FrozenPlan, after: FrozenPlan): readonly string[] {
  const [old, now] = [placed(before), placed(after)];
  const gone = [...old.keys()].filter((id) => !now.has(id)).map((id) => `${id} is gone`);
  const rest = [...now].flatMap(([id, { task, wave }]) => {
    const was = old.get(id);
    if (was === undefined) return [`${id} is new`];
    const keys = [...(was.wave === wave ? [] : ['wave']), ...keysBetween(asWrittenTask(was.task), asWrittenTask(task))];
    return keys.length === 0 ? [] : [`${id}: ${keys.map(asWritten).join(', ')}`];
  });
  return [...rest, ...gone];
}

/** Without the clauses of its directive: the settings that they follow from are compared themselves. */
const asWrittenTask = ({ directive: { file, text }, ...task }: PlannedTask) => ({ directive: { file, text }, ...task });

/** A directive is what the person wrote under `do`. */
const asWritten = (key: string): string => (key === 'directive' ? 'do' : key);

const placed = (plan: FrozenPlan): ReadonlyMap<string, { readonly task: PlannedTask; readonly wave: number }> =>
  new Map(
    everyTask(plan).map((task) => [
      task.id,
      {
        task,
        wave: plan.waves.findIndex((wave) => [...wave.tasks, ...(wave.closure ?? [])].some(({ id }) => id === task.id)),
      },
    ]),
  );

function keysBetween(before: object, after: object): readonly string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...now.keys(), ...old.keys()])].filter(
    (key) => canonicalJson(now.get(key) ?? null) !== canonicalJson(old.get(key) ?? null),
  );
}
