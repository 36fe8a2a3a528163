import { providerOf } from '../domain/agents/provider-pause.ts';
import { attemptId, type TaskId } from '../domain/base/ids.ts';
import { present } from '../domain/base/result.ts';
import { termsVersion } from '../domain/board/board.ts';
import { isOutdatedRole } from '../domain/closure/role-requests.ts';
import { isVoid } from '../domain/derived/derived-tasks.ts';
import { approvalProof } from '../domain/gates/phase.ts';
import { passes } from '../domain/gates/verdict.ts';
import type { Shortage } from '../domain/kept/disk.ts';
import { fingerprintNow } from '../domain/relaunch/fingerprint.ts';
import type { RunState } from '../domain/run/run.ts';
import { isLive, startable } from '../domain/run/schedule.ts';
import { agentOf, liveAttempt, type TaskState, verdictsOf } from '../domain/run/task.ts';
import { obstacleTo, uncheckedOnBase } from '../domain/run/waiting.ts';
import { policy } from '../domain/settings/policy.ts';
import { effect, fact, type Step, type StepInputs } from './step.ts';

/** Phase 3: tasks whose needs are met are launched one by one, each recorded before it happens. */
export function dispatch(state: RunState, inputs: StepInputs): readonly Step[] {
  return [...live(state), ...room(state, inputs), ...starts(state, inputs)];
}

/** Supervises every attempt that is running by the ledger until it ends, also those of an earlier coordinator. */
export function live(state: RunState): readonly Step[] {
  return Object.values(state.tasks).flatMap((task) => {
    const attempt = liveAttempt(task);
    const proof = approvalProof(state, task.wave);
    if (attempt === null || proof === null) return [];
    const supervise = effect(`supervise ${attempt.id}`, { do: 'supervise', task: task.id, attempt, proof });
    const { dispatched } = verdictsOf(task);
    const breached = dispatched !== null && !passes(dispatched);
    const isGivenUp = state.mode.mode === 'stopped' || state.abandoned !== null || isDropped(state, task.id);
    const unwanted = breached || isGivenUp || isOutdatedRole(state, task) || isVoid(state, task.id);
    if (unwanted) return [supervise, effect(`stop ${attempt.id}`, { do: 'stop', attempt })];
    const terms = termsVersion(state);
    return attempt.terms < terms
      ? [supervise, effect(`tell ${attempt.id} ${terms}`, { do: 'tell', task: task.id, attempt, terms })]
      : [supervise];
  });
}

const isDropped = (state: RunState, id: TaskId): boolean =>
  state.pending.some(
    ({ request }) => request.type === 'requested-drop' && request.task === id && request.paths.length === 0,
  );

/** Records when a shortage prevents a start, when its reason changes, and when it is over. */
function room(state: RunState, { shortage = null }: StepInputs): readonly Step[] {
  const isWanted = state.mode.mode === 'active' && state.branch !== null && startable(state).length > 0;
  const found = isWanted ? shortage : null;
  if (reasonOf(found) === reasonOf(state.shortage)) return [];
  return [fact(found === null ? { type: 'starts-allowed' } : { type: 'starts-suspended', ...found })];
}

/** The part of a shortage that matters to a person. The number of missing bytes changes all the time. */
function reasonOf(shortage: Shortage | null): string | null {
  if (shortage === null) return null;
  const { because } = shortage;
  const largest = 'largest' in because ? because.largest : undefined;
  return `${because.rule} ${largest === undefined ? '' : `${largest.run}/${largest.task} ${largest.path}`}`;
}

/** Returns the tasks that would start now if there were a place for each, as many as the run itself allows. */
export function waitingForPlace(state: RunState): readonly TaskState[] {
  if (!mayStart(state)) return [];
  const running = Object.values(state.tasks).filter(isLive);
  const most = state.plan.limits.parallel - running.length;
  const taken: TaskState[] = [];
  for (const task of startable(state)) {
    if (taken.length >= most) break;
    if (obstacleTo(state, task, [...running, ...taken]) === null) taken.push(task);
  }
  return taken;
}

const mayStart = (state: RunState): boolean =>
  state.ended === null &&
  state.abandoned === null &&
  state.shortage === null &&
  state.mode.mode === 'active' &&
  state.branch !== null &&
  uncheckedOnBase(state) === null;

function starts(state: RunState, inputs: StepInputs): readonly Step[] {
  if (!mayStart(state)) return [];
  const running = Object.values(state.tasks).filter(isLive);
  const launching = running.filter((task) => task.progress.status === 'launching').length;
  const own = Math.min(state.plan.limits.parallel - running.length, policy.launching - launching);
  const candidates = startable(state).filter((task) => obstacleTo(state, task, running) === null);
  const slots = candidates.length === 0 ? 0 : Math.min(own, inputs.places?.(state) ?? own);
  // One ahead even without a free slot: the next task then need not wait for the merger.
  const missing = candidates.slice(0, Math.max(slots, 1)).filter((task) => task.base === null);
  const first = candidates.find((task) => task.base !== null);
  const newBases = missing.map((task) =>
    effect(`base ${task.id}`, {
      do: 'ask-merger',
      request: { do: 'make-task-base', run: state.run, task: task.id },
      answers: null,
    }),
  );
  if (first === undefined || slots <= 0) return newBases;
  return [intend(state, first, inputs), ...newBases];
}

function intend(state: RunState, task: TaskState, inputs: StepInputs): Step {
  const { progress, base } = task;
  if (progress.status !== 'waiting' || base === null) throw new Error(`${task.id} is not startable`);
  const number = task.launches + 1;
  const { from, session } = progress.next;
  return fact({
    type: 'attempt-intended',
    task: task.id,
    attempt: attemptId(state.run, task.id, number),
    number,
    nonce: inputs.nonce(),
    base,
    from: from === 'base' ? base : from,
    agent: agentOf(task),
    provider: providerOf(task),
    ...(session === null ? {} : { session }),
    terms: termsVersion(state),
    ...present({ fingerprint: fingerprintNow(state, state.plan, task.id) ?? undefined }),
  });
}
