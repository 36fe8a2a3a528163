import type { TaskId } from '../domain/base/ids.ts';
import { answer, isIntegrating } from '../domain/decide/answer.ts';
import { discardedBy } from '../domain/kept/discard.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import type { RunState } from '../domain/run/run.ts';
import { undo } from './land.ts';
import { effect, fact, isItsTurn, messageSent, type Step, type StepInputs } from './step.ts';

/**
 * People's requests. Each is answered exactly once, in one append with what follows from it; those about one task in the
 * order in which they came, so that none is decided on what an earlier one is about to change; so are undos, of whatever,
 * because they share the branch. Ends at the first answer: the next is decided on the state that it leads to, and ten
 * thousand requests must not each be looked at ten thousand times.
 */
export function requests(state: RunState, given: StepInputs): readonly Step[] {
  const busy = new Set<TaskId | null>();
  const found: Step[] = [];
  for (const { seq, request } of state.pending) {
    const subject = request.type === 'requested-undo' ? null : 'task' in request ? request.task : undefined;
    if (subject !== undefined && busy.has(subject)) continue;
    const heard = heardAlready(state, seq, request);
    if (heard !== null) return [...found, fact(heard, { type: 'request-accepted', request: seq })];
    const decided = answer(state, request);
    if (!decided.ok) return [...found, fact({ type: 'request-refused', request: seq, because: decided.error })];
    if (decided.value !== 'later')
      return [...found, fact(...decided.value, { type: 'request-accepted', request: seq })];
    if (subject !== undefined) busy.add(subject);
    found.push(
      ...byMerger(state, given, seq, request),
      ...bySupervisor(state, seq, request),
      ...byDisk(state, seq, request),
    );
  }
  return found;
}

/** A message of which its supervisor has noted that the agent has it, before anybody could answer the request. */
function heardAlready(state: RunState, seq: number, request: RequestEvent): RunEvent | null {
  if (request.type !== 'requested-send') return null;
  const heard = state.tasks[request.task]?.heard.find((one) => one.request === seq);
  return heard === undefined ? null : messageSent(heard.attempt, request);
}

function bySupervisor(state: RunState, seq: number, request: RequestEvent): readonly Step[] {
  if (request.type !== 'requested-send') return [];
  const progress = state.tasks[request.task]?.progress;
  // not before it has begun: until then nobody listens
  if (progress?.status !== 'running') return [];
  return [effect(`send ${seq}`, { do: 'send', attempt: progress.attempt, request, number: seq })];
}

function byDisk(state: RunState, seq: number, request: RequestEvent): readonly Step[] {
  if (request.type !== 'requested-discard') return [];
  const kept = discardedBy(state, request.task, request.paths);
  return kept.ok ? [effect(`discard ${seq}`, { do: 'discard', kept: kept.value, request, number: seq })] : [];
}

/** Requests that only the merger can perform. Its answer settles them. */
function byMerger(state: RunState, given: StepInputs, seq: number, request: RequestEvent): readonly Step[] {
  const { run } = state;
  if (request.type === 'requested-undo') return isItsTurn(state, given) ? undo(state, seq, request.task) : [];
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
    // while it is being integrated its snapshot stays what the round was opened with
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
