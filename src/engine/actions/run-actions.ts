import type { CommitId } from '../../domain/base/ids.ts';
import { err, ok } from '../../domain/base/result.ts';
import { firstTap, undecidedTap } from '../../domain/decide/answer-before-made.ts';
import { chooseTasks, hasWhollyLanded } from '../../domain/landing/land-some.ts';
import { isUndone } from '../../domain/landing/undo.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { RunState } from '../../domain/run/run.ts';
import { type NewPlan, replanRequest } from '../orders/replan-run.ts';
import { type Action, forAnyone, forPeople } from './action.ts';

/** `hash` is a prefix that the plan's hash must have. `tap` names the tap to decide; by default the one that waits. */
type DecisionInput = { readonly hash: string | undefined; readonly tap?: TapName };

/** A person's decision at a tap, bound to the plan hash. */
const decision = (name: 'approve' | 'reject' | 'hold'): Action<'run', DecisionInput> => ({
  name,
  ...forPeople,
  on: 'run',
  request: ({ run, state }, { hash, tap }, by, at) => {
    if (hash !== undefined && (hash.length < 8 || !state.hash.startsWith(hash)))
      return err({
        reason: 'other-plan',
        because: { rule: 'other-plan', run, asked: state.hash.slice(0, 12), named: hash },
        field: 'hash',
      });
    const decidedTap = tap ?? undecidedTap(state) ?? firstTap(state);
    return ok({ type: `requested-${name}`, tap: decidedTap, hash: state.hash, at, by });
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

/** Approves the start or the landing of a run. */
export const approveAction = decision('approve');

/** Rejects the start or the landing for good. */
export const rejectAction = decision('reject');

/** Postpones the decision until a later approval. */
export const holdAction = decision('hold');

/** Replaces the plan of a run by a new version. `prepareReplan` makes the input. */
export const replanAction: Action<'run', NewPlan> = {
  name: 'replan',
  ...forPeople,
  on: 'run',
  request: ({ run, state }, plan, by) =>
    plan.differences.length === 0
      ? err({ reason: 'same-plan', because: { rule: 'same-plan', run, file: state.planFile } })
      : ok(replanRequest(state, plan, by)),
  accepted: ({ order }, repo) => repo.openRunDirectory(order),
};

/** Names tasks. Without names, everything that has not landed yet lands. */
type LandInput = {
  readonly only?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
};

/** Moves the person's branch to the merged work of a run, or to some of it. */
export const landAction: Action<'run', LandInput> = {
  name: 'land',
  ...forPeople,
  on: 'run',
  request: ({ state }, { only, except }, by) => {
    if (only !== undefined && except !== undefined)
      return err({ reason: 'bad-choice', because: { rule: 'choice-twice' }, field: 'except' });
    const choice = chooseTasks(state, only ?? null, except ?? null);
    if (!choice.ok) return err({ reason: 'bad-choice', because: choice.error });
    return ok({ type: 'requested-land', ...(choice.value === null ? {} : { tasks: choice.value.tasks }), by });
  },
  moot: async ({ run, state }) =>
    hasWhollyLanded(state)
      ? { reason: 'already-landed', because: { rule: 'already-landed', run }, isDone: true }
      : null,
};

/** Undoes the landing of a run or of one task. */
export const undoAction: Action<'part', object> = {
  name: 'undo',
  ...forPeople,
  on: 'part',
  request: ({ task }, _, by) => ok({ type: 'requested-undo', task, by }),
  moot: async ({ run, task, state }) =>
    isUndone(state, task)
      ? { reason: 'already-undone', because: { rule: 'already-undone', run, task }, isDone: true }
      : null,
};

/** Takes a person's resolution of a landing that conflicts. `from` is the commit that holds both sides. */
export const editLandingAction: Action<'run', { readonly from: CommitId; readonly copy: string }> = {
  name: 'edit-landing',
  ...forPeople,
  rest: false,
  on: 'run',
  request: (_, { from, copy }, by) => ok({ type: 'requested-landing-edit', from, copy, by }),
};

/** Raises the budget of a run, or of one task. */
export const raiseAction: Action<'part', { readonly usd: number }> = {
  name: 'raise',
  ...forPeople,
  on: 'part',
  request: ({ task }, { usd }, by) => ok({ type: 'requested-raise', task, usd, by }),
};

/** Starts no further attempts. Running agents continue. */
export const pauseAction: Action<'run', object> = {
  name: 'pause',
  ...forAnyone,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-pause', by }),
};

/** Continues a run after a pause, a stop or a failure of the machine. */
export const resumeAction: Action<'run', object> = {
  name: 'resume',
  ...forAnyone,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-resume', by }),
};

/** Ends the agents of a run and keeps their work. */
export const stopAction: Action<'run', object> = {
  name: 'stop',
  ...forAnyone,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-stop', by }),
};

/** Ends a run for good, in any state. Landed work stays on the branch, and all other work is kept. */
export const abandonAction: Action<'run', object> = {
  name: 'abandon',
  ...forPeople,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-abandon', by }),
  moot: async ({ run, state }) =>
    state.ended === null
      ? null
      : { reason: 'run-over', because: { rule: 'run-over', run, outcome: state.ended }, isDone: true },
};
