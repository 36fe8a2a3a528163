import type { AgentNote } from '../agents/agent-note.ts';
import { present } from '../base/result.ts';
import { findingsIn } from '../gates/verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { addUsage, noUsage } from '../tool-calls/agent-event.ts';
import {
  type AgentSession,
  type EndedAttempt,
  endedAttempt,
  fresh,
  type Hold,
  type LiveAttempt,
  liveAttempt,
  type NextStart,
  snapshotOf,
  type TaskState,
} from './task.ts';

/** Applies an event to a task. Total: an event in the ledger is a fact and is never refused. Decides nothing. */
export function evolveTask(state: TaskState, event: RunEvent): TaskState {
  switch (event.type) {
    case 'task-base-made':
      return {
        ...state,
        base: event.commit,
        ...(event.of === undefined ? {} : { made: { tree: event.tree, of: event.of } }),
      };
    case 'task-base-refused':
      return withNext(state, (next) => ({ ...next, halt: event.because }));
    case 'attempt-intended': {
      const { attempt: id, number, nonce, base, from, agent, provider, terms, session = null, fingerprint } = event;
      const { message, findings, after } = state.progress.status === 'waiting' ? state.progress.next : fresh;
      const attempt = {
        id,
        number,
        nonce,
        base,
        from,
        agent,
        provider,
        session,
        ...present({ fingerprint }),
        message,
        findings,
        after,
      };
      return {
        ...state,
        launches: number,
        progress: {
          status: 'launching',
          attempt: { ...attempt, dispatched: null, usage: noUsage, requested: [], terms, noted: 0 },
          last: endedAttempt(state),
        },
      };
    }
    case 'attempt-started': {
      const { progress } = state;
      if (progress.status !== 'launching' && progress.status !== 'running') return state;
      return {
        ...state,
        progress: { ...progress, status: 'running', pid: event.pid, ...present({ since: event.at }) },
      };
    }
    case 'attempt-noted':
      return withLive(withNote(state, event.note), (attempt) => ({
        ...attempt,
        noted: event.number,
        ...noted(attempt, event.note),
      }));
    case 'attempt-told':
      return withLive(state, (attempt) => ({ ...attempt, terms: event.terms }));
    case 'agent-chosen':
      return withNext({ ...state, chosen: event.agent, session: null, ...uncharged }, (next) => ({
        ...next,
        halt: null,
        session: null,
        trouble: null,
      }));
    case 'budget-raised':
      return { ...state, free: 0, raised: state.raised + (event.task === state.id ? event.usd : 0) };
    case 'budget-near':
      return { ...state, warned: event.limit };
    case 'attempt-ended':
      return ended(state, event);
    case 'phase-judged':
      if (event.phase === 'dispatch') return withLive(state, (attempt) => ({ ...attempt, dispatched: event.verdicts }));
      if (event.phase === 'monitor' && state.progress.status === 'ended')
        return {
          ...state,
          progress: { ...state.progress, attempt: { ...state.progress.attempt, monitored: event.verdicts } },
        };
      return state;
    case 'attempt-settled':
      return settled(state, event);
    case 'task-granted':
      return withLive({ ...unjudged(state), granted: [...state.granted, ...event.paths] }, (attempt) => ({
        ...attempt,
        requested: attempt.requested.filter(({ path }) => !event.meets.includes(path)),
      }));
    case 'paths-dropped':
      return unjudged(state, event);
    case 'sides-compared': {
      const { progress } = state;
      const { snapshot, markers, gone } = event;
      if (progress.status !== 'ended') return state;
      return {
        ...state,
        progress: { ...progress, attempt: { ...progress.attempt, sides: { snapshot, markers, gone } } },
      };
    }
    case 'barrier-resolved':
      return unjudged(state);
    case 'task-accepted':
    case 'task-edited':
      return taken(state, event);
    case 'task-dropped':
      return { ...state, progress: { status: 'dropped', by: event.by, last: endedAttempt(state) } };
    case 'task-retried': {
      const { findings = [], after = null } = event;
      return startedOver(state, { ...fresh, findings, after });
    }
    case 'wave-relaunched':
      return relaunched(state, event);
    case 'task-continued': {
      const { from, charged, findings, components: continues, after = 'interrupted' } = event;
      const next: NextStart = { ...fresh, from, findings, after, continues };
      return { ...state, charged, free: 0, progress: { status: 'waiting', next, last: endedAttempt(state) } };
    }
    case 'role-opened': {
      const { round, commit, tree, landing, message = null, from = 'base' } = event;
      const next: NextStart = { ...fresh, from, message, after: message === null ? null : 'rework' };
      const progress = { status: 'waiting', next, last: endedAttempt(state) } as const;
      return {
        ...state,
        ...uncharged,
        base: commit,
        session: null,
        about: { round, commit, tree, ...present({ landing }) },
        progress,
      };
    }
    case 'task-reworked': {
      const { from, message, findings = [] } = event;
      const next: NextStart = { ...fresh, from, message, findings, session: state.session, after: 'rework' };
      return { ...state, ...uncharged, progress: { status: 'waiting', next, last: endedAttempt(state) } };
    }
    case 'provider-resumed':
      return withNext(state, (next) => (next.trouble?.provider === event.provider ? { ...next, trouble: null } : next));
    case 'run-resumed': {
      const isHalted = state.progress.status === 'waiting' && state.progress.next.halt !== null;
      return withNext({ ...state, free: isHalted ? 0 : state.free }, (next) => ({
        ...next,
        halt: null,
        trouble: null,
      }));
    }
    case 'task-held':
      return 'snapshot' in state.progress && (state.progress.status === 'ready' || state.progress.status === 'held')
        ? { ...state, progress: { ...state.progress, status: 'held', hold: event.hold } }
        : state;
    case 'task-released': {
      const { progress } = state;
      if (progress.status !== 'held') return state;
      const { attempt, snapshot } = progress;
      return { ...state, progress: { status: 'ready', attempt, snapshot } };
    }
    case 'merged': {
      const merged = event.tasks.find(({ task, by }) => task === state.id || by === state.id);
      const snapshot = snapshotOf(state);
      const attempt = endedAttempt(state);
      if (merged === undefined || snapshot === null || attempt === null) return state;
      // the commit is that of the task that it stands for
      if (merged.by === state.id) return { ...state, progress: { status: 'done', attempt, snapshot } };
      const { commit, by } = merged;
      return { ...state, progress: { status: 'merged', commit, ...present({ through: by }), attempt, snapshot } };
    }
    default:
      return state;
  }
}

const uncharged = { charged: 0, free: 0, spirals: 0 } as const;

const startedOver = (state: TaskState, next: NextStart): TaskState => ({
  ...state,
  ...uncharged,
  base: null,
  session: null,
  progress: { status: 'waiting', next, last: endedAttempt(state) },
});

/** Starts over, is judged again, or is left as it is. The report of a closure role that runs again is forgotten. */
function relaunched(state: TaskState, event: RunEvent & { readonly type: 'wave-relaunched' }): TaskState {
  const start = event.starts.find(({ task }) => task === state.id);
  if (start !== undefined) {
    const { findings = [], after = null } = start;
    return startedOver(state, { ...fresh, findings, after, relaunched: event.by.who });
  }
  if (event.roles.includes(state.id)) {
    const { about: _, ...role } = startedOver(state, { ...fresh, relaunched: event.by.who });
    return role;
  }
  const { progress } = state;
  const isReused = event.reuses.some(({ task }) => task === state.id);
  if (!isReused || (progress.status !== 'ready' && progress.status !== 'done')) return state;
  const { attempt, snapshot } = progress;
  return { ...state, progress: { status: 'ended', attempt: { ...attempt, monitored: null }, snapshot } };
}

function ended(state: TaskState, event: RunEvent & { readonly type: 'attempt-ended' }): TaskState {
  const live = liveAttempt(state);
  if (live === null) return state;
  const { ending, handoff, snapshot, snapshotProblem, agent, drafted, sleptSeconds = 0 } = event;
  const { usage: reported, requested: _, terms: __, noted: ___, ...attempt } = live;
  const usage = agent?.usage ?? reported;
  const session = state.session === null ? null : { ...state.session, usage: addUsage(state.session.usage, usage) };
  return {
    ...state,
    session,
    used: addUsage(state.used, usage),
    progress: {
      status: 'ended',
      attempt: {
        ...attempt,
        ending,
        handoff,
        ...(snapshotProblem === null ? {} : { snapshotProblem }),
        ...(agent === undefined ? {} : { report: { outcome: agent.outcome, trouble: agent.trouble } }),
        ...(drafted === undefined ? {} : { drafted }),
        monitored: null,
        slept: sleptSeconds,
        takenOut: [],
      },
      snapshot,
    },
  };
}

function settled(state: TaskState, event: RunEvent & { readonly type: 'attempt-settled' }): TaskState {
  const { progress } = state;
  if (progress.status !== 'ended') return state;
  const { charged, free, spirals, turn, decision } = event;
  const counted = { ...state, charged, free, spirals, turn };
  const { attempt, snapshot } = progress;
  switch (decision.becomes) {
    case 'ready':
    case 'done':
      return snapshot === null ? counted : { ...counted, progress: { status: decision.becomes, attempt, snapshot } };
    case 'held':
      return snapshot === null
        ? counted
        : { ...counted, progress: { status: 'held', hold: heldByGates(attempt), attempt, snapshot } };
    case 'failed':
      return { ...counted, progress: { status: 'failed', attempt, snapshot } };
    case 'waiting': {
      const { from, halt, session, trouble, after } = decision;
      const next: NextStart = {
        from,
        message: null,
        findings: findingsIn([...(attempt.dispatched ?? []), ...(attempt.monitored ?? [])]),
        halt,
        session: session ? state.session : null,
        trouble,
        after,
      };
      return { ...counted, progress: { status: 'waiting', next, last: attempt } };
    }
  }
}

const heldByGates = ({ monitored }: EndedAttempt): Hold => ({ because: 'gate', verdicts: monitored ?? [] });

/** Back to `ended`, so that the same snapshot is gated again; no new attempt, no tokens spent. */
function unjudged(state: TaskState, dropped?: RunEvent & { readonly type: 'paths-dropped' }): TaskState {
  const { progress } = state;
  if (progress.status !== 'held') return state;
  const takenOut = [...progress.attempt.takenOut, ...(dropped?.paths ?? [])];
  const attempt = { ...progress.attempt, monitored: null, takenOut };
  return { ...state, progress: { status: 'ended', attempt, snapshot: dropped?.snapshot ?? progress.snapshot } };
}

/** The same for a snapshot that a person took: as it is, or as they changed it. */
function taken(state: TaskState, event: RunEvent & { readonly type: 'task-accepted' | 'task-edited' }): TaskState {
  const { progress } = state;
  if (progress.status !== 'held' && progress.status !== 'failed' && progress.status !== 'ready') return state;
  const { who } = event.by;
  const acceptance =
    event.type === 'task-edited'
      ? { snapshot: event.snapshot.commit, who, edited: event.paths, copy: event.copy }
      : { snapshot: event.snapshot, who, edited: progress.attempt.acceptance?.edited ?? [] };
  const snapshot = event.type === 'task-edited' ? event.snapshot : progress.snapshot;
  const attempt = { ...progress.attempt, monitored: null, acceptance };
  return { ...state, progress: { status: 'ended', attempt, snapshot } };
}

const withNext = (state: TaskState, change: (next: NextStart) => NextStart): TaskState =>
  state.progress.status === 'waiting'
    ? { ...state, progress: { ...state.progress, next: change(state.progress.next) } }
    : state;

const withLive = (state: TaskState, change: (attempt: LiveAttempt) => LiveAttempt): TaskState =>
  state.progress.status === 'launching' || state.progress.status === 'running'
    ? { ...state, progress: { ...state.progress, attempt: change(state.progress.attempt) } }
    : state;

/** A path outside of its scope that an agent requested, with its reason in its own words. */
export type PathRequest = { readonly path: string; readonly why: string };

/** The changes that a note makes to the attempt under way. */
function noted(attempt: LiveAttempt, note: AgentNote): Partial<LiveAttempt> {
  switch (note.note) {
    case 'usage':
      return { usage: note.usage };
    case 'asked': {
      const fresh = note.paths.filter((path) => !attempt.requested.some((request) => request.path === path));
      return { requested: [...attempt.requested, ...fresh.map((path) => ({ path, why: note.why }))] };
    }
    default:
      return {};
  }
}

/** Applies a note to the rest of the task. */
function withNote(state: TaskState, note: AgentNote): TaskState {
  const attempt = liveAttempt(state);
  if (attempt === null) return state;
  switch (note.note) {
    case 'started':
      return { ...state, session: sessionAfter(state, attempt, note.session) };
    case 'heard':
      return { ...state, deliveries: [...state.deliveries, { request: note.request, attempt: attempt.id }] };
    default:
      return state;
  }
}

function sessionAfter(state: TaskState, attempt: LiveAttempt, session: string | null): AgentSession | null {
  if (session === null) return state.session;
  if (attempt.session?.id === session) return attempt.session;
  return { id: session, job: attempt.id, usage: noUsage };
}
