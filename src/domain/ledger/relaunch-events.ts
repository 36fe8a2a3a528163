import type { CommitId, TaskId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { RelaunchPhase } from '../relaunch/phases.ts';
import type { AttemptOutcome } from '../run/task.ts';
import type { By } from './requests.ts';

/** A person's selection: the tasks that start over, the phase from which on all run again, and results that are not reused. */
export type RelaunchOrder = {
  readonly only?: readonly TaskId[];
  readonly from?: RelaunchPhase;
  readonly clear?: readonly TaskId[];
};

/** The snapshot of a task that counts again. `was` is the fingerprint that its attempt started with, `is` the one of now. */
export type ResultReuse = {
  readonly task: TaskId;
  readonly snapshot: CommitId;
  readonly was: string;
  readonly is: string;
};

/** Starts that a person selected, and starts that cost a task nothing. */
export type RelaunchEvent =
  /**
   * A person's selection and its effect, in one event. `starts`: tasks that start over from their base. `reuses`: tasks whose snapshot
   * is judged again instead of made again. `roles`: closure roles whose reports count no longer.
   */
  | ({
      readonly type: 'wave-relaunched';
      readonly wave: number;
      readonly starts: readonly RelaunchStart[];
      readonly reuses: readonly ResultReuse[];
      readonly roles: readonly TaskId[];
      readonly by: By;
    } & RelaunchOrder)
  /**
   * A failed task continues at no cost: only components that it promotes together with others keep the wave open, and `settled`, which
   * is not one of the tasks that they wait for, has just finished. `charged` is the count after it.
   */
  | {
      readonly type: 'task-continued';
      readonly task: TaskId;
      readonly settled: TaskId;
      readonly components: readonly string[];
      /** The snapshot that it continues from. */
      readonly from: CommitId | 'base';
      readonly charged: number;
      readonly findings: readonly Finding[];
      /** How the attempt before ended, for the next one; older records do not say. */
      readonly after?: AttemptOutcome;
    };

/** `findings` and `after` tell the next agent about the attempt before; absent when there is nothing to tell. */
type RelaunchStart = {
  readonly task: TaskId;
  readonly findings?: readonly Finding[];
  readonly after?: AttemptOutcome;
};
