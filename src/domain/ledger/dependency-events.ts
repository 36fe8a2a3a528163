import type { CommitId, RunId, TaskId } from '../base/ids.ts';
import type { RunOutcome } from './events.ts';
import type { By } from './requests.ts';

/** A run, or one of its tasks. */
type RunEnd = { readonly run: RunId; readonly task?: TaskId };

/** One end of a dependency. A branch of the person has no run behind it. */
export type DependencyEnd = RunEnd | { readonly branch: string };

/** The landing that meets a dependency: `commit` is on `branch`, and holds the work of the run or task. */
export type MeetingLanding = RunEnd & { readonly branch: string; readonly commit: CommitId };

/** Dependencies between runs and branches. Each end records its own facts, so that the fold of a run reads its own stream only. */
export type DependencyEvent =
  /** This run, or one of its tasks, requires something of another run or of a branch. The id is unique in the repository. */
  | {
      readonly type: 'dependency-added';
      readonly dependency: string;
      readonly task?: TaskId;
      /** The branch that depends on it, instead of the run: nothing lands there. Its stream is that of the repository; runs that land there record it, too. */
      readonly branch?: string;
      readonly on: DependencyEnd;
      /** False: it is only shown. */
      readonly required: boolean;
      readonly text: string;
      readonly by: By;
    }
  /** Another run, or a branch, requires something of this run, or of one of its tasks. `branch` is where that has to land. */
  | {
      readonly type: 'dependency-owed';
      readonly dependency: string;
      readonly task?: TaskId;
      readonly of: DependencyEnd;
      readonly branch: string;
      readonly required: boolean;
      readonly text: string;
      readonly by: By;
    }
  /** The other end is over and has not met it, or its landing was undone. It is open, and a person decides. */
  | {
      readonly type: 'dependency-unmet';
      readonly dependency: string;
      readonly because: RunOutcome | 'dropped' | 'undone';
    }
  /** It holds nothing up: by the landing of the other run, or by a person's decision with a reason. */
  | {
      readonly type: 'dependency-resolved';
      readonly dependency: string;
      readonly landed?: MeetingLanding;
      readonly reason?: string;
      readonly by: By;
    }
  | { readonly type: 'dependency-cancelled'; readonly dependency: string; readonly reason: string; readonly by: By };

export type DependencyRequest =
  /** Adds a dependency of the run, of the task `subject`, or of `branch`. `on` is a run, run/task or branch, as it was typed. */
  | {
      readonly type: 'requested-dependency';
      readonly subject: TaskId | null;
      /** Set in the stream of the repository: the branch that depends on it. */
      readonly branch?: string;
      readonly on: string;
      readonly required: boolean;
      readonly text: string;
      readonly by: By;
    }
  /** Resolves or cancels a dependency of the run. */
  | {
      readonly type: 'requested-dependency-end';
      readonly dependency: string;
      readonly end: 'resolved' | 'cancelled';
      readonly reason: string;
      readonly by: By;
    };
