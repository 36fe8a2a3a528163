import type { MonitorEvidence } from './evidence.ts';
import { describeVerdict } from './explain/explain.ts';
import { aftermathOf, recoveryFrom } from './recovery.ts';
import type { Attempt, NextStart, TaskLimits, TaskState } from './task.ts';
import { passes, type Verdict } from './verdict.ts';

export const freeLaunches = 3;
/** Rate limits may last a night; an agent that only feigns them must not last for ever. */
const waitedLaunches = 50;

/** Who drafted a plan that cannot be run is told its mistakes; a person need not pass them on. */
const isOnlyTheDraft = (verdicts: readonly Verdict[]): boolean =>
  verdicts.every(({ gate, outcome }) => (gate === 'plan' ? outcome === 'fail' : outcome === 'pass'));

/** What an ended attempt means, once the gates have spoken. */
export function settleAttempt(
  state: TaskState,
  attempt: Attempt | null,
  evidence: MonitorEvidence,
  verdicts: readonly Verdict[],
  limits: TaskLimits,
): TaskState {
  if (attempt === null) return state;
  const { ending, snapshot } = evidence;
  const judged = { ...state, monitored: verdicts };
  // work of an attempt whose fence or workspace was not proven counts for nothing, however well it looks
  const dispatched = passes(state.dispatched ?? []);
  if (dispatched && passes(verdicts) && snapshot !== null)
    return { ...judged, free: 0, progress: { status: state.readOnly ? 'done' : 'ready', attempt, snapshot } };

  const agentIsThrough =
    dispatched &&
    ending.reason === 'exited' &&
    ending.code === 0 &&
    evidence.handoff.kind === 'given' &&
    evidence.handoff.handoff.status === 'done';
  const sentBack = isOnlyTheDraft(verdicts) && state.charged + 1 < limits.attempts;
  if (agentIsThrough && snapshot !== null && !sentBack)
    return { ...judged, progress: { status: 'held', hold: { because: 'gate', verdicts }, attempt, snapshot } };

  const findings = [...(state.dispatched ?? []), ...verdicts].flatMap(describeVerdict);
  const { cost, start, trouble, blames } = recoveryFrom(evidence);
  const again: NextStart = {
    from: start === 'clean' ? 'base' : (snapshot?.commit ?? attempt.from),
    findings,
    halt: null,
    session: start === 'session' ? state.session : null,
    trouble,
    after: aftermathOf(evidence),
  };
  const waiting = { status: 'waiting', next: again } as const;
  const another = state.chosen === null && state.agent + 1 < limits.chain.length;
  // a person has to log in; another agent of the chain need not wait for that
  const passedOver = ending.reason === 'launch-failed' || (trouble?.kind === 'needs-login' && another);
  if (cost !== 'charged' && !passedOver) {
    const most = cost === 'waited-for' ? waitedLaunches : freeLaunches;
    if (state.free < most) return { ...judged, free: state.free + 1, progress: waiting };
  }
  if (blames === 'agent' && another) {
    const other = { ...again, session: null, trouble: null };
    return { ...judged, agent: state.agent + 1, free: 0, progress: { status: 'waiting', next: other } };
  }
  // with trouble it waits for its provider, as everybody does
  if (ending.reason === 'launch-failed') {
    const before = limits.chain.slice(0, state.agent);
    const halt = trouble ? null : ({ rule: 'launch-failed', before, words: ending.detail } as const);
    return { ...judged, progress: { status: 'waiting', next: { ...again, halt } } };
  }
  if (ending.reason === 'setup-failed')
    return { ...judged, progress: { status: 'failed', why: `setup failed: ${ending.detail}`, attempt, snapshot } };
  const charged = state.charged + 1;
  const spirals = state.spirals + (ending.reason === 'spiral' ? 1 : 0);
  if (charged < limits.attempts && spirals < 2) return { ...judged, charged, spirals, free: 0, progress: waiting };
  const why = findings.join('; ') || `${ending.reason} ${ending.detail}`.trim();
  return { ...judged, charged, spirals, progress: { status: 'failed', why, attempt, snapshot } };
}
