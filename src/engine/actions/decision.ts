import { err, ok } from '../../domain/base/result.ts';
import { firstTap, undecidedTap } from '../../domain/decide/answer-before-made.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Action } from './action.ts';

/** `hash`: decides only if the plan's hash begins so. `tap`: decides this one, instead of the one that waits. */
type DecisionInput = { readonly hash: string | undefined; readonly tap?: TapName };

/** A person's decision at a tap, bound to the plan hash. */
export const decision = (name: 'approve' | 'reject' | 'hold'): Action<'run', DecisionInput> => ({
  name,
  who: 'person',
  rest: true,
  mcp: false,
  on: 'run',
  request: ({ run, state }, { hash, tap }, by, at) => {
    if (hash !== undefined && (hash.length < 8 || !state.hash.startsWith(hash)))
      return err({
        reason: 'other-plan',
        because: { rule: 'other-plan', run, asked: state.hash.slice(0, 12), named: hash },
        field: 'hash',
      });
    const decided = tap ?? undecidedTap(state) ?? firstTap(state);
    return ok({ type: `requested-${name}`, tap: decided, hash: state.hash, at, by });
  },
  moot: async ({ run, state }, { tap }) => {
    if (tap !== undefined || undecidedTap(state) !== null) return null;
    return {
      reason: 'nothing-to-decide',
      because: { rule: 'nothing-to-decide', run, last: lastDecision(state) },
      isDone: false,
    };
  },
});

function lastDecision(state: RunState) {
  const last = Object.values(state.taps).at(-1);
  return last !== undefined && 'by' in last ? { status: last.status, who: last.by.who } : null;
}
