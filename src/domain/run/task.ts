import type { AttemptId, CommitId, TaskId, TreeId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import type { Worse } from '../checks/standing.ts';
import type { Finding } from '../findings/finding.ts';
import type { Acceptance, Handoff, MonitorEvidence, SnapshotEvidence } from '../gates/evidence.ts';
import type { Verdict } from '../gates/verdict.ts';
import type { DefinitionDispute } from '../landing/earlier-definitions.ts';
import type { ComparedSides, RepairSubject } from '../ledger/derived-task-events.ts';
import type { By } from '../ledger/requests.ts';
import type { PlannedTask } from '../plan/plan.ts';
import { isReadOnly } from '../plan/plan.ts';
import { type AgentFailure, addUsage, noUsage, type Usage } from '../tool-calls/agent-event.ts';
import type { PathRequest } from './evolve-task.ts';

/**
 *   waiting ──▶ launching ──▶ running ──▶ ended ──┬──▶ ready ──▶ merged
 *      ▲                                          ├──▶ done      (read-only: its handoff is its result)
 *      │   another attempt, retry, rework         ├──▶ held      (a person grants, drops or retries)
 *      └──────────────────────────────────────────┴──▶ failed    (no attempt left)
 *   held, failed ──▶ ended: a person accepts or edits the snapshot, and it is judged again
 *   from every state but merged: dropped, by a person and by name
 */
export type TaskProgress =
  | { readonly status: 'waiting'; readonly next: NextStart; readonly last: EndedAttempt | null }
  | { readonly status: 'launching'; readonly attempt: LiveAttempt; readonly last: EndedAttempt | null }
  | {
      readonly status: 'running';
      readonly attempt: LiveAttempt;
      readonly pid: number;
      /** The time when it started; absent in records of an earlier version. */
      readonly since?: string;
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
      /** The derived task whose work was merged instead of its own; absent when it was its own. */
      readonly through?: TaskId;
      readonly attempt: EndedAttempt;
      readonly snapshot: SnapshotEvidence;
    }
  | { readonly status: 'dropped'; readonly by: By; readonly last: EndedAttempt | null };

/** The start of the next attempt. */
export type NextStart = {
  readonly from: CommitId | 'base';
  /** The changes that a person wants; null when there is no rework. */
  readonly message: string | null;
  readonly findings: readonly Finding[];
  /** A launch failed, so the wave waits for `resume` instead of trying again by itself. */
  readonly halt: Finding | null;
  readonly session: AgentSession | null;
  /** Why the provider of its agent has to be left alone for a while. */
  readonly trouble: ProviderTrouble | null;
  /** Null when there is nothing before it that its agent has to know. */
  readonly after: AttemptOutcome | null;
  /** The person who selected the task to start again; absent otherwise. */
  readonly relaunched?: string;
  /** The components for which a failed task continues at no cost; absent otherwise. */
  readonly continues?: readonly string[];
};

export type ProviderTrouble = { readonly provider: string; readonly trouble: AgentFailure };

/** Why there is another attempt, as far as its agent has to know. */
export type AttemptOutcome =
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
  /** The provider of the agent's models; empty for programs that need none. */
  readonly provider: string;
  /** A session of the agent's own that this attempt continues. */
  readonly session: AgentSession | null;
  /** Absent for closure roles, and for attempts that are older than fingerprints. */
  readonly fingerprint?: string;
} & Pick<NextStart, 'message' | 'findings' | 'after'>;

export type LiveAttempt = Attempt & {
  readonly dispatched: readonly Verdict[] | null;
  /** The usage that its agent has reported so far. */
  readonly usage: Usage;
  /** Paths that its agent requested and that are not granted. */
  readonly requested: readonly PathRequest[];
  /** Grants, raises and records of the run that its supervisor knows, counted. */
  readonly terms: number;
  /** Number of its last note, so that none is recorded twice. */
  readonly noted: number;
};

export type EndedAttempt = Attempt &
  Pick<MonitorEvidence, 'ending' | 'handoff' | 'snapshotProblem' | 'drafted'> & {
    /** Set for agents with a protocol. */
    readonly report?: NonNullable<MonitorEvidence['agent']>;
    readonly dispatched: readonly Verdict[] | null;
    /** Null until its gates have judged it, or are to judge it again. */
    readonly monitored: readonly Verdict[] | null;
    /** Seconds that the machine slept meanwhile. */
    readonly slept: number;
    /** Paths that people took out of its snapshot. */
    readonly takenOut: readonly string[];
    /** The last word of a person on its work. `copy` names the directory of an edit. */
    readonly acceptance?: Acceptance & { readonly copy?: string };
    /** The comparison of a resolver's snapshot with both sides; absent when there is none yet. */
    readonly sides?: ComparedSides & { readonly snapshot: CommitId };
  };

/** `job`: the attempt that began the session, where the agent's own files of it are. */
export type AgentSession = { readonly id: string; readonly job: AttemptId; readonly usage: Usage };

export type Hold =
  | { readonly because: 'gate'; readonly verdicts: readonly Verdict[] }
  /** `repair` is what a resolver may repair; absent when the plan has none, or the conflict is not one of text. */
  | { readonly because: 'conflict'; readonly files: readonly string[]; readonly repair?: RepairSubject }
  /** `tree` is the one that it failed on. */
  | {
      readonly because: 'check';
      readonly check: string;
      readonly tree: TreeId;
      /** Set when it fails only with the earlier definitions; then `tree` has those. */
      readonly defined?: DefinitionDispute;
      /** In what it is worse than on the base; absent when the check has no report. */
      readonly worse?: Worse;
      readonly repair?: RepairSubject;
    }
  /** A task that this one needs is held. */
  | { readonly because: 'needs'; readonly task: TaskId };

export type TaskState = {
  readonly id: TaskId;
  readonly wave: number;
  readonly readOnly: boolean;
  readonly base: CommitId | null;
  /** The tree and the snapshots of the base; absent in records that are older than fingerprints. */
  readonly made?: {
    readonly tree: TreeId;
    readonly of: readonly { readonly task: TaskId; readonly snapshot: CommitId; readonly tree?: TreeId }[];
  };
  /** All launches: numbers the attempts. */
  readonly launches: number;
  /** Attempts that count against `limits.attempts`. */
  readonly charged: number;
  /** Launches in a row that cost the task nothing; bounded, so that nothing spins for free. */
  readonly free: number;
  /** Attempts that ended in a spiral. A second one is for a person. */
  readonly spirals: number;
  /** The agent whose turn it is, out of the task's chain. */
  readonly turn: string;
  /** The agent that a person chose instead of the plan's. */
  readonly chosen: string | null;
  /** The agent's own, of the last attempt that had one. */
  readonly session: AgentSession | null;
  /** Usage of all attempts that have ended together, as far as they reported. */
  readonly used: Usage;
  /** Dollars that people added to the limit. */
  readonly raised: number;
  /** The limit that people were warned about. */
  readonly warned: number | null;
  /** Requests whose message reached an agent. */
  readonly deliveries: readonly { readonly request: number; readonly attempt: AttemptId }[];
  readonly granted: readonly string[];
  /** The candidate that a closure role is about; absent for ordinary tasks, and for a role that has not been opened. */
  readonly about?: RoleSubject;
  readonly progress: TaskProgress;
};

/** `tree`: the tree that the report is about. */
export type RoleSubject = {
  readonly round: number;
  readonly commit: CommitId;
  readonly tree: TreeId;
  /** Set when it judges a landing. */
  readonly landing?: true;
};

export const plannedTask = (task: PlannedTask, wave: number): TaskState => ({
  id: task.id,
  wave,
  readOnly: isReadOnly(task),
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
  deliveries: [],
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

// ── questions that several phases ask ──────────────────────────────────────────────────────────────────

export const attemptOf = ({ progress }: TaskState): Attempt | null => ('attempt' in progress ? progress.attempt : null);

/** Null unless its agent is running or being launched. */
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

/** The verdicts on the attempt under way, or else on the last one. */
export function verdictsOf(task: TaskState): Pick<EndedAttempt, 'dispatched' | 'monitored'> {
  const live = liveAttempt(task);
  if (live !== null) return { dispatched: live.dispatched, monitored: null };
  const { dispatched = null, monitored = null } = endedAttempt(task) ?? {};
  return { dispatched, monitored };
}

export const snapshotOf = ({ progress }: TaskState): SnapshotEvidence | null =>
  'snapshot' in progress ? progress.snapshot : null;

/** The evidence that its gates read. */
export function evidenceOf({ attempt, snapshot }: TaskProgress & { readonly status: 'ended' }): MonitorEvidence {
  const { id, nonce, ending, handoff, snapshotProblem, report, drafted, acceptance, sides } = attempt;
  return {
    attempt: id,
    nonce,
    ending,
    handoff,
    ...present({ agent: report, drafted }),
    ...(acceptance === undefined ? {} : { acceptance: wordOf(acceptance) }),
    snapshot,
    ...present({ snapshotProblem }),
    ...(sides === undefined || sides.snapshot !== snapshot?.commit
      ? {}
      : { sides: { markers: sides.markers, gone: sides.gone } }),
  };
}

const wordOf = ({ snapshot, who, edited }: Acceptance): Acceptance => ({ snapshot, who, edited });

/** The agent of the task: the one whose turn it is, unless a person chose another. */
export const agentOf = ({ chosen, turn }: TaskState): string => chosen ?? turn;

/** Usage of all attempts, the one under way included as far as its agent has reported. */
export function usageOf(task: TaskState): Usage {
  const live = liveAttempt(task);
  return live === null ? task.used : addUsage(task.used, live.usage);
}

/** True when a launch failed and nobody has resumed the run since. */
export const isHalted = ({ progress }: TaskState): boolean =>
  progress.status === 'waiting' && progress.next.halt !== null;

/** True when nothing more happens to it without a request of a person. */
export const isSettled = (state: TaskState): boolean =>
  ['ready', 'done', 'held', 'failed', 'merged', 'dropped'].includes(state.progress.status);

/** Lets a wave close. */
export const isResolved = (state: TaskState): boolean => ['merged', 'done', 'dropped'].includes(state.progress.status);

/** True when what the task was for is there: other tasks may build on it. It may still lose that by a conflict or an undo. */
export const countsAsDone = (state: Pick<TaskState, 'progress'> | undefined): boolean =>
  state !== undefined && ['ready', 'merged', 'done'].includes(state.progress.status);
