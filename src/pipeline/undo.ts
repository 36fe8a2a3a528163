import type { TaskId } from '../domain/ids.ts';
import { checkKey, type RunState } from '../domain/run.ts';
import { checkOutput } from '../domain/texts/check-output.ts';
import { checkLog } from '../domain/texts/held.ts';
import type { Reverts } from '../domain/undo.ts';
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
      const why = `check ${check.name} could not run: ${checkOutput(outcome)}`;
      return [fact({ type: 'run-halted', why, fix: `tidegate resume ${state.run}` })];
    }
    if (outcome.outcome !== 'passed') return [refuse(state, seq, prepared, check.name)];
  }
  return null;
}

/** In one append with the answer to the request: nothing moved, and nothing is under way any more. */
function refuse({ run }: RunState, seq: number, { task, branch, reverts }: Reverts, check: string): Step {
  const subject = task === null ? run : `${run}/${task}`;
  const why = `with ${subject} taken out of ${branch} the check ${check} fails`;
  const fix = `look: ${checkLog(run, check)}; mend ${branch}, then: tidegate undo ${subject}; or by hand: git revert ${reverts.join(' ')}`;
  return fact(
    { type: 'undo-refused', task, why, fix },
    { type: 'request-refused', request: seq, why: `${why}. ${fix}` },
  );
}
