import type { CommitId, RunId, TaskId, TreeId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { SidesBeside } from '../landing/landing.ts';
import type { Opener, Pushed } from '../landing/pull-request.ts';
import type { By } from './requests.ts';

/** A commit that checks are compared with. */
type Baseline = { readonly commit: CommitId; readonly tree: TreeId };

/** Moves of the person's branch: landing, pull requests and undo. */
export type LandingEvent =
  /** The landing waits for no person any more. The order of these events in the ledger is the order of the queue. */
  | { readonly type: 'landing-queued' }
  /** The tip of the person's branch just before landing. */
  | { readonly type: 'target-observed'; readonly commit: CommitId | null }
  | {
      readonly type: 'landing-rebuilt';
      readonly onto: CommitId;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** Files that both sides changed in conflicting ways. */
      readonly conflicts: readonly string[];
      /** The task whose commit conflicts, and the commits on the branch that changed those files since the run began. */
      readonly task?: TaskId;
      readonly against?: readonly ForeignCommit[];
      /** Set without conflicts, when check definitions differ from those on the branch. */
      readonly before?: EarlierDefinitions;
      /**
       * Set when nothing was replayed: `commit` is the run branch itself, on a branch that has not moved. Recorded when a task changed a
       * check definition; `onto` is the commit that the definitions are compared with.
       */
      readonly asMerged?: true;
      /**
       * Set for a run with closure roles: the paths on which their reports no longer hold, because others changed what the work changed or
       * reads, or because a part of the work is left out. Empty when the reports are carried.
       */
      readonly unjudged?: readonly string[];
      /** Set when the reports are carried: the tree that they are about. */
      readonly reported?: TreeId;
      /** Set for a plan with `ratchet`: the commit that its checks are compared with, which is `onto`. */
      readonly baseline?: Baseline;
      /** Set when the landing holds only the commits of these tasks. */
      readonly tasks?: readonly TaskId[];
      /** Set with conflicts: `part` is the commit of the run branch that does not apply; `commit` holds both sides. */
      readonly conflicted?: {
        readonly part: CommitId;
        readonly commit: CommitId;
        readonly beside?: readonly SidesBeside[];
      };
    }
  /**
   * A person resolved the conflict of `part`, a commit of the run branch. `from` is the commit with both sides, `snapshot` the person's
   * result, `commit` the same result as a commit of its task. Landings are rebuilt with it instead of `part`.
   */
  | {
      readonly type: 'landing-edited';
      readonly part: CommitId;
      readonly from: CommitId;
      readonly snapshot: CommitId;
      readonly commit: CommitId;
      readonly paths: readonly string[];
      readonly copy: string;
      readonly by: By;
    }
  | {
      readonly type: 'landing-intended';
      readonly branch: string;
      readonly old: CommitId | null;
      readonly new: CommitId;
      readonly worktree: string | null;
    }
  | {
      readonly type: 'landed';
      readonly branch: string;
      readonly old: CommitId | null;
      readonly new: CommitId;
      readonly tasks: readonly TaskId[];
      /** The commit of each task on the branch; for a rebuilt landing, the rebuilt commit. */
      readonly commits: readonly { readonly task: TaskId; readonly commit: CommitId }[];
    }
  | { readonly type: 'landing-refused'; readonly because: Finding }
  // land: pr
  /** The branch of the run exists in the person's repository. None of their branches moved. */
  | {
      readonly type: 'branch-made';
      readonly branch: string;
      readonly old: CommitId | null;
      readonly new: CommitId;
    }
  | {
      readonly type: 'push-intended';
      readonly branch: string;
      readonly commit: CommitId;
      readonly remote: string;
    }
  /** The remote has the branch. `opener`: the program that opens the pull request; null when a person does. */
  | ({
      readonly type: 'pushed';
      readonly branch: string;
      readonly commit: CommitId;
      readonly opener: Opener | null;
    } & Pushed)
  | {
      readonly type: 'pull-request-intended';
      readonly branch: string;
      readonly commit: CommitId;
      readonly base: string;
      readonly opener: Opener;
    }
  | {
      readonly type: 'pull-request-opened';
      readonly branch: string;
      readonly commit: CommitId;
      readonly url: string;
    }
  /** The person's branch contains the commits of the run. `commit` is its tip. */
  | {
      readonly type: 'pull-request-landed';
      readonly branch: string;
      readonly commit: CommitId;
      readonly tasks: readonly TaskId[];
      /** The commit of each task, with the id that was pushed. */
      readonly commits: readonly { readonly task: TaskId; readonly commit: CommitId }[];
    }
  /** Revert commits on top of `onto`. The branch moves to them when every check has passed on their tree. */
  | {
      readonly type: 'undo-prepared';
      readonly task: TaskId | null;
      readonly branch: string;
      readonly onto: CommitId;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** The reverted commits, newest first. */
      readonly reverts: readonly CommitId[];
      /** Set for a plan with `ratchet`: the commit of the branch before the run landed, which its checks are compared with. */
      readonly baseline?: Baseline;
    }
  | {
      readonly type: 'undo-intended';
      readonly task: TaskId | null;
      readonly branch: string;
      readonly old: CommitId;
      readonly new: CommitId;
    }
  | {
      readonly type: 'undone';
      readonly task: TaskId | null;
      readonly branch: string;
      readonly old: CommitId;
      readonly new: CommitId;
      readonly exact: boolean;
    }
  | { readonly type: 'undo-refused'; readonly task: TaskId | null; readonly because: Finding };

/** A commit on the person's branch that is not of this run, with the run and task that its trailers name. */
export type ForeignCommit = {
  readonly commit: CommitId;
  readonly run?: RunId;
  readonly task?: TaskId;
};
