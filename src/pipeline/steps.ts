import { approvalProof } from '../domain/gates/proof.ts';
import { isMoving } from '../domain/landing/landing.ts';
import { currentWave, hasMerged, type RunState } from '../domain/run/run.ts';
import { approval } from './approval.ts';
import { baseChecks, closure } from './closure.ts';
import { dispatch, live } from './dispatch.ts';
import { governor } from './governor.ts';
import { holds } from './holds.ts';
import { askLand, land } from './land.ts';
import { merge } from './merge.ts';
import { monitor } from './monitor.ts';
import { ownership } from './ownership.ts';
import { preflight } from './preflight.ts';
import { requests } from './requests.ts';
import { effect, fact, type Step, type StepInputs } from './step.ts';
import { thread } from './thread.ts';

/**
 * Returns all steps that follow from the state of a run, phase by phase. The order of phases is defined here only.
 * A fact changes the state, so the engine records the first one and calls this again; effects may run side by side.
 */
export function steps(state: RunState, given: StepInputs): readonly Step[] {
  const asked = requests(state, given);
  if (state.ended !== null)
    return asked.length > 0 || state.ended !== 'done' ? asked : [...asked, ...lateLanding(state, given)];
  if (state.abandoned !== null) return [...asked, ...abandonment(state)];
  return [
    ...asked,
    ...governor(state, given),
    ...thread(state),
    ...preflight(state),
    ...ownership(state),
    ...approval(state, given),
    ...runBranch(state),
    ...baseChecks(state),
    ...monitor(state),
    ...holds(state),
    ...dispatch(state, given),
    ...closure(state),
    ...merge(state),
    ...land(state, given),
  ];
}

/** The merger opens the run once a person has approved it; before that nothing is created. */
function runBranch(state: RunState): readonly Step[] {
  const wave = currentWave(state);
  const approved = wave !== undefined && approvalProof(state, wave.index) !== null;
  if (!approved || state.branch !== null) return [];
  return [effect('open-run', { do: 'ask-merger', request: { do: 'open-run', run: state.run }, answers: null })];
}

/** A run that ended on its own branch can land later, when a person requests it. */
function lateLanding(state: RunState, given: StepInputs): readonly Step[] {
  const asked = state.taps.land?.status === 'approved' && hasMerged(state);
  const over = ['landed', 'offered', 'undone'].includes(state.landing.status);
  return asked && !over ? land(state, given) : [];
}

/**
 * Ends an abandoned run, in any state. Its agents are stopped, which keeps their work; a branch that is being moved or offered
 * reaches its destination, so that nothing is left half done. Nothing else begins.
 */
function abandonment(state: RunState): readonly Step[] {
  const isUndoing = state.landing.status === 'undoing' && state.pending.length > 0;
  const underWay = [...live(state), ...branchMoves(state)];
  if (isUndoing) return underWay;
  return underWay.length > 0 ? underWay : [fact({ type: 'run-ended', outcome: 'abandoned' })];
}

function branchMoves(state: RunState): readonly Step[] {
  if (isMoving(state.landing)) return [askLand(state)];
  return currentWave(state)?.rounds.at(-1)?.status === 'merging' ? merge(state) : [];
}
