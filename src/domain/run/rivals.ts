import type { Finding } from '../findings/finding.ts';
import { leftToLand } from '../landing/undo.ts';
import type { RunOrder } from '../ledger/requests.ts';
import { allTasks } from '../plan/plan.ts';
import { claimsOf } from '../scope/claims.ts';
import { intersect } from '../scope/pattern.ts';
import type { RunState } from './run.ts';
import { isResolved } from './task.ts';

/**
 * Warnings before a run starts beside others on its branch: that the same plan is live already, and which tasks
 * may write what a task of another run may write too. It is allowed; whichever lands second has to fit.
 */
export function warningsBeside(
  order: Pick<RunOrder, 'plan' | 'hash' | 'target'>,
  runs: readonly RunState[],
): readonly Finding[] {
  return runs
    .filter(({ ended, target }) => ended === null && target.branch === order.target.branch)
    .flatMap((other) =>
      other.hash === order.hash ? [{ rule: 'plan-live', run: other.run } as const] : overlapsWith(order, other),
    );
}

/** One for each pair of tasks. */
function overlapsWith({ plan }: Pick<RunOrder, 'plan'>, other: RunState): readonly Finding[] {
  const left = leftToLand(other);
  const theirs = allTasks(other.plan).filter(({ id }) => {
    const state = other.tasks[id];
    return state !== undefined && (!isResolved(state) || left.includes(id));
  });
  return allTasks(plan).flatMap((task) =>
    theirs.flatMap((rival) => {
      const mine = claimsOf(plan, task, []);
      const met = claimsOf(other.plan, rival, []).flatMap((claim) =>
        mine.flatMap((own) => intersect(own.pattern, claim.pattern)?.witness ?? []),
      )[0];
      return met === undefined
        ? []
        : [{ rule: 'owns-elsewhere', task: task.id, run: other.run, other: rival.id, path: met } as const];
    }),
  );
}
