import type { TaskId } from '../base/ids.ts';
import type { Post, RecordChange, RecordPlace } from '../board/board.ts';
import type { RecordClock } from '../board/kinds.ts';
import type { By } from './requests.ts';

/** The board. Posts and acts of agents are notes of their attempts. */
export type BoardEvent =
  /** `repository`: the record of the repository's board that a run takes over. */
  | ({
      readonly type: 'record-posted';
      readonly place: RecordPlace;
      readonly repository?: string;
      readonly by: By;
    } & Post)
  | { readonly type: 'record-answered'; readonly record: string; readonly text: string; readonly by: By }
  | { readonly type: 'record-closed'; readonly record: string; readonly by: By }
  /** A task that was ready starts again, for these records. It does so at most `most` times. */
  | {
      readonly type: 'helper-assigned';
      readonly task: TaskId;
      readonly records: readonly string[];
      readonly at: string;
      readonly most: number;
    }
  /** The clocks of these records ran out, which took `seconds`. Each clock of a record is named once. */
  | {
      readonly type: 'records-overdue';
      readonly records: readonly {
        readonly record: string;
        readonly clock: RecordClock;
        readonly due: string;
        readonly seconds: number;
      }[];
      readonly at: string;
    }
  /** A person or a rule acted on a record. Records that are settled with it follow in the same append. */
  | ({ readonly type: 'record-changed'; readonly by: By } & RecordChange);
