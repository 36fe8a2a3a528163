import type { AttemptId, TaskId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import { appended, itemAt, itemsOf, replacedAt, type Sequence } from '../base/sequence.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import type { RecordAct } from './acts.ts';
import type { Confidence, Priority, RecordKind, Severity } from './kinds.ts';

/** `person`: whoever looks after the run. `all`: every task of it. A task that is called so cannot be addressed by name. */
export type RecordTarget = TaskId | 'person' | 'all';

/** A post may also ask for any task that has a capability. The place of the post names the task that got it. */
export type PostTarget = RecordTarget | Capability;
export type Capability = `capability:${string}`;

/** A post to the board. The default severity is `normal`. */
export type Post = {
  readonly kind: RecordKind;
  readonly target: PostTarget;
  readonly text: string;
  readonly severity?: Severity;
} & PostDetails;

/** Parts of a post that most posts do not have. */
export type PostDetails = {
  /** `path:…`, `component:…`, `task:…` or `record:…`. Paths, components and records are matched exactly, never by their words. */
  readonly references?: readonly string[];
  /** Ids of records. While one of them is open, agents can neither answer nor resolve this one. */
  readonly dependsOn?: readonly string[];
  /** Says in words when the record is settled. Nobody but the reader decides by it. */
  readonly closureCondition?: string;
  readonly priority?: Priority;
  readonly confidence?: Confidence;
};

/**
 * The place of a post: its number on the board, its target, whether it waits for somebody, and the time. `of` is the record that it
 * follows up; settling either settles both.
 */
export type RecordPlace = {
  readonly id: string;
  readonly to: RecordTarget;
  readonly status: 'open' | 'closed';
  readonly at?: string;
  readonly of?: string;
  readonly route?: RecordRoute;
};

/** Why a record that was for somebody else is for its target. Without a task that could do it, a person is asked. */
export type RecordRoute = { readonly asked: string; readonly reason: RouteReason };
/** The first three: no agent can settle it, so that it is a person's. */
export const routeReasons = ['no-task', 'task-over', 'no-capability', 'demonstrated', 'least-open'] as const;
export type RouteReason = (typeof routeReasons)[number];

/** An agent is known by the channel that it spoke through; `post` counts what came through it. */
type RecordAuthor = { readonly task: TaskId; readonly attempt: AttemptId; readonly post: number } | By;
/** The agent or the person who changed a record. */
export type RecordActor = { readonly task: TaskId; readonly attempt: AttemptId } | By;

/**
 *   open ──▶ acknowledged ──▶ in-progress       it still waits for somebody
 *     └───────────┴────────────────┴──────▶ answered | resolved | closed | superseded | cancelled
 *
 * A record that waits for nobody is closed from the start. `answered` is resolved with an answer. `closed` without one: a person
 * dismissed it. `superseded`: the record that it follows up was settled.
 */
export const recordStatuses = [
  'open',
  'acknowledged',
  'in-progress',
  'answered',
  'resolved',
  'closed',
  'superseded',
  'cancelled',
] as const;
export type RecordStatus = (typeof recordStatuses)[number];

export type BoardRecord = Omit<Post, 'target'> & {
  readonly target: RecordTarget;
  /** Counts the records of a run, from 1. */
  readonly id: string;
  readonly status: RecordStatus;
  readonly from: RecordAuthor;
  /** The time of the post; absent in records of an earlier version. */
  readonly at?: string;
  /** The time since which it is for its target, if that is later than the post. */
  readonly since?: string;
  readonly of?: string;
  readonly route?: RecordRoute;
  /** A person decided that it blocks nothing, although it is open. */
  readonly setAside?: 'deferred' | 'stale';
  /** The number of times that its task was started again for it; absent for none. */
  readonly helped?: number;
  readonly answer?: { readonly text: string; readonly by: RecordActor };
  /** The reason of the last act that gave one. */
  readonly reason?: { readonly text: string; readonly by: RecordActor };
};

/** A change of a record, with everything that follows from it. */
export type RecordChange = {
  readonly record: string;
  readonly act: RecordAct;
  readonly status: RecordStatus;
  readonly at?: string;
  readonly answer?: string;
  readonly reason?: string;
  readonly to?: RecordTarget;
  readonly severity?: Severity;
  readonly setAside?: 'deferred' | 'stale';
};

/** Records in the order in which they came. An id is the place of its record, counted from 1. */
export type Board = Sequence<BoardRecord>;

/** Folds an event into the board. `termsCount` grows with every change that a running agent must get. */
export function withBoard(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'attempt-noted': {
      const { note, place, task, attempt, changes = [] } = event;
      const now = changes.reduce((before, change) => withChange(before, change, { task, attempt }), state);
      if (place === undefined) return now;
      if (note.note === 'posted') return added(now, note, place, { task, attempt, post: note.post });
      return note.note === 'acted' ? added(now, escalation(note.text ?? ''), place, { task, attempt, post: 0 }) : now;
    }
    case 'record-posted':
      return added(state, event, event.place, event.by);
    case 'record-answered': {
      const answer = { text: event.text, by: event.by };
      return changed(state, event.record, (record) => ({ ...record, status: 'answered', answer }));
    }
    case 'record-closed':
      return changed(state, event.record, (record) => ({ ...record, status: 'closed' }));
    case 'helper-assigned': {
      const { task, records } = event;
      const helps = { ...state.helps, [task]: (state.helps?.[task] ?? 0) + 1 };
      return records.reduce<RunState>(
        (now, id) => changed(now, id, (record) => ({ ...record, helped: (record.helped ?? 0) + 1 })),
        { ...state, helps },
      );
    }
    case 'record-changed':
      return withChange(state, event, event.by);
    default:
      return state;
  }
}

function added(state: RunState, post: Post, place: RecordPlace, from: RecordAuthor): RunState {
  const { kind, text, severity, references, dependsOn, closureCondition, priority, confidence } = post;
  const { id, to, status, at, of, route } = place;
  const details = present({ severity, references, dependsOn, closureCondition, priority, confidence });
  const record: BoardRecord = { id, kind, status, target: to, text, ...details, ...present({ at, of, route }), from };
  return {
    ...state,
    board: appended(state.board, record),
    termsCount: to === 'person' ? state.termsCount : state.termsCount + 1,
  };
}

/** The record that an escalation adds. */
export const escalation = (text: string): Post => ({ kind: 'human-escalation', target: 'person', text });

const withChange = (state: RunState, change: RecordChange, by: RecordActor): RunState =>
  changed(state, change.record, (record) => {
    const { status, at, answer, reason, to, severity, setAside } = change;
    return {
      ...record,
      status,
      ...present({ severity, setAside }),
      ...(to === undefined ? {} : { target: to, ...present({ since: at }) }),
      ...(answer === undefined ? {} : { answer: { text: answer, by } }),
      ...(reason === undefined ? {} : { reason: { text: reason, by } }),
    };
  });

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

export const isOfAgent = <Someone extends RecordActor>(someone: Someone): someone is Exclude<Someone, By> =>
  'attempt' in someone;
