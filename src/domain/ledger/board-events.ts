import type { TaskId } from '../base/ids.ts';
import type { Post, RecordChange, RecordPlace } from '../board/board.ts';
import type { By } from './requests.ts';

/** The board. Posts and acts of agents are notes of their attempts. */
export type BoardEvent =
  | ({ readonly type: 'record-posted'; readonly place: RecordPlace; readonly by: By } & Post)
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
  /** A person acted on a record. Records that are settled with it follow in the same append. */
  | ({ readonly type: 'record-changed'; readonly by: By } & RecordChange);
