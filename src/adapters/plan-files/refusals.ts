import type { Finding, FindingOf, Rule } from '../../domain/findings/finding.ts';
import type { FrozenPlan } from '../../domain/plan/plan.ts';
import type { DraftTask, Place, PlanDraft, PlanProblem } from '../../domain/plan/plan-draft.ts';
import { lintDirectives } from '../../domain/plan/plan-lint.ts';
import { ownershipConflicts } from '../../domain/scope/ownership.ts';
import type { Resolution } from '../../domain/settings/layers.ts';
import { isBadBranch } from '../../domain/settings/lint.ts';
import { freeze } from './freeze.ts';

type Claimed = FindingOf<'ownership-conflict'>['overlaps'][number]['claims'][number];
type WhereOf = (place: Place) => string;

/** Returns the findings for which the phases before approval refuse a frozen plan, each with its place in the files. */
export const refusalsOf = (plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] => [
  ...refusedDirectives(plan, draft, whereOf),
  ...overlapsIn(plan, draft, whereOf),
];

/** The same of a plan with other mistakes, as long as they leave its claims as they are. */
export const overlapsDespite = (
  mistakes: readonly PlanProblem[],
  draft: PlanDraft,
  whereOf: WhereOf,
): readonly Finding[] =>
  mistakes.some(({ rule }) => hidesClaims.has(rule)) ? [] : overlapsIn(claimsAlone(draft), draft, whereOf);

/** Mistakes that leave open which paths a task claims, or which tasks are ordered. */
const hidesClaims: ReadonlySet<Rule> = new Set<Rule>([
  'bad-pattern',
  'leaves-repository',
  'bad-id',
  'duplicate-id',
  'unknown-need',
  'later-need',
  'cycle',
]);

/** Frozen as if it had no mistake. */
const claimsAlone = (draft: PlanDraft): FrozenPlan =>
  freeze({ ...draft, settings: { ...draft.settings, land: 'ask', dispatch: 'isolated' } }, 'plan', '');

/** The branch that a run starts from and lands on has to be there. */
export async function baseFindings(
  base: string | null,
  { settings, origins }: Resolution,
  planFile: string,
  hasBranch: ((branch: string) => Promise<boolean>) | undefined,
): Promise<readonly Finding[]> {
  if (base === null) return [{ rule: 'no-base', where: planFile }];
  if (hasBranch === undefined || isBadBranch(base) || (await hasBranch(base))) return [];
  const where = settings.base === null ? planFile : (origins['base'] ?? planFile);
  return [{ rule: 'base-missing', branch: base, where }];
}

/** Tasks of a wave that could write the same path, each overlap at the patterns that meet. */
function overlapsIn(plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] {
  const tasks = tasksById(draft);
  const located = (claim: Claimed): Claimed => {
    const task = tasks.get(claim.task);
    return task === undefined ? claim : { ...claim, at: whereOf(claimPlace(task, claim)) };
  };
  return plan.waves
    .flatMap((_, wave) => ownershipConflicts(plan, wave, []))
    .map((conflict) => {
      const overlaps = conflict.overlaps.map(({ claims: [a, b], ...overlap }) => ({
        ...overlap,
        claims: [located(a), located(b)] as const,
      }));
      const at = overlaps[0]?.claims[0].at;
      return { ...conflict, overlaps, ...(at === undefined ? {} : { where: at }) };
    });
}

/** Without the places in a file that nobody has seen; those in directives stay. */
export function withoutPlaces(
  conflict: FindingOf<'ownership-conflict'>,
  isUnseen: (where: string) => boolean,
): Finding {
  const { where, ...rest } = conflict;
  const withoutUnseen = ({ at, ...claim }: Claimed): Claimed =>
    at === undefined || isUnseen(at) ? claim : { ...claim, at };
  const overlaps = rest.overlaps.map(({ claims: [a, b], ...overlap }) => ({
    ...overlap,
    claims: [withoutUnseen(a), withoutUnseen(b)] as const,
  }));
  return { ...rest, overlaps, ...(where === undefined || isUnseen(where) ? {} : { where }) };
}

function refusedDirectives(plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] {
  const tasks = tasksById(draft);
  return plan.waves
    .flatMap((_, wave) => lintDirectives(plan, wave).errors)
    .map((finding) => {
      const task = 'task' in finding ? tasks.get(String(finding.task)) : undefined;
      return task === undefined || task.file !== null ? finding : { ...finding, where: whereOf([...task.place, 'do']) };
    });
}

/** Where a task says what it claims. */
function claimPlace({ place, keys }: DraftTask, { by, pattern }: Claimed): Place {
  if (by === 'granted') return place;
  const index = (keys[by] ?? []).indexOf(pattern);
  return index === -1 ? place : [...place, by, index];
}

const tasksById = ({ waves }: PlanDraft): ReadonlyMap<string, DraftTask> =>
  new Map(waves.flatMap((wave) => wave.tasks).map((task) => [task.id, task]));
