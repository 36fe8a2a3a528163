import type { TaskId } from '../base/ids.ts';
import type { OwnershipEvidence } from '../gates/evidence.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import { literalPattern, type Pattern, parsePattern, pattern } from './pattern.ts';
import type { PatternEntry } from './pattern-index.ts';

export type Granted = OwnershipEvidence['granted'];

/** A path pattern that a task may write, and on what ground. */
export type Claim = { readonly task: TaskId; readonly by: 'owns' | 'shares' | 'locks' | 'granted' };

/** Paths that are rebuilt on the candidate: no one's edit of them counts, so no two can conflict. */
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

/** A person grants a path as they see it; names that are no pattern stand for themselves. */
export function grantPattern(text: string): Pattern {
  const parsed = parsePattern(text);
  return parsed.ok ? parsed.value : literalPattern(text);
}
