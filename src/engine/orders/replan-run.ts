import { planHash } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { changedInVain, misfit, reusedTasks } from '../../domain/decide/replan.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { By, RequestEvent, RunOrder } from '../../domain/ledger/requests.ts';
import { planDifference } from '../../domain/plan/plan-difference.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { judgeOrder, type NotOrdered } from './order-run.ts';

export type NewPlan = {
  readonly order: RunOrder;
  /** Empty when the files give the plan that runs already. */
  readonly differences: readonly string[];
  /** Tasks that are merged already, so that changes to them have no effect. */
  readonly vain: readonly string[];
  /** Ready tasks that did not change: their work is judged again, and no agent runs. */
  readonly reused: readonly string[];
  readonly warnings: readonly Finding[];
};

/** Reads the files of a run once more and judges them like a new plan. Changes nothing. */
export async function prepareReplan(
  repo: RepositoryHandle,
  { state, stored }: { readonly state: RunState; readonly stored: readonly Stored[] },
): Promise<Result<NewPlan, NotOrdered>> {
  const before = orderIn(stored);
  const read = await repo.rereadPlan(before);
  if (!read.ok) return err({ because: 'no-plan', message: read.error });
  if (!read.value.ok) return err({ because: 'mistakes', findings: read.value.findings, warnings: read.value.warnings });
  const { plan, warnings } = read.value;
  const order = { ...before, plan, hash: planHash(read.value.hash) };
  if (order.hash === state.hash) return ok({ order, differences: [], vain: [], reused: [], warnings });
  const judged = await judgeOrder(repo, { ...order, wave: null });
  const unfit = misfit(state, plan);
  const findings = [...judged.findings, ...(unfit === null ? [] : [unfit])];
  if (findings.length > 0) return err({ because: 'refused', findings, warnings });
  const differences = planDifference(state.plan, plan);
  return ok({
    order,
    differences,
    vain: changedInVain(state, plan),
    reused: reusedTasks(state, plan),
    warnings: [...warnings, ...judged.warnings],
  });
}

export const replanRequest = (state: RunState, { order: { plan, hash } }: NewPlan, by: By): RequestEvent => ({
  type: 'requested-replan',
  plan,
  hash,
  replaces: state.hash,
  by,
});

export function orderIn(stored: readonly Stored[]): RunOrder {
  const created = stored.find(({ event }) => event.type === 'run-created')?.event;
  if (created?.type !== 'run-created') throw new Error('a made run has its order');
  const { type: _, by: __, ...order } = created;
  return order;
}
