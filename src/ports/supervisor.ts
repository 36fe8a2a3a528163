import type { AgentLogin } from '../agents/facts.ts';
import type { AgentNote, AgentReport } from '../domain/agents/agent-note.ts';
import type { CommitId } from '../domain/base/ids.ts';
import type { BoardRecord } from '../domain/board/board.ts';
import type { Omitted } from '../domain/board/views.ts';
import type { CheckParse, CheckReport } from '../domain/checks/report.ts';
import type { PlannedProof } from '../domain/closure/exit-contract.ts';
import type { ReportNames } from '../domain/closure/report.ts';
import type { ClosureRole } from '../domain/closure/roles.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type {
  DispatchEvidence,
  Ending,
  HandoffEvidence,
  LogEvidence,
  SnapshotEvidence,
} from '../domain/gates/evidence.ts';
import type { RunOverview } from '../domain/orchestrator/guidance.ts';
import type { Network } from '../domain/plan/plan.ts';
import type { Usage } from '../domain/tool-calls/agent-event.ts';
import type { ToolScope } from '../domain/tool-calls/tool-scope.ts';

/**
 * The job of one supervisor: `job.json` in its own directory, written and fsynced before the supervisor starts.
 * All kinds of job share fence, log, limits and exit record. Only an attempt has a handoff; a check has no snapshot.
 */
export type Job = {
  readonly id: string;
  readonly nonce: string;
  /** `orchestrator`: the resident orchestrator of a run. It gets an empty folder, and can only post guidance. */
  readonly kind: 'attempt' | 'check' | 'generate' | 'orchestrator';
  /** Set for an attempt of a closure role. Its handoff has to be a report. */
  readonly closes?: ClosureRole;
  /** Set for a closure role with a program whose marker lines count. */
  readonly markers?: true;
  /** The names that its report has to use. Absent when there are none, and in jobs of an earlier version. */
  readonly names?: ReportNames;
  /** The bare repository of the state directory. */
  readonly repository: string;
  /** Commit that the workspace is made from. */
  readonly from: CommitId;
  /** Commit that the diff is taken against; equals `from` unless an attempt continues earlier work. */
  readonly base: CommitId;
  /** argv; run inside the fence, in the workspace. Checks are `['/bin/sh', '-c', run]`. */
  readonly argv: readonly string[];
  /** Name of the agent's executor, see `src/agents`. */
  readonly executor: string;
  /** Set for agents with a protocol of their own; null for commands, checks and generators. */
  readonly agent: AgentJob | null;
  /** The terms at the start of an attempt; people may change them later. Absent for other kinds and in jobs of an earlier version. */
  readonly terms?: Terms;
  /** The prompt: on stdin and as `$TIDEGATE_BRIEF` in the fence. Empty for the other kinds. */
  readonly brief: string;
  readonly setup: string | null;
  /** Patterns of the files that `setup` makes its product from. Absent when they follow from the command. */
  readonly setupInputs?: readonly string[];
  /** True when `from` is a commit of the person: no work of an agent shapes the product of `setup`. */
  readonly isPersons: boolean;
  readonly teardown: string | null;
  /** Directory of the products of `setup`, by a key of command and inputs. */
  readonly cache: string;
  /** The person's checkout, read for `.worktreeinclude` only. */
  readonly checkout: string;
  readonly fence: {
    readonly mode: 'auto' | 'none';
    readonly network: Network;
    readonly read: readonly string[];
    readonly write: readonly string[];
    /** Names of variables passed through from our own environment. */
    readonly env: readonly string[];
  };
  /** Set by us for the task: PORT, COMPOSE_PROJECT_NAME, TIDEGATE_*. */
  readonly environment: Readonly<Record<string, string>>;
  readonly minutes: number;
  readonly silence: number;
  /** Short directory for sockets (paths over 107 bytes fail). */
  readonly runDirectory: string;
  /** Check: how its report is read. Absent when it has none. */
  readonly parse?: CheckParse;
  /** Deliverables and proofs that the snapshot looks for. Absent when the task has none, and in jobs of an earlier version. */
  readonly evidence?: JobEvidence;
  /** Paths of agents' configuration, read-only in the fence unless the task owns them. */
  readonly readOnly: readonly string[];
};

/** The job of a person's shell in the fence of a task. It has no supervisor, and nothing of it is kept. */
export type ShellJob = Omit<
  Job,
  | 'kind'
  | 'closes'
  | 'markers'
  | 'names'
  | 'parse'
  | 'argv'
  | 'executor'
  | 'agent'
  | 'terms'
  | 'teardown'
  | 'minutes'
  | 'silence'
>;

export type JobEvidence = { readonly deliverables: readonly string[]; readonly proofs: readonly PlannedProof[] };

export type AgentJob = {
  /** Name of the program on the PATH, and the arguments that it always gets. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** A program that it starts in turn. The fence shows that program too, if it is on the PATH. */
  readonly drives?: string;
  /** Names of our variables that log it in, and of those that only configure it. */
  readonly credentials: readonly string[];
  readonly variables: readonly string[];
  /** Absent in jobs of an earlier version, and for agents that need none. */
  readonly login?: AgentLogin;
  readonly model: string | null;
  /** Null when there is no limit. */
  readonly turns: number | null;
  /** Dollars that this attempt may cost. */
  readonly usd: number;
  /** A session of an earlier attempt of this task. `job` is the job that began it and holds the agent's home. */
  readonly session: { readonly id: string; readonly job: string; readonly usage: Usage } | null;
  readonly scope: ToolScope;
  readonly breaker: 'normal' | 'strict';
};

/** The terms of a running attempt that people can change. */
export type Terms = {
  readonly scope: ToolScope;
  readonly usd: number;
  /** The board records for its task, the most important first; absent in jobs of an earlier version. */
  readonly inbox?: readonly BoardRecord[];
  /** Records for its task that are not in `inbox`; absent in jobs of an earlier version. */
  readonly more?: Omitted;
  /** The summary of its wave; absent in jobs of an earlier version. */
  readonly wave?: string;
  /** The state of the run, for its orchestrator; absent for attempts. */
  readonly overview?: RunOverview;
};

/** `supervisor.json`: made by link(2), so that of two supervisors of one job only the first runs. */
export type SupervisorRecord = {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly nonce: string;
  readonly socket: string;
};

/** `started.json`: fsynced before the agent's first instruction. */
export type StartedRecord = Pick<DispatchEvidence, 'workspaceBase' | 'fence'> & {
  readonly argv: readonly string[];
  /** SHA-256 of the brief; absent where there is none. */
  readonly prompt?: string;
  /** The version that the agent's program reports. */
  readonly version?: string;
};

/** `exit.json`: fsynced after the process tree is dead and the snapshot is in the repository. */
export type ExitRecord = {
  readonly ending: Ending;
  readonly handoff: HandoffEvidence;
  readonly snapshot: SnapshotEvidence | null;
  /** Why there is no snapshot, when there is none. */
  readonly snapshotProblem: Finding | null;
  readonly log: LogEvidence;
  /** Last 4 KB of output, escaped for display. */
  readonly tail: string;
  readonly reminded: boolean;
  readonly chargedSeconds: number;
  /** Absent when the machine did not sleep. */
  readonly sleptSeconds?: number;
  /** Commands that were tried from inside the fence and that only a person may run, e.g. `approve demo-ab12`. */
  readonly refusals: readonly string[];
  /** Set for agents with a protocol; absent for commands, checks and generators. */
  readonly agent?: AgentReport;
  /** Set for a check with a report that ended by itself. */
  readonly report?: CheckReport;
};

/** One line of `notes.jsonl`. */
export type NumberedNote = { readonly number: number; readonly note: AgentNote };

export type SupervisorEvent =
  | { readonly type: 'started'; readonly record: StartedRecord; readonly pid: number }
  /** All notes so far, including those reported before. */
  | { readonly type: 'noted'; readonly notes: readonly NumberedNote[] }
  /** Also reported when the first supervisor died: another then takes the snapshot, with ending `lost`. */
  | { readonly type: 'ended'; readonly record: ExitRecord };

/** Starts supervisors, finds them again after a restart, and ends them. */
export interface Supervisors {
  /**
   * Ensures that the job runs or ran, exactly once: writes `job.json`, starts a supervisor unless one has claimed the job,
   * and reports its events from the beginning, whoever started it. Safe to call again after a crash.
   * `stop`, `tell` and `send` work only for jobs that this process has ensured.
   */
  ensure(job: Job, listener: (event: SupervisorEvent) => void): Promise<void>;
  /**
   * Ends the job: TERM, and after 3 s KILL for the whole pid namespace. The work is snapshotted. An agent that can be asked to end
   * its turn gets 2 s for that first. `ended` follows.
   */
  stop(id: string, reason: 'stopped' | 'timed-out'): Promise<void>;
  /** Sends the current terms as a whole. False when the attempt has ended. */
  tell(id: string, terms: Terms): Promise<boolean>;
  /**
   * Hands a person's message to the agent, at most once for each `number`, and notes that durably.
   * `refused`: the agent takes no message now. `over`: it has ended.
   */
  send(id: string, number: number, text: string): Promise<'taken' | 'refused' | 'over'>;
  /** Call when the exit is in the ledger: the supervisor may end. */
  acknowledge(id: string): Promise<void>;
  /** The same for jobs of an earlier coordinator, which may have died before it acknowledged them. */
  release(ids: Iterable<string>): Promise<void>;
  /** Releases all listeners. Agents continue. */
  detach(): Promise<void>;
}

/** A plan that exists only in a snapshot. `branch` is its base, unless it names another. */
type DraftedPlan = { readonly commit: CommitId; readonly file: string; readonly branch: string };

/** Reads a drafted plan as `tidegate run` would read it. */
export interface Drafts {
  /**
   * Returns every reason against starting it, each with its place; none when a person may be asked. Takes limited time and memory for
   * any content. Rejects with `EnvironmentFailed` when the plan could not be read.
   */
  mistakes(plan: DraftedPlan): Promise<readonly Finding[]>;
}
