import type { AgentReport } from '../agents/agent-note.ts';
import type { AttemptId, CommitId, PlanHash, RunId, TaskId, TreeId } from '../base/ids.ts';
import type { CheckReport } from '../checks/report.ts';
import type { BundleEvidence, ExitClaims } from '../closure/exit-contract.ts';
import type { RoleReport } from '../closure/report.ts';
import type { Finding } from '../findings/finding.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { ComparedSides } from '../ledger/derived-task-events.ts';
import type { Maturity } from '../plan/maturity.ts';

/**
 * Observations of the shell, recorded in the ledger before they are judged. Gates read nothing else,
 * so that a live decision and its replay are the same function of the same input.
 */

/** The identity of a repository. Addresses of remotes are without credentials. */
export type RepoAttestation = {
  readonly rootCommit: CommitId;
  readonly remotes: readonly { readonly name: string; readonly url: string }[];
};

/** The repository that a task is for, as far as `repo:` says so. */
export type RepoClaim = { readonly task: TaskId; readonly root: string | null; readonly remote: string | null };

export type ContractEvidence = {
  readonly run: string;
  readonly planFile: string;
  readonly planExists: boolean;
  /** `--wave N` as given; null when absent. */
  readonly wave: number | null;
  /** With `--wave`: every task of the plan as earlier runs left it. Absent without. */
  readonly earlier?: readonly EarlierTask[];
};

/** One task of the plan, and what an earlier run made of it. */
export type EarlierTask = {
  readonly task: TaskId;
  readonly wave: number;
  /** Null: no run has had it. */
  readonly run: RunId | null;
  /** `open`: that run has not finished it. `absent`: there is no such run. */
  readonly status: 'merged' | 'done' | 'dropped' | 'open' | 'absent';
  /** The commit that landed for it or is offered, after a rebuild the rebuilt one; null when there is none. */
  readonly commit: CommitId | null;
  /** The branch of its own that the run left it on, while that is there. Absent: it was to land on the person's. */
  readonly branch?: string;
  /** It was taken back since it landed. */
  readonly undone: boolean;
  /** The commit is an ancestor of the one that the run would begin at. */
  readonly inBase: boolean;
};

export type LoadEvidence = {
  readonly findings: readonly Finding[];
  readonly tasks: number;
  /** The repository that the run was ordered in, and the one we are in. */
  readonly expected: RepoAttestation | null;
  readonly actual: RepoAttestation;
  /** The claims of `repo:`; absent when they concern no task. */
  readonly claims?: readonly RepoClaim[];
};

/** The board that is the ledger itself, or a thread elsewhere. `failed`: ways that were tried before, and why they are not it. */
export type ThreadEvidence =
  | { readonly board: 'builtin'; readonly id: string; readonly failed?: readonly FailedWay[] }
  | BoundThread;

/** `id` is what the other side calls it; of a log, where it is below the state directory. */
export type BoundThread = {
  readonly board: 'intake' | 'threads' | 'log';
  readonly id: string;
  readonly failed: readonly FailedWay[];
};

export type FailedWay = { readonly way: BoundThread['board']; readonly because: Finding };

export type PreflightEvidence = {
  /** Lint findings of this wave's directives; `error` blocks, `warning` is shown. */
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
};

/** Ownership is judged over the plan itself plus what people granted since; the tree supplies collisions. */
export type OwnershipEvidence = {
  readonly granted: readonly { readonly task: TaskId; readonly paths: readonly string[] }[];
};

export type ApprovalEvidence = {
  readonly decision: 'approved' | 'rejected' | 'held' | 'expired' | 'pending';
  /** The hash that the person saw. */
  readonly hash: PlanHash;
};

export type FenceEvidence = {
  readonly mode: 'bwrap' | 'none';
  /** The escapes that the canary tried and their results; `held` only when every one failed. */
  readonly canary: 'held' | 'breached' | 'waived';
  /** Absent when it held. */
  readonly breaches?: readonly Breach[];
  readonly uid: number;
  readonly network: 'on' | 'off' | readonly string[];
};

/** One way out that the canary found. `at` is the path or device. `unknown`: a report that we do not understand, as it was. */
export type Breach = { readonly breach: BreachKind; readonly at?: string };

export const breachKinds = [
  'wrote-outside',
  'wrote-in',
  'workspace-unwritable',
  'workspace-unwritten',
  'processes',
  'run-directory',
  'capabilities',
  'root',
  'privileges',
  'system-calls',
  'core-pattern',
  'remount',
  'network-device',
  'unknown',
] as const;
type BreachKind = (typeof breachKinds)[number];

export type DispatchEvidence = {
  readonly attempt: AttemptId;
  readonly base: CommitId;
  /** The commit that the workspace was really made from. */
  readonly workspaceBase: CommitId;
  readonly fence: FenceEvidence;
  /** `version` is what the program says of itself, for agents that do. */
  readonly agent: { readonly executor: string; readonly argv: readonly string[]; readonly version?: string };
};

type HandoffStatus = 'done' | 'partial' | 'failed';
export type Handoff = {
  readonly status: HandoffStatus;
  readonly summary: string;
  readonly remaining: readonly string[];
  readonly files: readonly string[];
  readonly proofs: readonly string[];
  readonly questions: readonly string[];
  readonly nonce: string;
  /** Levels that the agent claims. Absent when it claims none. */
  readonly claims?: ExitClaims;
  /** Set for a closure role. */
  readonly report?: RoleReport;
  /** Hunks that a resolver left out, each as `path reason` or `path:from-to reason`. Absent when it names none. */
  readonly dropped?: readonly string[];
};

/** `marker`: made from marker lines in the output of a closure role. */
export type HandoffEvidence =
  | { readonly kind: 'given'; readonly handoff: Handoff; readonly via: 'socket' | 'file' | 'marker' }
  | { readonly kind: 'absent' }
  /** stale nonce, FIFO, symlink, too large, invalid UTF-8, not our schema … */
  | { readonly kind: 'invalid'; readonly because: Finding };

/** The end of an attempt's process. `reason` is ours; an agent's own exit is `exited`. */
export type Ending = {
  /** `lost`: the supervisor died without a word; what it left in the workspace was snapshotted by another. */
  readonly reason:
    | 'exited'
    | 'lost'
    | 'launch-failed'
    | 'timed-out'
    | 'silent'
    | 'stopped'
    | 'abandoned'
    | 'setup-failed'
    /** The breaker: it did the same over and over. */
    | 'spiral'
    | 'over-budget';
  readonly code: number | null;
  readonly signal: string | null;
  /** Absent when the rest says it all. */
  readonly because?: Finding;
};

/** One changed path of a snapshot against its base. Renames are a delete and an add. */
export type DiffEntry = {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
  /** '000000' when absent on that side. */
  readonly oldMode: string;
  readonly newMode: string;
  /** Set for new symbolic links: a gate sees by it whether the link leaves the repository or the scope. */
  readonly linkTarget?: string;
  /** The keys that differ, of a manifest whose keys can be read on both sides. */
  readonly keys?: readonly string[];
};

export type SnapshotEvidence = {
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly base: CommitId;
  readonly diff: readonly DiffEntry[];
  /** Paths that could not be taken: FIFO, socket, device, nested repository, name with newline, unreadable. */
  readonly refused: readonly Finding[];
  /** Secret values or patterns found in added content: path and rule, never the value. */
  readonly secrets: readonly Finding[];
  /** Files that match a deliverable and differ from the base, each with its blob. Absent when the task has no deliverables. */
  readonly made?: readonly { readonly path: string; readonly blob: string }[];
  /** Declared proofs that the attempt left, as they are in the evidence store. Absent when the task declares none. */
  readonly proofs?: readonly ProofEvidence[];
};

/** A declared proof: its content, or why there is none. */
export type ProofEvidence = { readonly path: string; readonly kind?: string } & (
  | { readonly sha256: string; readonly bytes: number }
  | { readonly fault: ProofFault }
);

/** `unchanged`: it was there before the attempt, and the attempt did not write it. `withheld`: the snapshot gate or the secrets gate names it. */
export type ProofFault = 'absent' | 'not-a-file' | 'empty' | 'unreadable' | 'unchanged' | 'withheld';

/** `file` is below the state directory's `jobs/`. */
export type LogEvidence = {
  readonly file: string;
  readonly bytes: number;
  readonly kept: number;
  readonly sha256: string;
};

/** A person's word on one snapshot. It counts for exactly that one. */
export type Acceptance = {
  readonly snapshot: CommitId;
  readonly who: string;
  /** Paths that the person changed by hand, against what the agent left. */
  readonly edited: readonly string[];
};

export type MonitorEvidence = {
  readonly attempt: AttemptId;
  readonly nonce: string;
  readonly ending: Ending;
  readonly handoff: HandoffEvidence;
  /** null when the snapshot could not be made (disk full …); then nothing can be judged. */
  readonly snapshot: SnapshotEvidence | null;
  /** Why there is no snapshot; absent when there is one, or no agent had begun. */
  readonly snapshotProblem?: Finding;
  /** The end as reported by an agent that speaks a protocol. Never proof of work; may show that there was none. */
  readonly agent?: Pick<AgentReport, 'outcome' | 'trouble'>;
  /** Findings about the plan that the task drafts; absent when it drafts none, or when it was not read. */
  readonly drafted?: readonly Finding[];
  /** Absent when nobody took a snapshot of this attempt. */
  readonly acceptance?: Acceptance;
  /** A person let exactly this tree pass without what its exit contract requires. Absent when nobody did. */
  readonly resolved?: { readonly tree: TreeId; readonly who: string };
  /** The checks of the plan on the snapshot's own tree. Absent when its contract needs none there. */
  readonly checks?: readonly CheckOutcome[];
  /** The snapshot of a resolver, compared with both sides. Absent for other tasks, and until it is compared. */
  readonly sides?: ComparedSides;
  /** Set when a closure role judged a landing on a branch that has moved. */
  readonly landing?: true;
};

export type CheckOutcome = {
  readonly name: string;
  readonly tree: TreeId;
  readonly outcome: 'passed' | 'failed' | 'timed-out' | 'could-not-run';
  readonly code: number | null;
  /** Why it could not run; of one that failed or timed out, the setup that did. */
  readonly because?: Finding;
  readonly log: LogEvidence;
  /** The last lines of output, for people; at most 4 KB. */
  readonly tail: string;
  /** Set for a check with `parse` that ended by itself. */
  readonly report?: CheckReport;
};

/** The result of running the commands of `generated` on a candidate. */
export type GeneratorOutcome = {
  readonly ending: Ending;
  /** The snapshot of the whole workspace, on the candidate's last commit; nothing but generated paths is taken from it. */
  readonly snapshot: SnapshotEvidence | null;
  readonly log: LogEvidence;
  /** The last lines of output, for people; at most 4 KB. */
  readonly tail: string;
};

/**
 * The outcomes on the tree that a candidate is built on. `redefined`: checks whose definition the candidate changes. `resolved`: checks
 * that a person let pass on a tree, because they cannot be compared.
 */
export type CheckBaseline = {
  readonly tree: TreeId;
  readonly checks: readonly CheckOutcome[];
  readonly redefined?: readonly string[];
  readonly resolved?: readonly { readonly check: string; readonly tree: TreeId }[];
};

/** A task of a round and its snapshot. `by`: the derived task that made the snapshot; absent when the task did. */
export type RoundEntry = { readonly task: TaskId; readonly snapshot: CommitId; readonly by?: TaskId };

export type ClosureEvidence = {
  readonly round: number;
  readonly base: CommitId;
  readonly candidate: CommitId;
  readonly tree: TreeId;
  readonly tasks: readonly RoundEntry[];
  readonly checks: readonly CheckOutcome[];
  /** The outcomes that checks with `ratchet` are compared with. Absent when the plan has no such check. */
  readonly baseline?: CheckBaseline;
  /** The same checks with their earlier definitions. Absent where nothing differs. */
  readonly before?: Pick<EarlierDefinitions, 'tree' | 'changes'> & { readonly checks: readonly CheckOutcome[] };
  /** Reports of closure roles, proofs of people and promoted components. Absent for a wave that needs none of them. */
  readonly closure?: {
    /** The tree without what closure roles added. */
    readonly core: TreeId;
    readonly reports: readonly ReportEvidence[];
    /** Barriers that people resolved. */
    readonly resolved: readonly string[];
    /** Components that this candidate promotes; absent for none. */
    readonly components?: readonly ComponentEvidence[];
    /** Items that the docs role has to close by name; absent for none. */
    readonly docs?: readonly string[];
  };
  /** Active bundles of the proof registry about the snapshots of this candidate. Absent when no task needs one. */
  readonly bundles?: readonly BundleEvidence[];
};

/** A component, the level that it reaches, and the work of its owners. */
export type ComponentEvidence = {
  readonly component: string;
  readonly level: Maturity;
  readonly owners: readonly { readonly task: TaskId; readonly snapshot: CommitId }[];
};

/** A role's report, and the tree that it is about. */
export type ReportEvidence = {
  readonly task: TaskId;
  readonly attempt: AttemptId;
  readonly tree: TreeId;
  readonly report: RoleReport;
};

export type MergeEvidence = {
  readonly round: number;
  readonly old: CommitId;
  readonly new: CommitId;
  /** The commit of the run branch when the merger looked after its compare-and-swap. */
  readonly observed: CommitId;
  readonly proof: string;
};
