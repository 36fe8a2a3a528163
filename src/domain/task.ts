import { addUsage, noUsage, type Trouble, type Usage } from './agent-event.ts';
import { grantPattern } from './claims.ts';
import type { By, RunEvent } from './events.ts';
import type { MonitorEvidence, SnapshotEvidence } from './evidence.ts';
import type { Finding } from './findings/finding.ts';
import type { AttemptId, CommitId, TaskId, TreeId } from './ids.ts';
import { matches } from './pattern.ts';
import type { PlannedTask } from './plan.ts';
import { providerOf } from './provider.ts';
import { type Aftermath, strayedFindings } from './recovery.ts';
import { settleAttempt } from './settle-attempt.ts';
import { type Asked, noted } from './task-notes.ts';
import type { Verdict } from './verdict.ts';

/**
 *   waiting ──▶ launching ──▶ running ──▶ ended ──┬──▶ ready ──▶ merged
 *      ▲                                          ├──▶ done      (read-only: its handoff is its result)
 *      │   another attempt, retry, rework         ├──▶ held      (a person grants, drops or retries)
 *      └──────────────────────────────────────────┴──▶ failed    (no attempt left)
 *   from every state but merged: dropped, by a person and by name
 */
export type TaskProgress =
  | { readonly status: 'waiting'; readonly next: NextStart }
  | { readonly status: 'launching'; readonly attempt: Attempt }
  | { readonly status: 'running'; readonly attempt: Attempt; readonly pid: number }
  | { readonly status: 'ended'; readonly attempt: Attempt; readonly evidence: MonitorEvidence }
  | { readonly status: 'ready'; readonly attempt: Attempt; readonly snapshot: SnapshotEvidence }
  | { readonly status: 'done'; readonly attempt: Attempt; readonly snapshot: SnapshotEvidence }
  | { readonly status: 'held'; readonly hold: Hold; readonly attempt: Attempt; readonly snapshot: SnapshotEvidence }
  | {
      readonly status: 'failed';
      readonly why: string;
      readonly attempt: Attempt;
      readonly snapshot: SnapshotEvidence | null;
    }
  | { readonly status: 'merged'; readonly commit: CommitId; readonly snapshot: SnapshotEvidence }
  | { readonly status: 'dropped'; readonly by: By };

/** `halt`: a launch failed, so the wave waits for `resume` instead of trying again by itself. */
export type NextStart = {
  readonly from: CommitId | 'base';
  readonly findings: readonly string[];
  readonly halt: Finding | null;
  readonly session: AgentSession | null;
  /** Why the provider of its agent has to be left alone for a while. */
  readonly trouble: Trouble | null;
  /** Null: nothing came before that it has to know of. */
  readonly after: Aftermath | null;
};

export type Attempt = {
  /** The agent that was chosen, out of the task's chain. */
  readonly agent: string;
  /** A session of the agent's own that this attempt goes on with. */
  readonly session: AgentSession | null;
  readonly id: AttemptId;
  readonly number: number;
  readonly nonce: string;
  readonly base: CommitId;
  readonly from: CommitId;
};

/** `job`: the attempt that began the session, where the agent's own files of it are. */
export type AgentSession = { readonly id: string; readonly job: AttemptId; readonly usage: Usage };

export type Hold =
  | { readonly because: 'gate'; readonly verdicts: readonly Verdict[] }
  | { readonly because: 'conflict'; readonly files: readonly string[] }
  /** `tree` is the one that it failed on; ledgers before there was one do not say. */
  | { readonly because: 'check'; readonly check: string; readonly tree?: TreeId }
  /** A task that this one stands on was held after this one was ready. */
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
  /** Which of the task's agents is its turn. */
  readonly agent: number;
  /** The agent's own, of the last attempt that had one. */
  readonly session: AgentSession | null;
  /** By all attempts together, as far as they told. */
  readonly used: Usage;
  /** By the attempt under way, as far as it told. */
  readonly now: Usage;
  /** Dollars that people added to the limit. */
  readonly raised: number;
  /** The limit whose end people were told to be near. */
  readonly warned: number | null;
  /** The agent that a person chose instead of the plan's. */
  readonly chosen: string | null;
  /** Paths that the agent under way asked for and has not got. */
  readonly asked: readonly Asked[];
  /** Requests whose message reached an agent. */
  readonly heard: readonly { readonly request: number; readonly attempt: AttemptId }[];
  /** Grants and raises of the run that the supervisor of the attempt under way knows. */
  readonly told: number;
  readonly granted: readonly string[];
  /** Paths that people took out of the last attempt's snapshot. */
  readonly takenOut: readonly string[];
  /** Number of the last note of the attempt under way, so that none is recorded twice. */
  readonly noted: number;
  readonly dispatched: readonly Verdict[] | null;
  readonly monitored: readonly Verdict[] | null;
  /** Seconds that the machine slept during the last attempt that ended. */
  readonly slept: number;
  readonly last: Pick<MonitorEvidence, 'ending' | 'handoff' | 'agent' | 'drafted'> | null;
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
  agent: 0,
  session: null,
  used: noUsage,
  ...idle,
  raised: 0,
  warned: null,
  chosen: null,
  heard: [],
  told: 0,
  granted: [],
  takenOut: [],
  noted: 0,
  dispatched: null,
  monitored: null,
  slept: 0,
  last: null,
  progress: { status: 'waiting', next: fresh },
});

/** Of the attempt under way, when there is none. */
const idle = { now: noUsage, asked: [] } as const;

const fresh: NextStart = { from: 'base', findings: [], halt: null, session: null, trouble: null, after: null };

/** What did happen. Total: an event in the ledger is a fact and is never refused. */
export function evolveTask(state: TaskState, event: RunEvent, limits: TaskLimits): TaskState {
  switch (event.type) {
    case 'task-base-made':
      return { ...state, base: event.commit };
    case 'task-base-refused':
      if (state.progress.status !== 'waiting') return state;
      return { ...state, progress: { status: 'waiting', next: { ...state.progress.next, halt: event.because } } };
    case 'attempt-intended': {
      const attempt = {
        id: event.attempt,
        number: event.number,
        nonce: event.nonce,
        base: event.base,
        from: event.from,
        agent: event.agent ?? 'command',
        session: event.session ?? null,
      };
      return {
        ...state,
        ...idle,
        launches: event.number,
        told: limits.terms,
        takenOut: [],
        noted: 0,
        dispatched: null,
        monitored: null,
        progress: { status: 'launching', attempt },
      };
    }
    case 'attempt-started': {
      const attempt = attemptOf(state);
      return attempt === null ? state : { ...state, progress: { status: 'running', attempt, pid: event.pid } };
    }
    case 'attempt-noted':
      return { ...state, noted: event.number, ...noted(state, event.note, attemptOf(state)) };
    case 'attempt-told':
      return { ...state, told: event.terms };
    case 'agent-chosen': {
      const { progress } = state;
      const next = { ...state, chosen: event.agent, session: null, ...anew };
      if (progress.status !== 'waiting') return next;
      const again = { ...progress.next, halt: null, session: null, trouble: null };
      return { ...next, progress: { status: 'waiting', next: again } };
    }
    case 'budget-raised':
      return { ...state, free: 0, raised: state.raised + (event.task === state.id ? event.usd : 0) };
    case 'budget-near':
      return { ...state, warned: event.limit };
    case 'attempt-ended': {
      const attempt = attemptOf(state);
      if (attempt === null) return state;
      const { ending, handoff, snapshot, agent, drafted } = event;
      const said = agent === undefined ? {} : { agent: { outcome: agent.outcome, trouble: agent.trouble } };
      const last = { ending, handoff, ...said, ...(drafted === undefined ? {} : { drafted }) };
      const evidence = { attempt: attempt.id, nonce: attempt.nonce, ...last, snapshot };
      const usage = agent?.usage ?? state.now;
      const session = state.session === null ? null : { ...state.session, usage: addUsage(state.session.usage, usage) };
      return {
        ...state,
        ...idle,
        slept: event.sleptSeconds ?? 0,
        last,
        session,
        used: addUsage(state.used, usage),
        progress: { status: 'ended', attempt, evidence },
      };
    }
    case 'phase-judged':
      if (event.phase === 'dispatch') return { ...state, dispatched: event.verdicts };
      if (event.phase === 'monitor')
        return settleAttempt(state, attemptOf(state), event.evidence, event.verdicts, limits);
      return state;
    case 'task-granted':
      return {
        ...rejudge(state),
        granted: [...state.granted, ...event.paths],
        asked: state.asked.filter(
          ({ path }) => !event.paths.some((granted) => granted === path || matches(grantPattern(granted), path)),
        ),
      };
    case 'paths-dropped':
      return { ...rejudge(state, event.snapshot), takenOut: [...state.takenOut, ...event.paths] };
    case 'task-dropped':
      return { ...state, progress: { status: 'dropped', by: event.by } };
    case 'task-retried': {
      const findings = strayedFindings(state.progress);
      const next: NextStart = { ...fresh, findings, after: findings.length === 0 ? null : 'strayed' };
      return { ...state, ...anew, base: null, session: null, progress: { status: 'waiting', next } };
    }
    case 'task-reworked': {
      const from = snapshotOf(state)?.commit ?? 'base';
      const findings = [event.message, ...(event.findings ?? [])];
      const next: NextStart = { ...fresh, from, findings, session: state.session, after: 'rework' };
      return { ...state, ...anew, progress: { status: 'waiting', next } };
    }
    case 'provider-resumed':
      if (state.progress.status !== 'waiting' || providerOf({ agent: limits.chain }, state) !== event.provider)
        return state;
      return { ...state, progress: { status: 'waiting', next: { ...state.progress.next, trouble: null } } };
    case 'run-resumed':
      if (state.progress.status !== 'waiting') return state;
      return {
        ...state,
        free: state.progress.next.halt === null ? state.free : 0,
        progress: { status: 'waiting', next: { ...state.progress.next, halt: null, trouble: null } },
      };
    case 'candidate-built': {
      const conflict = event.conflicts.find((found) => found.task === state.id);
      return conflict === undefined ? state : holdTask(state, { because: 'conflict', files: conflict.files });
    }
    case 'culprit-found':
      // Its own fault outlasts that of the task it stands on.
      return event.task === state.id
        ? holdTask(standsOnHeld(state) ? unholdTask(state) : state, {
            because: 'check',
            check: event.check,
            ...(event.tree === undefined ? {} : { tree: event.tree }),
          })
        : state;
    case 'merged': {
      const merged = event.tasks.find((task) => task.task === state.id);
      const snapshot = snapshotOf(state);
      if (merged === undefined || snapshot === null) return state;
      return { ...state, progress: { status: 'merged', commit: merged.commit, snapshot } };
    }
    default:
      return state;
  }
}

export type TaskLimits = {
  readonly attempts: number;
  /** Agents that the task may be given to, one after the other. */
  readonly chain: readonly string[];
  /** Grants and raises of the run so far. */
  readonly terms: number;
};

const anew = { charged: 0, free: 0, spirals: 0 } as const;

/** Back to `ended`, so that the same snapshot is gated again; no new attempt, no tokens spent. */
function rejudge(state: TaskState, replaced?: SnapshotEvidence): TaskState {
  const { progress } = state;
  if (progress.status !== 'held' || state.last === null) return state;
  const { attempt } = progress;
  const snapshot = replaced ?? progress.snapshot;
  const evidence = { attempt: attempt.id, nonce: attempt.nonce, ...state.last, snapshot };
  return { ...state, monitored: null, progress: { status: 'ended', attempt, evidence } };
}

/** Only what is ready is held: anything else is not through yet, or held already. */
export function holdTask(state: TaskState, why: Hold): TaskState {
  const { progress } = state;
  if (progress.status !== 'ready') return state;
  return { ...state, progress: { status: 'held', hold: why, attempt: progress.attempt, snapshot: progress.snapshot } };
}

const standsOnHeld = ({ progress }: TaskState): boolean =>
  progress.status === 'held' && progress.hold.because === 'needs';

/** Back to what its gates said of it. */
export function unholdTask(state: TaskState): TaskState {
  const { progress } = state;
  if (progress.status !== 'held') return state;
  return { ...state, progress: { status: 'ready', attempt: progress.attempt, snapshot: progress.snapshot } };
}

export function attemptOf(state: TaskState): Attempt | null {
  return 'attempt' in state.progress ? state.progress.attempt : null;
}

export function snapshotOf(state: TaskState): SnapshotEvidence | null {
  const { progress } = state;
  if (progress.status === 'ended') return progress.evidence.snapshot;
  return 'snapshot' in progress ? progress.snapshot : null;
}

/** Nothing more will happen to it unless a person asks. */
export const isSettled = (state: TaskState): boolean =>
  ['ready', 'done', 'held', 'failed', 'merged', 'dropped'].includes(state.progress.status);

/** Lets a wave close. */
export const isResolved = (state: TaskState): boolean => ['merged', 'done', 'dropped'].includes(state.progress.status);
