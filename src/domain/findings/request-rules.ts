import type { CommitId, RunId, TaskId } from '../base/ids.ts';
import type { BoardRecord } from '../board/board.ts';
import type { Severity } from '../board/kinds.ts';
import type { TapState } from '../decide/tap.ts';
import type { TapName } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import type { TaskProgress } from '../run/task.ts';
import type { Finding } from './finding.ts';

/** Reasons why a request is refused. */
export type RequestRules = {
  'run-unknown': unknown;
  'run-exists': { readonly run: RunId };
  'run-ended': { readonly outcome: NonNullable<RunState['ended']> };
  /** The request comes from another version. */
  'request-unknown': { readonly type: string };
  /** `known` holds the tasks of the run. */
  'no-such-task': { readonly run: string; readonly task: string; readonly known?: readonly string[] };
  'task-removed': { readonly task: TaskId };
  /** A derived task whose work counts no longer. */
  'derived-void': { readonly task: TaskId; readonly standsFor: TaskId };
  'derived-grant': { readonly run: RunId; readonly task: TaskId; readonly standsFor: TaskId };
  'derived-selected': { readonly run: RunId; readonly task: TaskId; readonly standsFor: TaskId };
  'wave-closed': { readonly wave: number };
  /** `path` is not a file that was kept because no snapshot holds it. */
  'not-kept': { readonly run: RunId; readonly task: TaskId; readonly path: string };
  'drop-merged': { readonly task: TaskId };
  /** A closure role can only run again; its barrier is resolved with a reason. */
  'role-request': { readonly run: RunId; readonly task: TaskId; readonly ended?: true };
  /** No candidate waits for this closure role. */
  'role-not-open': { readonly task: TaskId };
  'resolve-reason': unknown;
  // proofs
  /** The task has no work to prove, or is a closure role. */
  'proof-subject': { readonly task: TaskId };
  'proof-landed': { readonly task: TaskId };
  'proof-attestation': unknown;
  'proof-reason': unknown;
  'proof-level': { readonly level: string; readonly levels: readonly string[] };
  'proof-artifacts': { readonly most: number };
  /** An artifact that is neither a file with its hash nor an address with hash and time. */
  'proof-artifact': { readonly artifact: string };
  /** A file cannot be an artifact. `bytes`: the limit; `shape`: the rule of secrets that matched. */
  'proof-file': {
    readonly file: string;
    readonly fault: 'unreadable' | 'too-large' | 'secret';
    readonly bytes?: number;
    readonly shape?: string;
  };
  'proof-component': { readonly task: TaskId; readonly component: string };
  'no-such-bundle': { readonly run: RunId; readonly bundle: string; readonly known: readonly string[] };
  'bundle-settled': { readonly bundle: string; readonly state: 'superseded' | 'revoked' };
  'bundle-of-other-task': { readonly bundle: string; readonly task: TaskId };
  'bundle-landed': { readonly run: RunId; readonly bundle: string; readonly task: TaskId };
  /** `open` holds the barriers that a person can resolve. */
  'no-such-barrier': { readonly run: RunId; readonly barrier: string; readonly open: readonly string[] };
  /** The status of the task does not allow the action. */
  'task-status': {
    readonly task: TaskId;
    readonly action: 'drop-paths' | 'retry' | 'select' | 'rework' | 'accept' | 'edit';
    readonly status: TaskProgress['status'];
  };
  // accepting and editing work
  /** The task has a newer snapshot than the one that was shown. */
  'snapshot-outdated': { readonly task: TaskId; readonly named: string; readonly newest: CommitId | null };
  /** The fence or the workspace of the attempt was not proven, so its work cannot be accepted. */
  'work-unproven': { readonly task: TaskId };
  /** Exit and handoff passed, so accepting would change nothing. */
  'accept-needless': { readonly run: RunId; readonly task: TaskId };
  'no-such-agent': { readonly agent: string; readonly known: readonly string[] };
  'agent-without-command': { readonly agent: string; readonly task: TaskId };
  'raise-amount': unknown;
  'grant-conflict': { readonly because: Finding };
  // messages; `words` is the message
  'agent-not-running': Message & { readonly status: TaskProgress['status'] };
  'agent-takes-none': Message & { readonly agent: string };
  'agent-busy': Message;
  // taps
  'tap-absent': { readonly tap: TapName };
  'tap-expired': { readonly tap: TapName; readonly expired: string };
  'tap-settled': { readonly status: TapState['status']; readonly who: string };
  'plan-outdated': unknown;
  'run-being-made': { readonly run: RunId };
  'run-over': { readonly run: RunId; readonly outcome: NonNullable<RunState['ended']> };
  'run-abandoned': { readonly who: string };
  'in-landing-queue': { readonly run: RunId };
  // landing, undo and decisions
  'already-landed': { readonly run: RunId };
  'already-undone': { readonly run: RunId; readonly task: TaskId | null };
  'nothing-to-decide': {
    readonly run: RunId;
    readonly last: { readonly status: TapState['status']; readonly who: string } | null;
  };
  'other-plan': { readonly run: RunId; readonly asked: string; readonly named: string };
  'same-plan': { readonly run: RunId; readonly file: string };
  'choice-twice': unknown;
  'run-landed': unknown;
  'nothing-landed': unknown;
  'nothing-merged': unknown;
  'nothing-to-land': unknown;
  'branch-moving': unknown;
  'task-not-landed': { readonly task: TaskId };
  'task-landed': { readonly task: TaskId };
  'task-not-merged': { readonly task: TaskId; readonly status?: TaskProgress['status'] };
  'no-task-left': unknown;
  'need-not-chosen': { readonly task: TaskId; readonly need: TaskId };
  'need-undone': { readonly task: TaskId; readonly need: TaskId; readonly branch: string };
  'lands-as-a-whole': unknown;
  'wave-open': { readonly wave: number };
  // the board
  'post-kind': { readonly kinds: readonly string[] };
  'post-severity': { readonly severities: readonly Severity[] };
  'post-target': unknown;
  'post-empty': unknown;
  'post-long': { readonly limit: number };
  'no-such-record': { readonly run: RunId; readonly record: string };
  'record-settled': { readonly record: string; readonly status: BoardRecord['status'] };
  // another version of the plan
  replan: ReplanFault;
  'replan-behind': unknown;
  'tasks-running': { readonly run: RunId; readonly tasks: readonly TaskId[] };
  'undo-under-way': unknown;
  'landing-under-way': unknown;
  'wave-integrating': { readonly run: RunId; readonly wave: number };
  'run-branch-moving': { readonly run: RunId };
};

type Message = { readonly run: RunId; readonly task: TaskId; readonly words: string };

/** A run cannot continue with the new version of its plan. */
type ReplanFault =
  | { readonly fault: 'base'; readonly run: RunId; readonly base: string; readonly asked: string }
  | { readonly fault: 'task-merged'; readonly task: TaskId; readonly wave: number }
  | { readonly fault: 'wave-begun' | 'wave-closed'; readonly wave: number }
  | { readonly fault: 'other-wave'; readonly run: RunId; readonly wave: number }
  | { readonly fault: 'all-closed' }
  | { readonly fault: 'mistakes'; readonly findings: readonly Finding[] };
