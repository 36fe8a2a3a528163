import type { AttemptId, TaskId } from '../base/ids.ts';
import { appended, itemAt, itemsOf, replacedAt, type Sequence } from '../base/sequence.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';

/**
 * `question` and `request` wait for an answer; the others only tell: what is so, what was decided, what the next one at this work has
 * to know.
 */
export const recordKinds = ['note', 'question', 'request', 'decision', 'handoff-note'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** `person`: whoever looks after the run. `all`: every task of it. A task that is called so cannot be addressed by name. */
export type RecordTarget = TaskId | 'person' | 'all';

/** The weight of the answer. While a `critical` question is open, the run does not land. */
export const severities = ['low', 'normal', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** A post to the board. The default severity is `normal`. */
export type Post = {
  readonly kind: RecordKind;
  readonly target: RecordTarget;
  readonly text: string;
  readonly severity?: Severity;
};

/** The place of a post: its number on the board, its target, and whether it waits for an answer. */
export type RecordPlace = { readonly id: string; readonly to: RecordTarget; readonly status: 'open' | 'closed' };

/** An agent is known by the channel that it spoke through; `post` counts what came through it. */
type RecordAuthor = { readonly task: TaskId; readonly attempt: AttemptId; readonly post: number } | By;

/**
 *   open ──▶ answered        by a person
 *     └────▶ closed          without an answer; what waits for none is closed from the start
 */
export type BoardRecord = Post & {
  /** Counts the records of a run, from 1. */
  readonly id: string;
  readonly status: 'open' | 'answered' | 'closed';
  readonly from: RecordAuthor;
  readonly answer?: { readonly text: string; readonly by: By };
};

/** Records in the order in which they came. An id is the place of its record, counted from 1. */
export type Board = Sequence<BoardRecord>;

/** Folds an event into the board. `termsCount` grows with every change that a running agent must get. */
export function withBoard(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'attempt-noted': {
      if (event.note.note !== 'posted' || event.place === undefined) return state;
      const { post } = event.note;
      return added(state, event.note, event.place, { task: event.task, attempt: event.attempt, post });
    }
    case 'record-posted':
      return added(state, event, event.place, event.by);
    case 'record-answered': {
      const answer = { text: event.text, by: event.by };
      return changed(state, event.record, (record) => ({ ...record, status: 'answered', answer }));
    }
    case 'record-closed':
      return changed(state, event.record, (record) => ({ ...record, status: 'closed' }));
    default:
      return state;
  }
}

function added(
  state: RunState,
  { kind, text, severity }: Post,
  { id, to, status }: RecordPlace,
  from: RecordAuthor,
): RunState {
  const graded = severity === undefined ? {} : { severity };
  const record: BoardRecord = { id, kind, status, target: to, text, ...graded, from };
  return {
    ...state,
    board: appended(state.board, record),
    termsCount: to === 'person' ? state.termsCount : state.termsCount + 1,
  };
}

function changed(state: RunState, id: string, change: (record: BoardRecord) => BoardRecord): RunState {
  const index = indexOf(state.board, id);
  const record = itemAt(state.board, index);
  const board = record === undefined ? state.board : replacedAt(state.board, index, change(record));
  return { ...state, board, termsCount: state.termsCount + 1 };
}

export const recordsOf = ({ board }: Pick<RunState, 'board'>): readonly BoardRecord[] => itemsOf(board);

/** The record with this id; undefined when there is none. */
export const recordById = ({ board }: Pick<RunState, 'board'>, id: string): BoardRecord | undefined =>
  itemAt(board, indexOf(board, id));

/** A ledger may hold what its writer miscounted: then all records are looked through. -1 when none has this id. */
function indexOf(board: Board, id: string): number {
  const index = Number(id) - 1;
  return itemAt(board, index)?.id === id ? index : itemsOf(board).findIndex((record) => record.id === id);
}

export const isOfAgent = (from: RecordAuthor): from is Exclude<RecordAuthor, By> => 'attempt' in from;
