import type { CommitId, RunId, TaskId, TreeId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { SidesBeside } from '../landing/landing.ts';
import type { Opener, Pushed } from '../landing/pull-request.ts';
import type { By } from './requests.ts';

/** Moves of the person's branch, there and back. */
export type LandingEvent =
  /** Only the machine has work left before the branch can move. The place in the queue is the event's place in the ledger. */
  | { readonly type: 'landing-queued' }
  /** Where the person's branch stood when we looked, just before landing. */
  | { readonly type: 'target-observed'; readonly commit: CommitId | null }
  | {
      readonly type: 'landing-rebuilt';
      readonly onto: CommitId;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** Files that both sides changed, in what way the merge could not tell. */
      readonly conflicts: readonly string[];
      /** The task whose commit conflicts, and the commits on the branch that changed those files since the run began. */
      readonly task?: TaskId;
      readonly against?: readonly ForeignCommit[];
      /** Without conflicts, where what defines the checks differs from the branch. */
      readonly before?: EarlierDefinitions;
      /**
       * Nothing was replayed: `commit` is the run branch as it is, on a branch that has not moved. Recorded where a task changed a
       * check definition on the way; `onto` is the commit that it is compared with.
       */
      readonly asMerged?: true;
      /** Made of the commits of these tasks only. */
      readonly tasks?: readonly TaskId[];
      /** Only with conflicts: `part` is the commit of the run branch that could not be put onto it; `commit` holds both sides. */
      readonly conflicted?: {
        readonly part: CommitId;
        readonly commit: CommitId;
        readonly beside?: readonly SidesBeside[];
      };
    }
  /**
   * A person made the commit `part` of the run branch fit by hand, from the commit `from` that holds both sides. `snapshot` is what
   * they left, `commit` the same as a commit of its task. Landings are rebuilt with it instead of `part`.
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
      /** The commit of each of them as it lies on the branch: of a rebuilt landing the rebuilt one. */
      readonly commits: readonly { readonly task: TaskId; readonly commit: CommitId }[];
    }
  | { readonly type: 'landing-refused'; readonly because: Finding }
  // a pull request instead of a moved target
  /** The branch of the run is in the person's repository; nothing of theirs moved. */
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
  /** The remote has the branch. `opener`: the program that opens the pull request; null: a person does. */
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
  /** The person's branch was seen to contain the commits of the run; `commit` is where it stood. */
  | {
      readonly type: 'pull-request-landed';
      readonly branch: string;
      readonly commit: CommitId;
      readonly tasks: readonly TaskId[];
      /** The commit of each of them. The branch contains it under the id that was offered. */
      readonly commits: readonly { readonly task: TaskId; readonly commit: CommitId }[];
    }
  /** Commits on top of `onto` that take it back. The branch moves to them when every check has passed on their tree. */
  | {
      readonly type: 'undo-prepared';
      readonly task: TaskId | null;
      readonly branch: string;
      readonly onto: CommitId;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** What they take back, newest first. */
      readonly reverts: readonly CommitId[];
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

/** A commit of somebody else on the person's branch; of which run and task, if it says that it is one of ours. */
export type ForeignCommit = {
  readonly commit: CommitId;
  readonly run?: RunId;
  readonly task?: TaskId;
};
