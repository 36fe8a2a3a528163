import type { AgentNote, AgentReport } from '../agents/agent-note.ts';
import type { AttemptId, CommitId, PlanHash, RunId, TaskId, TreeId } from '../base/ids.ts';
import type { Post, RecordPlace } from '../board/board.ts';
import type { ExternalEvent } from '../external/events.ts';
import type { Finding } from '../findings/finding.ts';
import type {
  CheckOutcome,
  Ending,
  GeneratorOutcome,
  HandoffEvidence,
  LogEvidence,
  SnapshotEvidence,
} from '../gates/evidence.ts';
import type { Judgement } from '../gates/judge.ts';
import type { Shortage } from '../kept/disk.ts';
import type { KeptPath } from '../kept/kept.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { SettleLimits, Settlement } from '../run/settle-attempt.ts';
import type { Aftermath, AgentSession, Hold } from '../run/task.ts';
import type { AgentFailure } from '../tool-calls/agent-event.ts';
import type { LandingEvent } from './landing-events.ts';
import type { By, RequestEvent, RunOrder, TapName } from './requests.ts';

/** What a check is run for: the tree that tasks start from, what they made together, or what the person's branch would be. */
export type CheckPurpose = 'base' | 'candidate' | 'land' | 'undo';

// ── facts of a run; each needs the current epoch ───────────────────────────────────────────────────────
export type RunEvent =
  | ({ readonly type: 'run-created'; readonly by: By } & RunOrder)
  /**
   * From here on this is the plan. Merged tasks and closed waves stay; whatever else was judged, approved or begun
   * before it counts for nothing. Tasks that it no longer has were dropped by name in the same append. `keeps`: tasks that stay as
   * they are; `reuses`: tasks whose snapshot is judged again instead of made again, absent when there is none; `threads`: waves that keep
   * the thread they are bound to.
   */
  | {
      readonly type: 'plan-replaced';
      readonly plan: FrozenPlan;
      readonly hash: PlanHash;
      readonly keeps: readonly TaskId[];
      readonly reuses?: readonly TaskId[];
      readonly threads: readonly number[];
      readonly by: By;
    }
  | ({ readonly type: 'phase-judged' } & Judgement)
  /** A thread of this wave is about to be asked for elsewhere. Asked for again by the same key, it is the same thread. */
  | { readonly type: 'thread-intended'; readonly wave: number; readonly key: string }
  /** The merger made the bare repository hold the base and set the run branch to it. */
  | {
      readonly type: 'run-branch-made';
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** With `--with-uncommitted`: the commit of the person's branch that `commit` adds their changes to. `commit` never lands. */
      readonly onto?: CommitId;
      /** The history is too large for a fence: what runs in one sees so many commits of it, the newest. */
      readonly history?: number;
    }
  | {
      readonly type: 'tap-opened';
      readonly tap: TapName;
      readonly hash: PlanHash;
      readonly expires: string | null;
      /** Asked again: these tasks were to land, and could not. */
      readonly tasks?: readonly TaskId[];
    }
  | {
      readonly type: 'tap-decided';
      readonly tap: TapName;
      readonly decision: 'approved' | 'rejected' | 'held' | 'expired';
      readonly hash: PlanHash;
      /** Of a landing: the yes is for these tasks only. */
      readonly tasks?: readonly TaskId[];
      readonly by: By;
    }
  // tasks and attempts
  /** The commit that attempts of this task start from: run branch at wave start plus the snapshots it needs. */
  | { readonly type: 'task-base-made'; readonly task: TaskId; readonly commit: CommitId; readonly tree: TreeId }
  /** What the task needs does not fit together: it waits for a person; the rest goes on. */
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
      /** Of the agent's models; empty for programs that need none. */
      readonly provider: string;
      readonly session?: AgentSession;
      /** Grants, raises and records of the run that it begins with, counted. */
      readonly terms: number;
    }
  /** What the agent does while it works, as far as it belongs here: numbered by its supervisor, without a gap. */
  | {
      readonly type: 'attempt-noted';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly number: number;
      readonly note: AgentNote;
      /** What became of a note that puts something on the board; absent for all others. */
      readonly place?: RecordPlace;
    }
  /** Its supervisor knows the grants and raises up to this one, counted over the whole run. */
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
      /** SHA-256 of the prompt that the agent was given; the text is in the job's directory. */
      readonly prompt?: string;
    }
  | {
      readonly type: 'attempt-ended';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly ending: Ending;
      readonly handoff: HandoffEvidence;
      readonly snapshot: SnapshotEvidence | null;
      /** Why there is no snapshot; null when there is one, or no agent had begun. */
      readonly snapshotProblem: Finding | null;
      /** Paths of its workspace that no snapshot holds, decided by the rules of `version`. */
      readonly kept: readonly KeptPath[];
      readonly version: number;
      readonly log: LogEvidence;
      readonly reminded: boolean;
      readonly chargedSeconds: number;
      /** How long the machine slept meanwhile, which is not charged; absent when it did not. */
      readonly sleptSeconds?: number;
      /** What the agent tried that only a person may do, such as `approve demo-ab12`; absent when it tried nothing. */
      readonly refusals?: readonly string[];
      /** Of agents that speak a protocol. */
      readonly agent?: AgentReport;
      /** What stands against the plan that the task drafts; absent when it drafts none, or when that was not read. */
      readonly drafted?: readonly Finding[];
    }
  /**
   * What becomes of the task, decided once its gates have judged the attempt. The counts stand after it; `turn` is the agent whose turn
   * it is; `limits` are those that decided it, `version` that of the rules.
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
  /** A task that was ready may not be integrated. */
  | { readonly type: 'task-held'; readonly task: TaskId; readonly hold: Exclude<Hold, { readonly because: 'gate' }> }
  /** The task that it was held for stands again: what was proven of this one still is. */
  | { readonly type: 'task-released'; readonly task: TaskId }
  /** `meets`: paths that its agent asked for and has got by this. */
  | {
      readonly type: 'task-granted';
      readonly task: TaskId;
      readonly paths: readonly string[];
      readonly meets: readonly string[];
      readonly by: By;
    }
  | { readonly type: 'task-dropped'; readonly task: TaskId; readonly by: By }
  /** Changes to these paths were taken out of the snapshot by a person; the new snapshot stands instead. */
  | {
      readonly type: 'paths-dropped';
      readonly task: TaskId;
      readonly paths: readonly string[];
      readonly snapshot: SnapshotEvidence;
      readonly by: By;
    }
  /** These paths of its workspaces, which no snapshot holds, were removed at the word of a person. */
  | {
      readonly type: 'kept-discarded';
      readonly task: TaskId;
      readonly kept: readonly { readonly attempt: AttemptId; readonly path: string }[];
      readonly by: By;
    }
  /** A person read exactly this snapshot and takes it. It stands in for exit and handoff; every other gate judges as always. */
  | {
      readonly type: 'task-accepted';
      readonly task: TaskId;
      readonly attempt: AttemptId;
      readonly snapshot: CommitId;
      readonly by: By;
    }
  /**
   * A person changed the snapshot `from` by hand; the new snapshot stands instead, and is accepted by this. `paths`: where it
   * differs from what the agent left. These changes are the person's own. `copy` names the directory that it was taken from.
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
  /** `findings` and `after`: what its next agent is told of the attempt before; absent when it is told nothing. */
  | {
      readonly type: 'task-retried';
      readonly task: TaskId;
      readonly findings?: readonly Finding[];
      readonly after?: Aftermath;
      readonly by: By;
    }
  | {
      readonly type: 'task-reworked';
      readonly task: TaskId;
      readonly message: string;
      /** The snapshot that it goes on from. */
      readonly from: CommitId | 'base';
      /** Why it was held or failed; absent when it did neither. */
      readonly findings?: readonly Finding[];
      readonly by: By;
    }
  /** Instead of what the plan says, by a person. */
  | { readonly type: 'agent-chosen'; readonly task: TaskId; readonly agent: string; readonly by: By }
  // money; without a task it is about the whole run
  | { readonly type: 'budget-raised'; readonly task: TaskId | null; readonly usd: number; readonly by: By }
  | {
      readonly type: 'budget-near';
      readonly task: TaskId | null;
      readonly used: number;
      readonly limit: number;
    }
  // the board; what agents put there are notes of their attempts
  | ({ readonly type: 'record-posted'; readonly place: RecordPlace; readonly by: By } & Post)
  | { readonly type: 'record-answered'; readonly record: string; readonly text: string; readonly by: By }
  | { readonly type: 'record-closed'; readonly record: string; readonly by: By }
  // checks, rounds, merge
  | { readonly type: 'check-ended'; readonly purpose: CheckPurpose; readonly check: CheckOutcome }
  | {
      readonly type: 'round-opened';
      readonly wave: number;
      readonly round: number;
      readonly base: CommitId;
      readonly tasks: readonly { readonly task: TaskId; readonly snapshot: CommitId }[];
    }
  /** One linear commit per task, in order. A task that conflicts is left out and its files are named. */
  | {
      readonly type: 'candidate-built';
      readonly wave: number;
      readonly round: number;
      readonly base: CommitId;
      readonly steps: readonly { readonly task: TaskId; readonly commit: CommitId; readonly tree: TreeId }[];
      readonly conflicts: readonly { readonly task: TaskId; readonly files: readonly string[] }[];
      readonly before?: EarlierDefinitions;
    }
  /** Only when the plan has generated files: their commands ran on the candidate's last commit. */
  | ({ readonly type: 'generator-ended'; readonly wave: number; readonly round: number } & GeneratorOutcome)
  /** The candidate with its generated files as they were rebuilt: one commit more, or its last one when none differs. */
  | {
      readonly type: 'candidate-completed';
      readonly wave: number;
      readonly round: number;
      readonly commit: CommitId;
      readonly tree: TreeId;
      readonly before?: EarlierDefinitions;
    }
  /** Bisection found it: the first prefix that fails is the one that adds this task. */
  | {
      readonly type: 'culprit-found';
      readonly wave: number;
      readonly round: number;
      readonly task: TaskId;
      readonly check: string;
      /** The tree that the check failed on. */
      readonly tree: TreeId;
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
      readonly tasks: readonly { readonly task: TaskId; readonly commit: CommitId }[];
    }
  | {
      readonly type: 'round-abandoned';
      readonly wave: number;
      readonly round: number;
      readonly because: Finding;
      /** So many of its tasks, in order, fail together and none is found to blame yet: smaller rounds follow. */
      readonly suspects?: number;
    }
  | { readonly type: 'wave-closed'; readonly wave: number }
  | LandingEvent
  // providers of models
  /** No agent of this provider starts before `until`; null: not before a person says so. */
  | {
      readonly type: 'provider-paused';
      readonly provider: string;
      readonly until: string | null;
      readonly trouble: AgentFailure;
      /** How often in a row, for the next pause to be longer. */
      readonly tries: number;
      /** The run that ran into it, when it was another one. */
      readonly of?: RunId;
    }
  | { readonly type: 'provider-resumed'; readonly provider: string }
  // the run itself
  | { readonly type: 'run-paused' | 'run-stopped'; readonly by: By }
  /** A person gave the run up. What is under way is ended first, then the run. */
  | { readonly type: 'run-abandoned'; readonly by: By }
  /** Halts and pauses of providers are lifted. `rechecks`: outcomes of checks that are forgotten, so that they run again. */
  | {
      readonly type: 'run-resumed';
      readonly rechecks?: readonly { readonly tree: TreeId; readonly check: string }[];
      readonly by: By;
    }
  /** The environment failed (disk full, git missing): nothing is decided; `resume` tries again. */
  | { readonly type: 'run-halted'; readonly because: Finding }
  /** There is no room on the disk: what is under way goes on, and by itself the rest does when there is room. */
  | ({ readonly type: 'starts-suspended' } & Shortage)
  | { readonly type: 'starts-allowed' }
  | { readonly type: 'run-ended'; readonly outcome: RunOutcome }
  /** Stored in one append with the facts that answer the request. */
  | { readonly type: 'request-accepted'; readonly request: number }
  | { readonly type: 'request-refused'; readonly request: number; readonly because: Finding };

// ── facts of the repository (stream `repo`) ────────────────────────────────────────────────────────────
export type RepoEvent =
  /** The first event of every ledger. */
  | { readonly type: 'ledger-opened'; readonly format: number; readonly hashing: string }
  | { readonly type: 'coordinator-started'; readonly epoch: number; readonly pid: number; readonly tidegate: string }
  | { readonly type: 'coordinator-stopped'; readonly epoch: number };

export type LedgerEvent = RequestEvent | RunEvent | RepoEvent | ExternalEvent;

export type RunOutcome = 'landed' | 'done' | 'rejected' | 'failed' | 'abandoned';

export const isRequest = (event: LedgerEvent): event is RequestEvent => event.type.startsWith('requested-');
