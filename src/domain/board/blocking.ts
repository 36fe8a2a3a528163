import type { RunState } from '../run/run.ts';
import { currentWave, selectedWaves } from '../run/run.ts';
import { isOpenRecord, mayReceive } from './acts.ts';
import { type Board, type BoardRecord, isOfAgent, type RouteReason, recordsOf } from './board.ts';
import { gradeOf, kindRules } from './kinds.ts';

/** Tells whether an open record keeps its wave from closing. */
export function isBlocking(record: BoardRecord): boolean {
  if (!isOpenRecord(record) || record.setAside !== undefined) return false;
  const grade = gradeOf(record.severity);
  if (grade === 'advisory') return false;
  switch (kindRules[record.kind].blocks) {
    case 'never':
      return false;
    case 'always':
      return true;
    case 'critical':
      return grade === 'critical';
    case 'targeted':
      return grade === 'critical' || isForTask(record) || isMisrouted(record);
  }
}

/** Tells whether the record asks a task for something, so that it is of that task's wave. */
const isTargeted = ({ kind }: BoardRecord): boolean => kindRules[kind].blocks === 'targeted';

const misroutes: readonly RouteReason[] = ['no-task', 'task-over', 'no-capability'];

/** Tells whether no task could get it when it was posted. */
const isMisrouted = ({ route }: BoardRecord): boolean => route !== undefined && misroutes.includes(route.reason);

const isForTask = ({ target }: Pick<BoardRecord, 'target'>): boolean => target !== 'person' && target !== 'all';

const blockingOnBoard = new WeakMap<Board, readonly BoardRecord[]>();

/** Open records that block some wave. A board never changes: looked through once. */
function allBlocking(state: Pick<RunState, 'board'>): readonly BoardRecord[] {
  const known = blockingOnBoard.get(state.board) ?? recordsOf(state).filter(isBlocking);
  blockingOnBoard.set(state.board, known);
  return known;
}

/** Open records that keep this wave from closing. */
export const blockingRecords = (state: RunState, wave: number): readonly BoardRecord[] => {
  const records = allBlocking(state);
  if (records.length === 0) return records;
  const current = currentWave(state)?.index ?? null;
  return records.filter((record) => blockedWave(state, record, current) === wave);
};

/**
 * The wave that a record blocks: a question or a request that of the task which it is for, anything else that of its author. A person's record, and one whose
 * wave is over or is not run, blocks the current wave.
 */
function blockedWave(state: RunState, record: BoardRecord, current: number | null): number | null {
  const { target, from } = record;
  const isOpenWave = (index: number | undefined): index is number =>
    index !== undefined && selectedWaves(state).some((wave) => wave.index === index && !wave.closed);
  if (isTargeted(record) && target !== 'person' && target !== 'all' && mayReceive(state, target)) {
    const wave = state.tasks[target]?.wave;
    if (isOpenWave(wave)) return wave;
  }
  const own = isOfAgent(from) ? state.tasks[from.task]?.wave : undefined;
  return isOpenWave(own) ? own : current;
}

/** Tells whether no agent can do what the record asks for, because its task is over, unknown or not run. A person decides. */
export function isUnassignable(state: RunState, record: BoardRecord): boolean {
  const { target } = record;
  if (target === 'person' || target === 'all') return isMisrouted(record);
  const wave = state.tasks[target]?.wave;
  return !mayReceive(state, target) || !selectedWaves(state).some(({ index }) => index === wave);
}
