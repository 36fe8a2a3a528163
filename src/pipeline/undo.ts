import type { TaskId } from '../domain/base/ids.ts';
import { checkUnrunnable } from '../domain/gates/check-outcome.ts';
import type { Reverts } from '../domain/landing/undo.ts';
import { checkKey, type RunState } from '../domain/run/run.ts';
import { effect, fact, type Step } from './step.ts';

/**
 * An undo that was asked for by request `seq`. The merger takes the branch back, or prepares commits that do; those are
 * checked like anything that the branch moves to, and the merger is asked again.
 */
export function undo(state: RunState, seq: number, task: TaskId | null): readonly Step[] {
  // first it has to be known whether the last landing is on the branch
  if (state.landing.status === 'intended') return [];
  const request = { do: 'undo', run: state.run, task } as const;
  const ask = effect(`undo ${seq}`, { do: 'ask-merger', request, answers: seq });
  const { prepared } = state.undo;
  return prepared === null || prepared.task !== task ? [ask] : (checkReverts(state, seq, prepared) ?? [ask]);
}

/** Null: every check has passed on them. */
function checkReverts(state: RunState, seq: number, prepared: Reverts): readonly Step[] | null {
  const { commit, tree } = prepared;
  for (const check of state.plan.checks) {
    const outcome = state.checks[checkKey(tree, check.name)];
    if (outcome === undefined)
      return [effect(`check ${tree} ${check.name}`, { do: 'check', purpose: 'undo', commit, tree, check })];
    if (outcome.outcome === 'could-not-run') {
      if (state.mode.mode === 'halted') return [];
      return [fact({ type: 'run-halted', because: checkUnrunnable(outcome) })];
    }
    if (outcome.outcome !== 'passed') return [refuse(state, seq, prepared, check.name)];
  }
  return null;
}

/** In one append with the answer to the request: nothing moved, and nothing is under way any more. */
function refuse({ run }: RunState, seq: number, { task, branch, reverts }: Reverts, check: string): Step {
  const because = { rule: 'undo-check', run, task, branch, check, reverts } as const;
  return fact(
    { type: 'undo-refused', task, because },
    { type: 'request-refused', request: seq, because: { rule: 'undo-refused', run, task, because } },
  );
}
