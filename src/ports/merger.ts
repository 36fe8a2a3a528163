import type { CommitId, RunId, TaskId } from '../domain/base/ids.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { DiffEntry } from '../domain/gates/evidence.ts';
import type { By } from '../domain/ledger/requests.ts';
import { EnvironmentFailed } from './failures.ts';

/**
 * Every write of a git ref is a request to another process. The merger reads the ledger itself, verifies that the ledger proves the
 * request, and appends its own events under `epoch`; its answers only say that it has finished.
 */
export type MergerRequest =
  /** Objects of the target branch into the bare repository; run branch set to its tip. -> run-branch-made */
  | { readonly do: 'open-run'; readonly run: RunId }
  /** -> task-base-made, or a refusal that names the conflicting files */
  | { readonly do: 'make-task-base'; readonly run: RunId; readonly task: TaskId }
  /** Integrates the open round's tasks in memory. -> candidate-built */
  | { readonly do: 'build-candidate'; readonly run: RunId; readonly wave: number; readonly round: number }
  /** The candidate with its generated files as they were rebuilt. -> candidate-completed */
  | { readonly do: 'add-generated'; readonly run: RunId; readonly wave: number; readonly round: number }
  /** The candidate with the new levels of components in the matrix. -> components-promoted */
  | { readonly do: 'promote'; readonly run: RunId; readonly wave: number; readonly round: number }
  /** The candidate with the changes of a closure role. -> candidate-extended */
  | {
      readonly do: 'add-role';
      readonly run: RunId;
      readonly wave: number;
      readonly round: number;
      readonly task: TaskId;
    }
  /** Compares the newest snapshot of a resolver with both sides. -> sides-compared */
  | { readonly do: 'compare-sides'; readonly run: RunId; readonly task: TaskId }
  /** Re-verifies the proof chain, then compare-and-swaps the run branch. -> merge-intended, merged */
  | { readonly do: 'merge'; readonly run: RunId; readonly wave: number; readonly round: number }
  /** Rebuilds the run's commits onto a target that moved. -> landing-rebuilt */
  | { readonly do: 'rebuild-landing'; readonly run: RunId }
  /**
   * Moves the person's branch by the journalled sequence. -> landing-intended, landed | landing-refused
   * Check definitions that the run changed are compared first, and nothing moves before the checks passed. -> landing-rebuilt
   * With `land: pr`: -> landing-intended, branch-made, push-intended, pushed, pull-request-intended, pull-request-opened | landing-refused
   */
  | { readonly do: 'land'; readonly run: RunId }
  /**
   * One step of an undo: the branch goes back at once, or reverts are prepared, or it moves to those that were prepared
   * and have passed every check since. -> undo-prepared | undo-intended, undone | undo-refused
   */
  | { readonly do: 'undo'; readonly run: RunId; readonly task: TaskId | null }
  /** Takes paths out of a held snapshot. -> paths-dropped */
  | {
      readonly do: 'drop-paths';
      readonly run: RunId;
      readonly task: TaskId;
      readonly paths: readonly string[];
      readonly by: By;
    }
  /** Takes a person's edit of a snapshot as the next snapshot. -> task-edited */
  | {
      readonly do: 'take-edit';
      readonly run: RunId;
      readonly task: TaskId;
      readonly from: CommitId;
      readonly copy: string;
      readonly by: By;
    }
  /** Takes a person's resolution of a landing that conflicts. -> landing-edited */
  | {
      readonly do: 'take-landing-edit';
      readonly run: RunId;
      readonly from: CommitId;
      readonly copy: string;
      readonly by: By;
    };

export type MergerAnswer =
  | { readonly outcome: 'done' }
  /** Nothing moved. */
  | { readonly outcome: 'refused'; readonly because: Finding }
  /** The epoch of the request is not the current one. */
  | { readonly outcome: 'stale-epoch' };

/** The environment failed: git missing, disk full, the merger killed. Nothing is decided by it. */
export class MergerFailed extends EnvironmentFailed {
  override readonly name = 'MergerFailed';
}

export interface Merger extends AsyncDisposable {
  /** Requests are served one by one, in order. Rejects with `MergerFailed` when the environment failed; asking again is safe. */
  ask(request: MergerRequest, epoch: number): Promise<MergerAnswer>;
}

/** Read-only questions about the person's repository and our bare one. */
export interface GitReader {
  toplevel(): Promise<string>;
  rootCommit(): Promise<CommitId>;
  /** Addresses without credentials, in the order of the configuration. */
  remotes(): Promise<readonly { readonly name: string; readonly url: string }[]>;
  branchTip(branch: string): Promise<CommitId | null>;
  /** In our bare repository. */
  runBranchTip(run: RunId): Promise<CommitId | null>;
  currentBranch(): Promise<string | null>;
  /** In the person's repository. False when it lacks one of them. */
  isAncestor(ancestor: CommitId, of: CommitId): Promise<boolean>;
  /** Returns the matching files of a commit, in git's order. */
  files(commit: CommitId, wanted: WantedFiles): Promise<FoundFiles>;
  diff(from: CommitId, to: CommitId): Promise<readonly DiffEntry[]>;
}

export type WantedFiles = {
  /** Files and directories that everything wanted is or lies below; '' is the whole tree. */
  readonly below: readonly string[];
  matches(path: string): boolean;
  /** The number of files to return; the others are only counted. */
  readonly most: number;
};

export type FoundFiles = {
  readonly total: number;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
};
