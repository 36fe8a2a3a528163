import { err, ok } from '../../../domain/base/result.ts';
import { type NewPlan, replanRequest } from '../../orders/replan-run.ts';
import type { Action } from '../action.ts';

/** Puts a new version of the plan in force. The input is what `prepareReplan` read and judged. */
export const replanAction: Action<'run', NewPlan> = {
  name: 'replan',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'run',
  request: ({ run, state }, plan, by) =>
    plan.differences.length === 0
      ? err({ reason: 'same-plan', because: { rule: 'same-plan', run, file: state.planFile } })
      : ok(replanRequest(state, plan, by)),
  accepted: ({ order }, repo) => repo.openRunDirectory(order),
};
