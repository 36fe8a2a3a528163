import type { AgentNote, AgentReport } from '../agents/agent-note.ts';
import type { AttemptId, CommitId, PlanHash, RunId, TaskId, TreeId } from '../base/ids.ts';
import type { RecordChange, RecordPlace } from '../board/board.ts';
import type { Worse } from '../checks/standing.ts';
import type { Finding } from '../findings/finding.ts';
import type {
  CheckOutcome,
  Ending,
  GeneratorOutcome,
  HandoffEvidence,
  LogEvidence,
  RoundEntry,
  SnapshotEvidence,
} from '../gates/evidence.ts';
import type { Judgement } from '../gates/judge.ts';
import type { Shortage } from '../kept/disk.ts';
import type { KeptPath } from '../kept/kept.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { OrchestratorEvent } from '../orchestrator/orchestrator-events.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { SettleLimits, Settlement } from '../run/settle-attempt.ts';
import type { AgentSession, AttemptOutcome, Hold } from '../run/task.ts';
import type { AgentFailure } from '../tool-calls/agent-event.ts';
import type { BoardEvent } from './board-events.ts';
import type { ClosureEvent } from './closure-events.ts';
import type { DcmEvent } from './dcm-events.ts';
import type { DependencyEvent } from './dependency-events.ts';
import type { DerivedTaskEvent, RepairSubject } from './derived-task-events.ts';
import type { LandingEvent } from './landing-events.ts';
import type { RelaunchEvent, ResultReuse } from './relaunch-events.ts';
import type { By, RequestEvent, RunOrder, TapName } from './requests.ts';

/** The tree that a check judges. `snapshot`: that of one task, because its exit contract asks for it. */
export type CheckPurpose = 'base' | 'snapshot' | 'candidate' | 'land' | 'undo';

// ── facts of a run; each needs the current epoch ───────────────────────────────────────────────────────
export type RunEvent =
  | ({ readonly type: 'run-created'; readonly by: By } & RunOrder)
  /**
   * A new version of the plan is in force. Merged tasks and closed waves stay. Everything else that was judged, approved or started
   * before is void. Tasks that the new plan lacks were dropped by name in the same append. `keeps`: tasks that stay as they are.
   * `reuses`: tasks whose snapshot is judged again instead of made again; absent for none. `threads`: waves that keep their thread.
   */
  | {
      readonly type: 'plan-replaced';
      readonly plan: FrozenPlan;
      readonly hash: PlanHash;
      readonly keeps: readonly TaskId[];
      readonly reuses?: readonly TaskId[];
      /** The fingerprints of reused tasks, of those whose attempts recorded one; absent for none. */
      readonly fingerprints?: readonly ResultReuse[];
      readonly threads: readonly number[];
      readonly by: By;
    }
  | ({ readonly type: 'phase-judged' } & Judgement)
  /** A thread for this wave is about to be opened elsewhere. A second request with the same key opens the same thread. */
  | { readonly type: 'thread-intended'; readonly wave: number; readonly key: string }
  /** The merger copied the base into the bare repository and set the run branch to it. */
  | {
      readonly type: 'run-branch-made';
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** With `--with-uncommitted`: the commit of the person's branch below their changes. `commit` holds the changes and never lands. */
      readonly onto?: CommitId;
      /** The number of newest commits that a fence shows, when the history is too large for one. */
      readonly history?: number;
    }
  | {
      readonly type: 'tap-opened';
      readonly tap: TapName;
      readonly hash: PlanHash;
      readonly expires: string | null;
      /** Set when a landing is asked about again: the tasks that could not land. */
      readonly tasks?: readonly TaskId[];
    }
  | {
      readonly type: 'tap-decided';
      readonly tap: TapName;
      readonly decision: 'approved' | 'rejected' | 'held' | 'expired';
      readonly hash: PlanHash;
      /** Set for a landing that was approved for these tasks only. */
      readonly tasks?: readonly TaskId[];
      readonly by: By;
    }
  // tasks and attempts
  /** The commit that attempts of this task start from: the run branch at wave start plus the snapshots that the task needs. */
  | {
      readonly type: 'task-base-made';
      readonly task: TaskId;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** The snapshots that it holds; absent in records that are older than fingerprints. Their trees are not in all records. */
      readonly of?: readonly { readonly task: TaskId; readonly snapshot: CommitId; readonly tree?: TreeId }[];
    }
  /** The snapshots that the task needs conflict. The task waits for a person; the other tasks continue. */
  | { readonly type: 'task-base-refused'; readonly task: TaskId; readonly because: Finding }
  | {
      readonly type: 'attempt-intended';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly number: number;
      readonly nonce: string;
      readonly base: CommitId;
      readonly from: CommitId;
      readonly agent: string;
      /** The provider of the agent's models; empty for programs without models. */
      readonly provider: string;
      readonly session?: AgentSession;
      /** The number of grants, raises and records of the run that the attempt starts with. */
      readonly terms: number;
      /** The fingerprint of the attempt; absent for closure roles. */
      readonly fingerprint?: string;
    }
  /** An observation of the running agent. The supervisor numbers these without a gap. */
  | {
      readonly type: 'attempt-noted';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly number: number;
      readonly note: AgentNote;
      /** The place on the board of a note that posts a record; absent for other notes. */
      readonly place?: RecordPlace;
      /** The changes of the board by a note that acts on a record; absent for other notes. */
      readonly changes?: readonly RecordChange[];
      /** The reason why a note changed nothing, although it posts or acts on a record. */
      readonly refused?: Finding;
    }
  /** The supervisor has received the grants and raises up to this number, counted over the whole run. */
  | { readonly type: 'attempt-told'; readonly task: TaskId; readonly attempt: AttemptId; readonly terms: number }
  /** A person's message has reached the agent. */
  | {
      readonly type: 'message-sent';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly message: string;
      readonly by: By;
    }
  | {
      readonly type: 'attempt-started';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly pid: number;
      readonly at?: string;
      /** SHA-256 of the agent's prompt. Its text is in the job's directory. */
      readonly prompt?: string;
    }
  | {
      readonly type: 'attempt-ended';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly ending: Ending;
      readonly handoff: HandoffEvidence;
      readonly snapshot: SnapshotEvidence | null;
      /** The reason why there is no snapshot; null with a snapshot, or when no agent had started. */
      readonly snapshotProblem: Finding | null;
      /** Paths of the workspace that no snapshot holds, by the rules of `version`. */
      readonly kept: readonly KeptPath[];
      readonly version: number;
      readonly log: LogEvidence;
      readonly reminded: boolean;
      readonly chargedSeconds: number;
      /** The time that the machine was asleep, which is not charged; absent when it was not. */
      readonly sleptSeconds?: number;
      /** Commands reserved for people that the agent tried, such as `approve demo-ab12`; absent for none. */
      readonly refusals?: readonly string[];
      /** Present for agents that speak a protocol. */
      readonly agent?: AgentReport;
      /** Findings about the plan that the task drafted; absent when there is no draft, or it was not read. */
      readonly drafted?: readonly Finding[];
    }
  /**
   * The decision about the task after its gates have judged the attempt. The counts include this attempt. `turn` is the next agent of
   * the chain; `limits` and `version` are those of the decision.
   */
  | {
      readonly type: 'attempt-settled';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly version: number;
      readonly charged: number;
      readonly free: number;
      readonly spirals: number;
      readonly turn: string;
      readonly decision: Settlement;
      readonly limits: SettleLimits;
    }
  /** A ready task cannot be integrated. */
  | { readonly type: 'task-held'; readonly task: TaskId; readonly hold: Exclude<Hold, { readonly because: 'gate' }> }
  /** The task that it was held for is ready again, so its own proof holds again. */
  | { readonly type: 'task-released'; readonly task: TaskId }
  /** A person allowed more paths. `meets`: the paths that the agent had asked for. */
  | {
      readonly type: 'task-granted';
      readonly task: TaskId;
      readonly paths: readonly string[];
      readonly meets: readonly string[];
      readonly by: By;
    }
  | { readonly type: 'task-dropped'; readonly task: TaskId; readonly by: By }
  /** A person removed the changes to these paths. `snapshot` replaces the snapshot before. */
  | {
      readonly type: 'paths-dropped';
      readonly task: TaskId;
      readonly paths: readonly string[];
      readonly snapshot: SnapshotEvidence;
      readonly by: By;
    }
  /** A person discarded these paths of the workspaces, which no snapshot holds. */
  | {
      readonly type: 'kept-discarded';
      readonly task: TaskId;
      readonly kept: readonly { readonly attempt: AttemptId; readonly path: string }[];
      readonly by: By;
    }
  /** A person accepted exactly this snapshot. The acceptance replaces exit and handoff; every other gate judges as before. */
  | {
      readonly type: 'task-accepted';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly snapshot: CommitId;
      readonly by: By;
    }
  /**
   * A person edited the snapshot `from`. The new snapshot replaces it and is thereby accepted. `paths`: the person's own changes, where it
   * differs from the agent's snapshot. `copy` names the directory that the person edited.
   */
  | {
      readonly type: 'task-edited';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly from: CommitId;
      readonly snapshot: SnapshotEvidence;
      readonly paths: readonly string[];
      readonly copy: string;
      readonly by: By;
    }
  /** The task starts over. `findings` and `after` tell the next agent about the attempt before; absent when there is nothing to tell. */
  | {
      readonly type: 'task-retried';
      readonly task: TaskId;
      readonly findings?: readonly Finding[];
      readonly after?: AttemptOutcome;
      readonly by: By;
    }
  | {
      readonly type: 'task-reworked';
      readonly task: TaskId;
      readonly message: string;
      /** The snapshot that the next attempt starts from. */
      readonly from: CommitId | 'base';
      /** The findings that held or failed the task; absent for none. */
      readonly findings?: readonly Finding[];
      readonly by: By;
    }
  /** A person replaced the agent that the plan names. */
  | { readonly type: 'agent-chosen'; readonly task: TaskId; readonly agent: string; readonly by: By }
  // budgets; without a task it is that of the whole run
  | { readonly type: 'budget-raised'; readonly task: TaskId | null; readonly usd: number; readonly by: By }
  | {
      readonly type: 'budget-near';
      readonly task: TaskId | null;
      readonly used: number;
      readonly limit: number;
    }
  // checks, rounds, merge
  | { readonly type: 'check-ended'; readonly purpose: CheckPurpose; readonly check: CheckOutcome }
  | {
      readonly type: 'round-opened';
      readonly wave: number;
      readonly round: number;
      readonly base: CommitId;
      readonly tasks: readonly RoundEntry[];
    }
  /** The candidate: one linear commit per task, in order. A task with conflicts is left out and its files are named. */
  | {
      readonly type: 'candidate-built';
      readonly wave: number;
      readonly round: number;
      readonly base: CommitId;
      readonly steps: readonly { readonly task: TaskId; readonly commit: CommitId; readonly tree: TreeId }[];
      readonly conflicts: readonly {
        readonly task: TaskId;
        readonly files: readonly string[];
        /** Set when the plan has a resolver and text conflicts. */
        readonly repair?: RepairSubject;
      }[];
      readonly before?: EarlierDefinitions;
    }
  /** The command of generated files ran on the candidate's last commit. */
  | ({ readonly type: 'generator-ended'; readonly wave: number; readonly round: number } & GeneratorOutcome)
  /** The candidate with its generated files rebuilt: one more commit, or the last one when no file differs. */
  | {
      readonly type: 'candidate-completed';
      readonly wave: number;
      readonly round: number;
      readonly commit: CommitId;
      readonly tree: TreeId;
      readonly before?: EarlierDefinitions;
    }
  /** Bisection found the task that breaks a check: the first failing prefix of the candidate ends with it. */
  | {
      readonly type: 'culprit-found';
      readonly wave: number;
      readonly round: number;
      readonly task: TaskId;
      readonly check: string;
      /** The tree that the check failed on. */
      readonly tree: TreeId;
      /** The tests that it broke, or the count that it raised; absent when the check has no report. */
      readonly worse?: Worse;
    }
  | {
      readonly type: 'merge-intended';
      readonly wave: number;
      readonly round: number;
      readonly old: CommitId;
      readonly new: CommitId;
    }
  | {
      readonly type: 'merged';
      readonly wave: number;
      readonly round: number;
      readonly old: CommitId;
      readonly new: CommitId;
      /** `by`: the derived task whose work is merged for it. */
      readonly tasks: readonly { readonly task: TaskId; readonly commit: CommitId; readonly by?: TaskId }[];
    }
  | {
      readonly type: 'round-abandoned';
      readonly wave: number;
      readonly round: number;
      readonly because: Finding;
      /** The number of tasks, in order, that fail together without a known culprit. Smaller rounds follow. */
      readonly suspects?: number;
    }
  | { readonly type: 'wave-closed'; readonly wave: number }
  | ClosureEvent
  | BoardEvent
  | OrchestratorEvent
  | DependencyEvent
  | DerivedTaskEvent
  | RelaunchEvent
  | LandingEvent
  // providers of models
  /** No agent of this provider starts before `until`; null: not before a person resumes. */
  | {
      readonly type: 'provider-paused';
      readonly provider: string;
      readonly until: string | null;
      readonly trouble: AgentFailure;
      /** The number of pauses in a row; each is longer than the one before. */
      readonly tries: number;
      /** The run that met the limit, when it was another one. */
      readonly of?: RunId;
    }
  | { readonly type: 'provider-resumed'; readonly provider: string }
  // the run itself
  | { readonly type: 'run-paused' | 'run-stopped'; readonly by: By }
  /** A person abandoned the run. Running attempts end first, then the run. */
  | { readonly type: 'run-abandoned'; readonly by: By }
  /** The run and its providers are resumed. `rechecks`: checks whose outcome is forgotten, so that they run again. */
  | {
      readonly type: 'run-resumed';
      readonly rechecks?: readonly { readonly tree: TreeId; readonly check: string }[];
      readonly by: By;
    }
  /** The environment failed (disk full, git missing). Nothing is decided; `resume` tries again. */
  | { readonly type: 'run-halted'; readonly because: Finding }
  /** The disk is full. Running attempts continue; new ones start when there is room again. */
  | ({ readonly type: 'starts-suspended' } & Shortage)
  | { readonly type: 'starts-allowed' }
  | { readonly type: 'run-ended'; readonly outcome: RunOutcome }
  /** The answer to a request, stored in one append with the facts that follow from it. */
  | { readonly type: 'request-accepted'; readonly request: number }
  | { readonly type: 'request-refused'; readonly request: number; readonly because: Finding };

// ── facts of the repository (stream `repo`) ────────────────────────────────────────────────────────────
export type RepoEvent =
  /** The first event of every ledger. */
  | { readonly type: 'ledger-opened'; readonly format: number; readonly hashing: string }
  | { readonly type: 'coordinator-started'; readonly epoch: number; readonly pid: number; readonly tidegate: string }
  | { readonly type: 'coordinator-stopped'; readonly epoch: number }
  /** The board above the runs. */
  | BoardEvent
  /** Dependencies of branches. */
  | DependencyEvent
  | Extract<RunEvent, { readonly type: 'request-accepted' | 'request-refused' }>;

export type LedgerEvent = RequestEvent | RunEvent | RepoEvent | DcmEvent;

export type RunOutcome = 'landed' | 'done' | 'rejected' | 'failed' | 'abandoned';

export const isRequest = (event: LedgerEvent): event is RequestEvent => event.type.startsWith('requested-');
