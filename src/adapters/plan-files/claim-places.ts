import { draftRoles } from '../../domain/closure/role-drafts.ts';
import { roleScopeFaults } from '../../domain/closure/role-scope.ts';
import type { Finding, FindingOf } from '../../domain/findings/finding.ts';
import type { FrozenPlan } from '../../domain/plan/plan.ts';
import type { DraftTask, Place, PlanDraft } from '../../domain/plan/plan-draft.ts';
import { ownershipConflicts } from '../../domain/scope/ownership.ts';

export type Claimed = FindingOf<'ownership-conflict'>['overlaps'][number]['claims'][number];
export type WhereOf = (place: Place) => string;

/** Tasks of a wave that could write the same path, each overlap at the patterns that meet. */
export function overlapsIn(plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] {
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

/** Paths that closure roles must not own, each at its pattern. */
export function roleFaults(plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] {
  const tasks = tasksById(draft);
  return plan.waves
    .flatMap((_, wave) => roleScopeFaults(plan, wave))
    .map((fault) => {
      const role = tasks.get(fault.task);
      const claim = { task: fault.task, by: 'owns', pattern: fault.pattern } as const;
      return role === undefined ? fault : { ...fault, where: whereOf(claimPlace(role, claim)) };
    });
}

/** Returns the place of the pattern with which a task claims a file. */
function claimPlace({ place, keys }: DraftTask, { by, pattern }: Claimed): Place {
  if (by === 'granted') return place;
  const index = (keys[by] ?? []).indexOf(pattern);
  return index === -1 ? place : [...place, by, index];
}

/** Closure roles included. */
export const tasksById = (draft: PlanDraft): ReadonlyMap<string, DraftTask> =>
  new Map(
    draft.waves.flatMap((wave, index) => [...wave.tasks, ...draftRoles(draft, index)]).map((task) => [task.id, task]),
  );
