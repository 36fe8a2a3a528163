import type { TaskId } from '../base/ids.ts';
import type { OwnershipEvidence } from '../gates/evidence.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import { literalPattern, matches, type Pattern, type PatternEntry, parsePattern, pattern } from './pattern.ts';

export type Granted = OwnershipEvidence['granted'];

/** A path pattern that a task may write, and the reason. */
export type Claim = { readonly task: TaskId; readonly by: 'owns' | 'shares' | 'locks' | 'granted' };

/** Claims of a task. Generated paths are left out: no edit of them counts, so no two tasks can conflict there. */
export function claimsOf(plan: FrozenPlan, task: PlannedTask, granted: Granted): readonly PatternEntry<Claim>[] {
  const claims = (texts: readonly string[], by: Claim['by']) =>
    texts
      .filter((text) => !Object.hasOwn(plan.generated, text))
      .map((text) => ({
        pattern: by === 'granted' ? grantPattern(text) : pattern(text),
        value: { task: task.id, by },
      }));
  return [
    ...claims(task.owns ?? [], 'owns'),
    ...claims(task.shares, 'shares'),
    ...claims(task.locks, 'locks'),
    ...claims(grantsOf(task.id, granted), 'granted'),
  ];
}

export const grantsOf = (task: TaskId, granted: Granted): readonly string[] =>
  granted.filter((grant) => grant.task === task).flatMap((grant) => grant.paths);

/** A person grants a path as they see it. A name that is no pattern stands for itself. */
export function grantPattern(text: string): Pattern {
  const parsed = parsePattern(text);
  return parsed.ok ? parsed.value : literalPattern(text);
}

/** `edited`: a person changed it by hand, and nothing else makes it the task's. */
export type Whose = 'owned' | 'shared' | 'locked' | 'granted' | 'generated' | 'unclaimed' | 'edited';

/** Returns why a task may change a path of its scope; a path that it owns by name comes first. */
export function whoseFile(plan: FrozenPlan, task: PlannedTask, granted: Granted, path: string): Whose {
  if (Object.hasOwn(plan.generated, path)) return 'generated';
  const claim = claimsOf(plan, task, granted).find((one) => matches(one.pattern, path));
  return claim === undefined ? 'unclaimed' : whoseByClaim[claim.value.by];
}

const whoseByClaim: Record<Claim['by'], Whose> = {
  owns: 'owned',
  shares: 'shared',
  locks: 'locked',
  granted: 'granted',
};
