import type { RunEvent } from '../ledger/events.ts';
import type { PlannedBoard } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { isOpenRecord, mayReceive } from './acts.ts';
import { type Board, type BoardRecord, recordsOf } from './board.ts';
import { gradeOf, isCritical, kindRules, type RecordClock } from './kinds.ts';

/** The time at which a clock of a record runs out. */
export type Deadline = { readonly clock: RecordClock; readonly at: string };
export type RecordDeadline = Deadline & { readonly record: BoardRecord };

type Boards = Pick<RunState, 'board' | 'tasks' | 'plan'>;

/** Returns the earliest deadline of a record, past or ahead. Null when no clock of it runs. */
export function dueOf(state: Boards, record: BoardRecord): Deadline | null {
  const deadlines = runningClocks(state, record).map((running) => deadlineOf(state, running));
  return deadlines.toSorted((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
}

/** Lists the records that are past a clock, in the order of the board, each with the last of its clocks that has run out. */
export const overdueRecords = (state: Boards, at: string): readonly RecordDeadline[] =>
  pastClocks(state, at).map(({ record, ...past }) => ({ ...deadlineOf(state, past), record }));

function pastClocks(state: Boards, at: string): readonly (Running & { readonly record: BoardRecord })[] {
  const limits = limitsAt(state, at);
  return clockedOn(state).records.flatMap((record) => {
    const past = runningClocks(state, record).findLast(({ clock, from }) => from <= limits[clock]);
    return past === undefined ? [] : [{ ...past, record }];
  });
}

/** Returns the last of the clocks of a record that have run out, in the order of its kind. Null when it is not overdue. */
export function overdueOf(state: Boards, record: BoardRecord, at: string): Deadline | null {
  const limits = limitsAt(state, at);
  const past = runningClocks(state, record).findLast(({ clock, from }) => from <= limits[clock]);
  return past === undefined ? null : deadlineOf(state, past);
}

/** Of these records, those that a running agent of their task has not acknowledged in time. */
export function unacknowledgedOf(state: Boards, records: readonly BoardRecord[], at: string): readonly BoardRecord[] {
  const { acknowledge } = limitsAt(state, at);
  return records.filter((record) =>
    runningClocks(state, record).some(({ clock, from }) => clock === 'acknowledge' && from <= acknowledge),
  );
}

/** Returns the earliest deadline after this time. Null when no clock runs. */
export function nextTimer(state: Boards, at: string): RecordDeadline | null {
  const limits = limitsAt(state, at);
  const first = new Map<RecordClock, Running & { readonly record: BoardRecord }>();
  for (const record of clockedOn(state).records)
    for (const { clock, from } of runningClocks(state, record))
      if (from > limits[clock] && from < (first.get(clock)?.from ?? '~')) first.set(clock, { clock, from, record });
  const timers = [...first.values()].map((running) => ({ ...deadlineOf(state, running), record: running.record }));
  return timers.toSorted((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
}

/** Returns the fact that clocks have run out since the last notice. Null when there is nothing new. */
export function newlyOverdue(state: Boards, at: string): RunEvent | null {
  const clocks = clocksOf(state);
  const records = pastClocks(state, at)
    .filter(({ record, clock }) => record.overdue?.clock !== clock)
    .map(({ record, ...past }) => ({
      record: record.id,
      clock: past.clock,
      due: deadlineOf(state, past).at,
      seconds: clocks[`${past.clock}Seconds`],
    }));
  return records.length === 0 ? null : { type: 'records-overdue', records, at };
}

/** Open records of the last notices that are still overdue. */
export const announcedOverdue = (state: Boards): readonly RecordDeadline[] =>
  clockedOn(state).records.flatMap((record) => {
    const { overdue, status } = record;
    if (overdue === undefined || isEscalated(state, record)) return [];
    return overdue.clock === 'acknowledge' && status !== 'open' ? [] : [{ ...overdue, record }];
  });

/** A plan that was frozen before it had clocks has these. */
const usualClocks: PlannedBoard = { acknowledgeSeconds: 300, staleSeconds: 1800, answerSeconds: 1800 };

/** The clocks of a run. */
export const clocksOf = ({ plan }: Pick<RunState, 'plan'>): PlannedBoard => plan.board ?? usualClocks;

/** A clock of a record, and the time at which it began to run. */
type Running = { readonly clock: RecordClock; readonly from: string };

const deadlineOf = (state: Boards, { clock, from }: Running): Deadline => ({
  clock,
  at: moved(from, clocksOf(state)[`${clock}Seconds`]),
});

/** For each clock the time since which it must have run to have run out. Times are compared as text: they are all written alike. */
function limitsAt(state: Boards, at: string): Readonly<Record<RecordClock, string>> {
  const { acknowledgeSeconds, staleSeconds, answerSeconds } = clocksOf(state);
  return {
    acknowledge: moved(at, -acknowledgeSeconds),
    stale: moved(at, -staleSeconds),
    answer: moved(at, -answerSeconds),
  };
}

const moved = (at: string, seconds: number): string => new Date(Date.parse(at) + seconds * 1000).toISOString();

/**
 * Returns the clocks of a record that run, in the order of its kind. Only what waits for somebody has clocks, and neither an advisory
 * record nor one that a person set aside. A record that was escalated waits for the person, so its escalation has the clock. Nothing is
 * settled when a clock runs out.
 */
function runningClocks(state: Boards, record: BoardRecord): readonly Running[] {
  if (!isTimed(record) || isEscalated(state, record)) return [];
  return kindRules[record.kind].clocks.flatMap((clock): readonly Running[] => {
    const from = beginOf(state, record, clock);
    return from === null ? [] : [{ clock, from }];
  });
}

/** Returns the time at which a clock of a record began to run. Null when it does not run. */
function beginOf(state: Boards, record: BoardRecord, clock: RecordClock): string | null {
  const { at, since = at, target, status } = record;
  if (since === undefined) return null;
  const isForTask = target !== 'person' && target !== 'all';
  switch (clock) {
    case 'answer':
      return target === 'person' || (target === 'all' && isCritical(record)) ? since : null;
    case 'stale':
      return isForTask ? since : null;
    case 'acknowledge': {
      // a task that waits for its turn, or is ready, cannot look at its inbox: it is started again for the record
      if (!isForTask || status !== 'open' || !mayReceive(state, target)) return null;
      const progress = state.tasks[target]?.progress;
      if (progress?.status !== 'running' || progress.since === undefined) return null;
      return progress.since > since ? progress.since : since;
    }
  }
}

const isTimed = (record: BoardRecord): boolean =>
  isOpenRecord(record) && record.setAside === undefined && gradeOf(record.severity) !== 'advisory';

type Clocked = { readonly records: readonly BoardRecord[]; readonly escalated: ReadonlySet<string> };
const clockedOnBoard = new WeakMap<Board, Clocked>();

/** The records that have clocks, and those that are escalated. A board never changes: looked through once. */
function clockedOn(state: Pick<RunState, 'board'>): Clocked {
  const known = clockedOnBoard.get(state.board);
  if (known !== undefined) return known;
  const records = recordsOf(state).filter(isTimed);
  const escalated = recordsOf(state).flatMap(({ kind, of, status }) =>
    kind === 'human-escalation' && of !== undefined && isOpenRecord({ status }) ? [of] : [],
  );
  const clocked = { records, escalated: new Set(escalated) };
  clockedOnBoard.set(state.board, clocked);
  return clocked;
}

/** Tells whether an open escalation follows the record up. */
const isEscalated = (state: Pick<RunState, 'board'>, { id }: Pick<BoardRecord, 'id'>): boolean =>
  clockedOn(state).escalated.has(id);
