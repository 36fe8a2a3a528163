import type { RunId, TaskId } from '../base/ids.ts';
import type { RecordAct } from '../board/acts.ts';
import type { BoardRecord, RecordTarget } from '../board/board.ts';
import type { Confidence, Poster, Priority, RecordKind } from '../board/kinds.ts';

/** Posts to the board, acts on its records, and records that keep a wave open. */
export type BoardRules = {
  'post-poster': { readonly kind: RecordKind; readonly posts: readonly Poster[] };
  /** The orchestrator tried something other than guidance. */
  'orchestrator-only': unknown;
  /** Guidance for a task or capability that the run does not have, or for a person. */
  'guidance-reader': { readonly named: string };
  'post-priority': { readonly priorities: readonly Priority[] };
  'post-confidence': { readonly confidences: readonly Confidence[] };
  'post-reference': { readonly limit: number };
  'post-depends': unknown;
  /** The agent knows no record of this number. */
  'record-unknown': { readonly record: string };
  'record-act': { readonly acts: readonly RecordAct[] };
  'record-for-people': { readonly record: string; readonly act: RecordAct };
  'record-for-other': { readonly record: string; readonly act: RecordAct; readonly to: RecordTarget };
  'record-of-other': { readonly record: string; readonly act: RecordAct };
  'record-depends': { readonly record: string; readonly records: readonly string[] };
  'record-status': { readonly record: string; readonly act: RecordAct; readonly status: BoardRecord['status'] };
  'record-reason': { readonly act: RecordAct };
  'record-target': unknown;
  /** The board of the repository has no tasks. */
  'repository-target': unknown;
  'record-task-over': { readonly task: TaskId };
  /** It keeps a wave open. `to` is the task that can settle it; absent when only a person can. */
  'open-record': {
    readonly run: RunId;
    readonly record: string;
    readonly kind: RecordKind;
    readonly to?: TaskId;
  };
  /** No agent can do what the record asks for. */
  'open-unassignable': {
    readonly run: RunId;
    readonly record: string;
    readonly kind: RecordKind;
    readonly named: string;
    readonly reason: 'no-task' | 'task-over' | 'no-capability' | 'no-owner';
  };
};
