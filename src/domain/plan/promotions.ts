import { nearestWord } from '../base/nearest-word.ts';
import { byName } from '../base/result.ts';
import { levelBefore } from '../proofs/matrix.ts';
import type { ResolvedSettings } from '../settings/settings.ts';
import { type Maturity, maturity } from './maturity.ts';
import { type DraftTask, ownsOf, type PlanDraft, type PlanProblem } from './plan-draft.ts';

/** The components that a task promotes. With a matrix, a level of maturity in `exit.completion` counts for its `components`. */
export function promotesOf(
  { keys }: DraftTask,
  { matrix }: Pick<ResolvedSettings, 'matrix'>,
): Readonly<Record<string, Maturity>> {
  const level = maturity.find((one) => one === keys.exit?.completion);
  const named = matrix === null || level === undefined ? [] : (keys.components ?? []);
  return { ...Object.fromEntries(named.map((component) => [component, level ?? 'inventoried'])), ...keys.promotes };
}

const levelsOfWords: readonly string[] = maturity;

type Owner = { readonly task: DraftTask; readonly component: string; readonly level: Maturity };

/** Judges promotions: each component is in the matrix, and each wave advances it by exactly one level. */
export function lintPromotions(
  draft: PlanDraft,
  levels: ReadonlyMap<string, string> | 'missing' | null,
  base: string,
): readonly PlanProblem[] {
  const { settings } = draft;
  const tasks = draft.waves.flatMap((wave) => wave.tasks);
  const owners = tasks.flatMap((task) =>
    Object.entries(promotesOf(task, settings)).map(([component, level]): Owner => ({ task, component, level })),
  );
  const [first] = owners;
  if (first === undefined) return [];
  const at = placeOf(first);
  if (settings.matrix === null) return [{ rule: 'matrix-missing', task: first.task.id, place: at }];
  const file = settings.matrix;
  if (levels === 'missing') return [{ rule: 'matrix-unread', file, base, fault: 'missing', place: at }];
  if (levels === null) return [{ rule: 'matrix-unread', file, base, place: at }];
  return [
    ...owners.flatMap((owner) => lintOwner(owner, levels, file)),
    ...[...new Set(owners.map(({ component }) => component))]
      .filter((component) => levels.has(component))
      .flatMap((component) =>
        lintSteps(
          draft,
          owners.filter((one) => one.component === component),
          levels,
        ),
      ),
  ];
}

const placeOf = ({ task, component }: Owner): PlanProblem['place'] => [
  ...task.place,
  ...(byName(task.keys.promotes)[component] === undefined ? ['exit', 'completion'] : ['promotes', component]),
];

function lintOwner(owner: Owner, levels: ReadonlyMap<string, string>, file: string): readonly PlanProblem[] {
  const { task, component } = owner;
  const place = placeOf(owner);
  const unknown = levels.has(component)
    ? []
    : [{ rule: 'unknown-component', component, file, meant: nearestWord(component, levels.keys()), place } as const];
  const reads =
    ownsOf(task)?.length === 0 ? [{ rule: 'promotion-owner', task: task.id, component, place } as const] : [];
  return [...unknown, ...reads];
}

/** Waves that an earlier run has landed lie behind the current level; the others go on from it one by one. */
function lintSteps(
  { waves, settings }: PlanDraft,
  owners: readonly Owner[],
  levels: ReadonlyMap<string, string>,
): readonly PlanProblem[] {
  const component = owners[0]?.component ?? '';
  let current = levels.get(component) ?? '';
  const reached = levelsOfWords.indexOf(current);
  const steps = waves.flatMap(({ closure }, wave) => {
    const here = owners.filter(({ task }) => task.wave === wave);
    return here.length === 0 ? [] : [{ here, hasQa: (closure ?? settings.closure).qa !== undefined }];
  });
  const isAhead = steps.some(({ here }) => maturity.indexOf(here[0]?.level ?? 'inventoried') > reached);
  return steps.flatMap(({ here, hasQa }): readonly PlanProblem[] => {
    const [first] = here;
    if (first === undefined) return [];
    const { level } = first;
    const place = placeOf(first);
    const all = [...new Set(here.map((one) => one.level))];
    if (all.length > 1) return [{ rule: 'promotion-levels', component, levels: all, place }];
    if (isAhead && maturity.indexOf(level) <= reached) return [];
    const expected = levelBefore(level);
    if (expected === null || current !== expected)
      return [{ rule: 'promotion-step', component, level, current, expected, place }];
    current = level;
    return level === 'qa-proved' && !hasQa ? [{ rule: 'promotion-qa', component, level, place }] : [];
  });
}
