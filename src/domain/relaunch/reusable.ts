import type { TaskId } from '../base/ids.ts';
import type { ResultReuse } from '../ledger/relaunch-events.ts';
import { allTasks, type FrozenPlan, plannedById } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { reuseOf } from './fingerprint.ts';

/**
 * Results that count again under this plan: their fingerprints are equal, and everything that they build on is merged, done before, or
 * counts again too.
 */
export function reusableIn(
  state: RunState,
  plan: FrozenPlan,
  { except }: { readonly except: readonly TaskId[] },
): readonly ResultReuse[] {
  const found = new Map<TaskId, ResultReuse | null>();
  const reusable = (id: TaskId): ResultReuse | null => {
    if (except.includes(id)) return null;
    const known = found.get(id);
    if (known !== undefined) return known;
    const needs = plannedById(plan, id)?.needs ?? [];
    const reuse = needs.every((need) => stands(need) || reusable(need) !== null) ? reuseOf(state, plan, id) : null;
    found.set(id, reuse);
    return reuse;
  };
  const stands = (id: TaskId): boolean => state.tasks[id]?.progress.status === 'merged';
  return allTasks(plan).flatMap(({ id }) => reusable(id) ?? []);
}
