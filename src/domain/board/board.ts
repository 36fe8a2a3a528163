import type { AttemptId, TaskId } from '../base/ids.ts';
import { byName, present } from '../base/result.ts';
import { appended, itemAt, itemsOf, replacedAt, type Sequence } from '../base/sequence.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import { orchestratorId } from '../orchestrator/orchestrator.ts';
import type { RunState } from '../run/run.ts';
import type { RecordAct } from './acts.ts';
import type { Confidence, Priority, RecordClock, RecordKind, Severity } from './kinds.ts';

/** `person`: whoever looks after the run. `all`: every task of it. A task that is called so cannot be addressed by name. */
export type RecordTarget = TaskId | 'person' | 'all';

/**
 * A post may also ask for any task that has a capability, or for the task that owns what it refers to. The place of the post names the
 * task that got it.
 */
export type PostTarget = RecordTarget | Capability | 'owner';
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
  /** Guidance for the tasks with a capability: those that read it, of all. Absent for other records. */
  readonly tasks?: readonly TaskId[];
};

/** Why a record that was for somebody else is for its target. Without a task that could do it, a person is asked. */
export type RecordRoute = {
  readonly asked: string;
  readonly reason: RouteReason;
  /** Set when nobody acknowledged it in time: how often it was routed, of at most so many times, and the time. */
  readonly unacknowledged?: { readonly cycle: number; readonly most: number; readonly seconds: number };
};
/** No agent can settle it, so that it is a person's. */
const misroutes = ['no-task', 'task-over', 'no-capability', 'no-owner'] as const;
/** `again`: nobody acknowledged it, and there is no other owner. `escalated`: nobody did so again. */
export const routeReasons = [
  ...misroutes,
  'preferred',
  'demonstrated',
  'least-open',
  'owns-path',
  'promotes-component',
  'again',
  'escalated',
] as const;
type RouteReason = (typeof routeReasons)[number];

/** Tells whether no task could get it when it was posted. */
export const isMisroute = (route: RecordRoute | undefined): boolean =>
  misroutes.some((reason) => reason === route?.reason);

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
  /** The number of times that it was given to a task because nobody acknowledged it; absent for none. */
  readonly rerouted?: number;
  /** The clock in the last notice about it, and when it ran out. */
  readonly overdue?: { readonly clock: RecordClock; readonly at: string };
  /** The record of the repository's board that the run took over. It is settled there, and blocks nothing here. */
  readonly repository?: string;
  readonly tasks?: readonly TaskId[];
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
  /** Set when a rule gave it to another task. */
  readonly route?: RecordRoute;
  readonly severity?: Severity;
  readonly setAside?: 'deferred' | 'stale';
};

/** Records in the order in which they came. An id is the place of its record, counted from 1. */
export type Board = Sequence<BoardRecord>;

/** A run, or the repository, as far as its board is concerned. */
type Boarded = Pick<RunState, 'board' | 'termsCount' | 'helps' | 'taken' | 'alerts'>;

/** Folds an event into the board. `termsCount` grows with every change of a record, and with every post that is not for a person. */
export function withBoard<State extends Boarded>(state: State, event: RunEvent): State {
  switch (event.type) {
    case 'attempt-noted': {
      const { note, place, task, attempt, changes = [] } = event;
      const now = changes.reduce((before, change) => withChange(before, change, { task, attempt }), state);
      if (place === undefined) return now;
      if (note.note === 'posted') return added(now, note, place, { task, attempt, post: note.post });
      return note.note === 'acted' ? added(now, escalation(note.text ?? ''), place, { task, attempt, post: 0 }) : now;
    }
    case 'orchestrator-noted': {
      const { note, place, attempt } = event;
      // by this event nothing but guidance reaches the board, and guidance waits for nobody
      if (place === undefined || note.note !== 'posted' || note.kind !== 'orchestrator-guidance') return state;
      const { id, to, at, tasks } = place;
      const told = { id, to, status: 'closed', ...present({ at, tasks }) } as const;
      return added(state, note, told, { task: orchestratorId, attempt, post: note.post });
    }
    case 'record-posted':
      return withTaken(added(state, event, event.place, event.by), event);
    case 'record-answered': {
      const answer = { text: event.text, by: event.by };
      return changed(state, event.record, (record) => ({ ...record, status: 'answered', answer }));
    }
    case 'record-closed':
      return changed(state, event.record, (record) => ({ ...record, status: 'closed' }));
    case 'helper-assigned': {
      const { task, records } = event;
      const helps = byName(state.helps, { [task]: (state.helps?.[task] ?? 0) + 1 });
      return records.reduce<State>(
        (now, id) => changed(now, id, (record) => ({ ...record, helped: (record.helped ?? 0) + 1 })),
        { ...state, helps },
      );
    }
    case 'record-changed':
      return withChange(state, event, event.by);
    case 'records-overdue': {
      const alerts = (state.alerts ?? 0) + 1;
      return event.records.reduce<State>(
        (now, { record: id, clock, due }) =>
          replaced(now, id, (record) => ({ ...record, overdue: { clock, at: due } })),
        { ...state, alerts },
      );
    }
    default:
      return state;
  }
}

/** Notes which record of the repository's board the run has taken over. */
const withTaken = <State extends Boarded>(
  state: State,
  { repository, place }: RunEvent & { readonly type: 'record-posted' },
): State => (repository === undefined ? state : { ...state, taken: { ...state.taken, [repository]: place.id } });

function added<State extends Boarded>(
  state: State,
  post: Post & { readonly repository?: string },
  place: RecordPlace,
  from: RecordAuthor,
): State {
  const { kind, text, severity, references, dependsOn, closureCondition, priority, confidence } = post;
  const { id, to, status, at, of, route, tasks } = place;
  const { repository } = post;
  const details = present({ severity, references, dependsOn, closureCondition, priority, confidence });
  const record: BoardRecord = {
    id,
    kind,
    status,
    target: to,
    text,
    ...details,
    ...present({ at, of, route, repository, tasks }),
    from,
  };
  return {
    ...state,
    board: appended(state.board, record),
    termsCount: to === 'person' ? state.termsCount : state.termsCount + 1,
  };
}

/** The record that an escalation adds. */
export const escalation = (text: string): Post => ({ kind: 'human-escalation', target: 'person', text });

const withChange = <State extends Boarded>(state: State, change: RecordChange, by: RecordActor): State =>
  changed(state, change.record, (record) => {
    const { status, answer, reason, severity, setAside } = change;
    return {
      ...(change.to === undefined ? record : withTarget(record, { ...change, to: change.to })),
      status,
      ...present({ severity, setAside }),
      ...(answer === undefined ? {} : { answer: { text: answer, by } }),
      ...(reason === undefined ? {} : { reason: { text: reason, by } }),
    };
  });

/** The record of a new target, for which it waits again: its clocks begin anew, and for a target that a person chose also its routes. */
function withTarget(record: BoardRecord, { to, at, route }: RecordChange & { readonly to: RecordTarget }): BoardRecord {
  const { overdue: _, setAside: __, route: ___, rerouted = 0, ...rest } = record;
  return {
    ...rest,
    target: to,
    ...present({ since: at, route }),
    ...(route === undefined ? {} : { rerouted: rerouted + 1 }),
  };
}

const changed = <State extends Boarded>(
  state: State,
  id: string,
  change: (record: BoardRecord) => BoardRecord,
): State => ({
  ...replaced(state, id, change),
  termsCount: state.termsCount + 1,
});

function replaced<State extends Boarded>(
  state: State,
  id: string,
  change: (record: BoardRecord) => BoardRecord,
): State {
  const index = indexOf(state.board, id);
  const record = itemAt(state.board, index);
  return record === undefined ? state : { ...state, board: replacedAt(state.board, index, change(record)) };
}

/** Grows with every change of what a running agent may do or know. A record for a person is news for the others, too. */
export const termsVersion = ({ termsCount, board }: Pick<RunState, 'termsCount' | 'board'>): number =>
  termsCount + board.length;

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
