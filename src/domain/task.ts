import { addUsage, noUsage, type Trouble, type Usage } from './agent-event.ts';
import type { By, RunEvent } from './events.ts';
import type { Handoff, MonitorEvidence, SnapshotEvidence } from './evidence.ts';
import type { Finding } from './findings/finding.ts';
import type { AttemptId, CommitId, TaskId, TreeId } from './ids.ts';
import type { PlannedTask } from './plan.ts';
import { noted, type PathRequest, withNote } from './task-notes.ts';
import { findingsIn, type Verdict } from './verdict.ts';

/**
 *   waiting ──▶ launching ──▶ running ──▶ ended ──┬──▶ ready ──▶ merged
 *      ▲                                          ├──▶ done      (read-only: its handoff is its result)
 *      │   another attempt, retry, rework         ├──▶ held      (a person grants, drops or retries)
 *      └──────────────────────────────────────────┴──▶ failed    (no attempt left)
 *   from every state but merged: dropped, by a person and by name
 */
export type TaskProgress =
  | { readonly status: 'waiting'; readonly next: NextStart; readonly last: EndedAttempt | null }
  | { readonly status: 'launching'; readonly attempt: LiveAttempt; readonly last: EndedAttempt | null }
  | {
      readonly status: 'running';
      readonly attempt: LiveAttempt;
      readonly pid: number;
      readonly last: EndedAttempt | null;
    }
  | { readonly status: 'ended'; readonly attempt: EndedAttempt; readonly snapshot: SnapshotEvidence | null }
  | { readonly status: 'ready'; readonly attempt: EndedAttempt; readonly snapshot: SnapshotEvidence }
  | { readonly status: 'done'; readonly attempt: EndedAttempt; readonly snapshot: SnapshotEvidence }
  | {
      readonly status: 'held';
      readonly hold: Hold;
      readonly attempt: EndedAttempt;
      readonly snapshot: SnapshotEvidence;
    }
  | { readonly status: 'failed'; readonly attempt: EndedAttempt; readonly snapshot: SnapshotEvidence | null }
  | {
      readonly status: 'merged';
      readonly commit: CommitId;
      readonly attempt: EndedAttempt;
      readonly snapshot: SnapshotEvidence;
    }
  | { readonly status: 'dropped'; readonly by: By; readonly last: EndedAttempt | null };

/** What the next attempt starts with. */
export type NextStart = {
  readonly from: CommitId | 'base';
  /** What a person says is to be changed; null when nobody asked for a rework. */
  readonly message: string | null;
  readonly findings: readonly Finding[];
  /** A launch failed, so the wave waits for `resume` instead of trying again by itself. */
  readonly halt: Finding | null;
  readonly session: AgentSession | null;
  /** Why the provider of its agent has to be left alone for a while. */
  readonly trouble: ProviderTrouble | null;
  /** Null: nothing came before that its agent has to know of. */
  readonly after: Aftermath | null;
};

export type ProviderTrouble = { readonly provider: string; readonly trouble: Trouble };

/** Why there is another attempt, as far as its agent has to know. */
export type Aftermath =
  /** Out of time or turns: what is there is to be finished. */
  | 'ran-out'
  | 'spiral'
  /** A person lets a task that left its scope begin again. */
  | 'strayed'
  /** Nobody's fault. */
  | 'interrupted'
  /** A person says what to fix. */
  | 'rework'
  /** Its end or its work was not accepted. */
  | 'rejected';

/** One launch, as it was intended. */
export type Attempt = {
  readonly id: AttemptId;
  readonly number: number;
  readonly nonce: string;
  readonly base: CommitId;
  readonly from: CommitId;
  /** The agent that was chosen, out of the task's chain. */
  readonly agent: string;
  /** Of the agent's models; empty for programs that need none. */
  readonly provider: string;
  /** A session of the agent's own that this attempt goes on with. */
  readonly session: AgentSession | null;
} & Pick<NextStart, 'message' | 'findings' | 'after'>;

export type LiveAttempt = Attempt & {
  readonly dispatched: readonly Verdict[] | null;
  /** As far as its agent has reported. */
  readonly usage: Usage;
  /** Paths that its agent asked for and has not got. */
  readonly requested: readonly PathRequest[];
  /** Grants, raises and records of the run that its supervisor knows, counted. */
  readonly terms: number;
  /** Number of its last note, so that none is recorded twice. */
  readonly noted: number;
};

export type EndedAttempt = Attempt &
  Pick<MonitorEvidence, 'ending' | 'handoff' | 'drafted'> & {
    /** Of agents that speak a protocol. */
    readonly report?: NonNullable<MonitorEvidence['agent']>;
    readonly dispatched: readonly Verdict[] | null;
    /** Null until its gates have judged it, or are to judge it again. */
    readonly monitored: readonly Verdict[] | null;
    /** Seconds that the machine slept meanwhile. */
    readonly slept: number;
    /** Paths that people took out of its snapshot. */
    readonly takenOut: readonly string[];
  };

/** `job`: the attempt that began the session, where the agent's own files of it are. */
export type AgentSession = { readonly id: string; readonly job: AttemptId; readonly usage: Usage };

export type Hold =
  | { readonly because: 'gate'; readonly verdicts: readonly Verdict[] }
  | { readonly because: 'conflict'; readonly files: readonly string[] }
  /** `tree` is the one that it failed on. */
  | { readonly because: 'check'; readonly check: string; readonly tree: TreeId }
  /** A task that this one stands on is held. */
  | { readonly because: 'needs'; readonly task: TaskId };

export type TaskState = {
  readonly id: TaskId;
  readonly wave: number;
  readonly readOnly: boolean;
  readonly base: CommitId | null;
  /** All launches: numbers the attempts. */
  readonly launches: number;
  /** Attempts that count against `limits.attempts`. */
  readonly charged: number;
  /** Launches in a row that cost the task nothing; bounded, so that nothing spins for free. */
  readonly free: number;
  /** Attempts that ended in a spiral. A second one is for a person. */
  readonly spirals: number;
  /** Whose turn it is: one of the task's chain. */
  readonly turn: string;
  /** The agent that a person chose instead of the plan's. */
  readonly chosen: string | null;
  /** The agent's own, of the last attempt that had one. */
  readonly session: AgentSession | null;
  /** By all attempts that have ended together, as far as they reported. */
  readonly used: Usage;
  /** Dollars that people added to the limit. */
  readonly raised: number;
  /** The limit that people were warned about. */
  readonly warned: number | null;
  /** Requests whose message reached an agent. */
  readonly heard: readonly { readonly request: number; readonly attempt: AttemptId }[];
  readonly granted: readonly string[];
  readonly progress: TaskProgress;
};

export const plannedTask = (task: PlannedTask, wave: number): TaskState => ({
  id: task.id,
  wave,
  readOnly: task.owns?.length === 0,
  base: null,
  launches: 0,
  charged: 0,
  free: 0,
  spirals: 0,
  turn: task.agent[0] ?? '',
  chosen: null,
  session: null,
  used: noUsage,
  raised: 0,
  warned: null,
  heard: [],
  granted: [],
  progress: { status: 'waiting', next: fresh, last: null },
});

export const fresh: NextStart = {
  from: 'base',
  message: null,
  findings: [],
  halt: null,
  session: null,
  trouble: null,
  after: null,
};

/** What did happen. Total: an event in the ledger is a fact and is never refused. Decides nothing: it only records. */
export function evolveTask(state: TaskState, event: RunEvent): TaskState {
  switch (event.type) {
    case 'task-base-made':
      return { ...state, base: event.commit };
    case 'task-base-refused':
      return withNext(state, (next) => ({ ...next, halt: event.because }));
    case 'attempt-intended': {
      const { attempt: id, number, nonce, base, from, agent, provider, terms, session = null } = event;
      const { message, findings, after } = state.progress.status === 'waiting' ? state.progress.next : fresh;
      const attempt = { id, number, nonce, base, from, agent, provider, session, message, findings, after };
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
      return { ...state, progress: { ...progress, status: 'running', pid: event.pid } };
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
    case 'task-dropped':
      return { ...state, progress: { status: 'dropped', by: event.by, last: endedAttempt(state) } };
    case 'task-retried': {
      const { findings = [], after = null } = event;
      return {
        ...state,
        ...uncharged,
        base: null,
        session: null,
        progress: { status: 'waiting', next: { ...fresh, findings, after }, last: endedAttempt(state) },
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
      const merged = event.tasks.find((task) => task.task === state.id);
      const snapshot = snapshotOf(state);
      const attempt = endedAttempt(state);
      if (merged === undefined || snapshot === null || attempt === null) return state;
      return { ...state, progress: { status: 'merged', commit: merged.commit, attempt, snapshot } };
    }
    default:
      return state;
  }
}

const uncharged = { charged: 0, free: 0, spirals: 0 } as const;

function ended(state: TaskState, event: RunEvent & { readonly type: 'attempt-ended' }): TaskState {
  const live = liveAttempt(state);
  if (live === null) return state;
  const { ending, handoff, snapshot, agent, drafted, sleptSeconds = 0 } = event;
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

const withNext = (state: TaskState, change: (next: NextStart) => NextStart): TaskState =>
  state.progress.status === 'waiting'
    ? { ...state, progress: { ...state.progress, next: change(state.progress.next) } }
    : state;

const withLive = (state: TaskState, change: (attempt: LiveAttempt) => LiveAttempt): TaskState =>
  state.progress.status === 'launching' || state.progress.status === 'running'
    ? { ...state, progress: { ...state.progress, attempt: change(state.progress.attempt) } }
    : state;

// ── questions that several phases ask ──────────────────────────────────────────────────────────────────

export const attemptOf = ({ progress }: TaskState): Attempt | null => ('attempt' in progress ? progress.attempt : null);

/** Null unless its agent is at work. */
export const liveAttempt = ({ progress }: TaskState): LiveAttempt | null =>
  progress.status === 'launching' || progress.status === 'running' ? progress.attempt : null;

/** The last attempt that has ended, if one has. */
export const endedAttempt = ({ progress }: TaskState): EndedAttempt | null =>
  'last' in progress ? progress.last : progress.attempt;

/** The last statement of its agents; null when there is none. */
export function handoffOf(task: TaskState): Handoff | null {
  const left = endedAttempt(task)?.handoff;
  return left?.kind === 'given' ? left.handoff : null;
}

/** What the gates said of the attempt under way, or else of the last one. */
export function verdictsOf(task: TaskState): Pick<EndedAttempt, 'dispatched' | 'monitored'> {
  const live = liveAttempt(task);
  if (live !== null) return { dispatched: live.dispatched, monitored: null };
  const { dispatched = null, monitored = null } = endedAttempt(task) ?? {};
  return { dispatched, monitored };
}

export const snapshotOf = ({ progress }: TaskState): SnapshotEvidence | null =>
  'snapshot' in progress ? progress.snapshot : null;

/** What its gates read. */
export function evidenceOf({ attempt, snapshot }: TaskProgress & { readonly status: 'ended' }): MonitorEvidence {
  const { id, nonce, ending, handoff, report, drafted } = attempt;
  return {
    attempt: id,
    nonce,
    ending,
    handoff,
    ...(report === undefined ? {} : { agent: report }),
    ...(drafted === undefined ? {} : { drafted }),
    snapshot,
  };
}

/** Who does the task: the one whose turn it is, unless a person chose another. */
export const agentOf = ({ chosen, turn }: TaskState): string => chosen ?? turn;

/** By all attempts, the one under way included as far as its agent has reported. */
export function usageOf(task: TaskState): Usage {
  const live = liveAttempt(task);
  return live === null ? task.used : addUsage(task.used, live.usage);
}

/** A launch failed, and nobody has said `resume` since. */
export const isHalted = ({ progress }: TaskState): boolean =>
  progress.status === 'waiting' && progress.next.halt !== null;

/** Nothing more will happen to it unless a person asks. */
export const isSettled = (state: TaskState): boolean =>
  ['ready', 'done', 'held', 'failed', 'merged', 'dropped'].includes(state.progress.status);

/** Lets a wave close. */
export const isResolved = (state: TaskState): boolean => ['merged', 'done', 'dropped'].includes(state.progress.status);
