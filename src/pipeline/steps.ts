import type { TaskId } from '../domain/base/ids.ts';
import { answer, isIntegrating } from '../domain/decide/answer.ts';
import { linkedFact } from '../domain/dependencies/link.ts';
import { approvalProof } from '../domain/gates/phase.ts';
import { discardedBy } from '../domain/kept/discard.ts';
import { isMoving } from '../domain/landing/landing.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import { takenOver } from '../domain/repository/repository-board.ts';
import { currentWave, hasMerged, type RunState } from '../domain/run/run.ts';
import { approval } from './approval.ts';
import { baseChecks } from './check-tree.ts';
import { closure } from './closure.ts';
import { derive } from './derive.ts';
import { dispatch, live } from './dispatch.ts';
import { governor } from './governor.ts';
import { help, overdue } from './help.ts';
import { holds } from './holds.ts';
import { askLand, land, undo } from './land.ts';
import { merge } from './merge.ts';
import { monitor } from './monitor.ts';
import { orchestrator } from './orchestrator.ts';
import { ownership } from './ownership.ts';
import { preflight } from './preflight.ts';
import { effect, fact, isItsTurn, messageSent, type Step, type StepInputs } from './step.ts';
import { thread } from './thread.ts';

/**
 * Returns all steps that follow from the state of a run, phase by phase. The order of phases is defined here only.
 * A fact changes the state, so the engine records the first one and calls this again; effects may run side by side.
 */
export function steps(state: RunState, inputs: StepInputs): readonly Step[] {
  const others = stepsOfRun(state, inputs);
  return [...others, ...orchestrator(state, inputs, others)];
}

/** All steps but those of the resident orchestrator, which decides nothing. */
function stepsOfRun(state: RunState, inputs: StepInputs): readonly Step[] {
  const answers = [...requests(state, inputs), ...dependencies(state, inputs)];
  if (state.ended !== null)
    return answers.length > 0 || state.ended !== 'done' ? answers : [...answers, ...lateLanding(state, inputs)];
  if (state.abandoned !== null) return [...answers, ...abandonment(state)];
  return [
    ...answers,
    ...fromRepository(state, inputs),
    ...governor(state, inputs),
    ...thread(state),
    ...preflight(state),
    ...ownership(state),
    ...approval(state, inputs),
    ...runBranch(state),
    ...baseChecks(state),
    ...monitor(state),
    ...holds(state),
    ...derive(state),
    ...dispatch(state, inputs),
    ...help(state, inputs),
    ...overdue(state, inputs),
    ...closure(state),
    ...merge(state),
    ...land(state, inputs),
  ];
}

/** Records what other runs mean for the dependencies of this one, in any state. */
function dependencies(state: RunState, { linked }: StepInputs): readonly Step[] {
  const next = linkedFact(state, linked?.(state) ?? unknownRuns);
  return next === null ? [] : [fact(next)];
}

/** For a caller that sees this run only: its own landing still settles what it owes. */
const unknownRuns = { stateOf: () => null, requiring: [], branches: [] } as const;

/** Takes over what people wrote on the board of the repository, for all. */
function fromRepository(state: RunState, { repository, now }: StepInputs): readonly Step[] {
  const next = repository === undefined ? null : takenOver(state, repository(), now);
  return next === null ? [] : [fact(next)];
}

/** The merger opens the run once a person has approved it; before that nothing is created. */
function runBranch(state: RunState): readonly Step[] {
  const wave = currentWave(state);
  const approved = wave !== undefined && approvalProof(state, wave.index) !== null;
  if (!approved || state.branch !== null) return [];
  return [effect('open-run', { do: 'ask-merger', request: { do: 'open-run', run: state.run }, answers: null })];
}

/** A run that ended on its own branch can land later, when a person requests it. */
function lateLanding(state: RunState, inputs: StepInputs): readonly Step[] {
  const isApproved = state.taps.land?.status === 'approved' && hasMerged(state);
  const over = ['landed', 'offered', 'undone'].includes(state.landing.status);
  return isApproved && !over ? land(state, inputs) : [];
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

/**
 * Answers people's requests, each exactly once, in one append with its consequences. Requests about one task are answered in the
 * order in which they came, so that none is decided on a state that an earlier one is about to change. So are all undos, because
 * they share the branch. Ends at the first answer: the next request is decided on the state after it, and ten thousand requests
 * must not each be examined ten thousand times.
 */
function requests(state: RunState, inputs: StepInputs): readonly Step[] {
  const busy = new Set<TaskId | null>();
  const found: Step[] = [];
  for (const { seq, request } of state.pending) {
    const subject = request.type === 'requested-undo' ? null : 'task' in request ? request.task : undefined;
    if (subject !== undefined && busy.has(subject)) continue;
    const delivery = notedDelivery(state, seq, request);
    if (delivery !== null) return [...found, fact(delivery, { type: 'request-accepted', request: seq })];
    const decided = answer(state, request, inputs.now);
    if (!decided.ok) return [...found, fact({ type: 'request-refused', request: seq, because: decided.error })];
    if (decided.value !== 'later')
      return [...found, fact(...decided.value, { type: 'request-accepted', request: seq })];
    if (subject !== undefined) busy.add(subject);
    found.push(
      ...byMerger(state, inputs, seq, request),
      ...bySupervisor(state, seq, request),
      ...byDisk(state, seq, request),
      ...byCoordinator(seq, request),
    );
  }
  return found;
}

/** Returns the delivery of a message that the supervisor noted before the request was answered. */
function notedDelivery(state: RunState, seq: number, request: RequestEvent): RunEvent | null {
  if (request.type !== 'requested-send') return null;
  const delivery = state.tasks[request.task]?.deliveries.find((one) => one.request === seq);
  return delivery === undefined ? null : messageSent(delivery.attempt, request);
}

function bySupervisor(state: RunState, seq: number, request: RequestEvent): readonly Step[] {
  if (request.type !== 'requested-send') return [];
  const progress = state.tasks[request.task]?.progress;
  // before the attempt has begun there is no listener
  if (progress?.status !== 'running') return [];
  return [effect(`send ${seq}`, { do: 'send', attempt: progress.attempt, request, number: seq })];
}

function byDisk(state: RunState, seq: number, request: RequestEvent): readonly Step[] {
  if (request.type !== 'requested-discard') return [];
  const kept = discardedBy(state, request.task, request.paths);
  return kept.ok ? [effect(`discard ${seq}`, { do: 'discard', kept: kept.value, request, number: seq })] : [];
}

/** Requests whose answer depends on the other runs of the repository. */
const byCoordinator = (seq: number, request: RequestEvent): readonly Step[] =>
  request.type === 'requested-dependency'
    ? [effect(`dependency ${seq}`, { do: 'add-dependency', request, number: seq })]
    : [];

/** Requests that only the merger can perform. Its answer settles them. */
function byMerger(state: RunState, inputs: StepInputs, seq: number, request: RequestEvent): readonly Step[] {
  const { run } = state;
  if (request.type === 'requested-undo') return isItsTurn(state, inputs) ? undo(state, seq, request.task) : [];
  if (request.type === 'requested-landing-edit') {
    const { from, copy, by } = request;
    const taking = { do: 'take-landing-edit', run, from, copy, by } as const;
    return [effect(`take-landing-edit ${seq}`, { do: 'ask-merger', request: taking, answers: seq })];
  }
  if (request.type === 'requested-edit') {
    const { task, from, copy, by } = request;
    const edited = state.tasks[task];
    if (edited === undefined || isIntegrating(state, edited)) return [];
    const taking = { do: 'take-edit', run, task, from, copy, by } as const;
    return [effect(`take-edit ${seq}`, { do: 'ask-merger', request: taking, answers: seq })];
  }
  if (request.type === 'requested-drop' && request.paths.length > 0) {
    const { task, paths, by } = request;
    // while a task is being integrated, its snapshot stays the one that the round was opened with
    if (state.tasks[task]?.progress.status !== 'held') return [];
    return [
      effect(`drop-paths ${seq}`, {
        do: 'ask-merger',
        request: { do: 'drop-paths', run, task, paths, by },
        answers: seq,
      }),
    ];
  }
  return [];
}
