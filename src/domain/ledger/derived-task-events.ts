import type { CommitId, TaskId } from '../base/ids.ts';
import type { DerivedPurpose, PlannedTask } from '../plan/plan.ts';

/** Tasks that Tidegate makes during a run, and the comparison of their results with the work that they stand for. */
export type DerivedTaskEvent =
  /**
   * Tidegate made a task. It inherits the approval of the tasks that it stands for, because its scope and its budget are parts of
   * theirs.
   */
  | {
      readonly type: 'task-derived';
      readonly task: TaskId;
      readonly wave: number;
      readonly purpose: DerivedPurpose;
      readonly planned: PlannedTask;
      readonly standsFor: readonly TaskId[];
      /** Paths among its own that people granted to the tasks that it stands for; absent for none. */
      readonly granted?: readonly string[];
      readonly inputs: RepairInputs;
    }
  /**
   * The merger compared the result of a resolver with both sides. It counts for this snapshot only. `rules` is the version of the
   * comparison; absent for 1.
   */
  | ({
      readonly type: 'sides-compared';
      readonly task: TaskId;
      readonly snapshot: CommitId;
      readonly rules?: number;
    } & ComparedSides);

/** The pair that a resolver works on: a snapshot that could not be integrated, and the integrated work of the others. */
export type RepairInputs = RepairSubject & {
  /** The snapshot of the task that is held, and the commit that it is compared with. */
  readonly snapshot: CommitId;
  readonly base: CommitId;
  /** The check that failed; absent for a conflict. */
  readonly check?: string;
};

/** The work that a resolver may repair. */
export type RepairSubject = {
  /** The integrated work of the other tasks. */
  readonly onto: CommitId;
  /** The commit with the snapshot on top of it, which fails a check; absent for a conflict. */
  readonly failing?: CommitId;
  /** The paths that conflict, or all that the snapshot changes. */
  readonly paths: readonly string[];
};

/** Paths with markers of a conflict in them, and changes of either side that the result lacks. */
export type ComparedSides = { readonly markers: readonly string[]; readonly gone: readonly GoneHunk[] };

/** `theirs`: the snapshot of the task that is held. `ours`: the work of the others. Lines are those of that side's file. */
export type GoneHunk = {
  readonly path: string;
  readonly side: 'ours' | 'theirs';
  readonly from: number;
  readonly to: number;
  /** All that the side added is there, but a line that it removed is there again. */
  readonly back?: true;
  /** The mode that the side gave the file and the result lacks. Then `from` and `to` are 0. */
  readonly mode?: string;
};
