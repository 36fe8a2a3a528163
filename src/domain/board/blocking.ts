import type { TaskId } from '../base/ids.ts';
import type { RunState } from '../run/run.ts';
import { currentWave, selectedWaves } from '../run/run.ts';
import { isOpenRecord, mayReceive } from './acts.ts';
import { type Board, type BoardRecord, isMisroute, isOfAgent, recordById, recordsOf } from './board.ts';
import { gradeOf, isCritical, kindRules } from './kinds.ts';

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

const isMisrouted = ({ route }: BoardRecord): boolean => isMisroute(route);

const isForTask = ({ target }: Pick<BoardRecord, 'target'>): boolean => target !== 'person' && target !== 'all';

const blockingOnBoard = new WeakMap<Board, readonly BoardRecord[]>();

/** Open records that block some wave. A board never changes: looked through once. */
export function allBlocking(state: Pick<RunState, 'board'>): readonly BoardRecord[] {
  const known = blockingOnBoard.get(state.board) ?? recordsOf(state).filter(isBlocking);
  blockingOnBoard.set(state.board, known);
  return known;
}

/** Open records that keep this wave from closing. */
export const blockingRecords = (state: RunState, wave: number): readonly BoardRecord[] => {
  const records = allBlocking(state);
  if (records.length === 0) return records;
  const waveOf = waveFinder(state);
  return records.filter((record) => waveOf(record) === wave);
};

/** Finds the wave that a record blocks. One whose wave is over or is not run blocks the current wave. */
export function waveFinder(state: RunState): (record: BoardRecord) => number | null {
  const current = currentWave(state)?.index ?? null;
  const ownWave = ownWaveFinder(state);
  return (record) => ownWave(record) ?? current;
}

/**
 * Finds the open wave that a record is of: a question or a request of that of the task which it is for, anything else of that of its
 * author. What a person or a rule adds to a record is of the wave of that one. A person's record is of the current wave. Null when that
 * wave is over or is not run.
 */
function ownWaveFinder(state: RunState): (record: BoardRecord) => number | null {
  const current = currentWave(state)?.index ?? null;
  const open = new Set(selectedWaves(state).flatMap(({ index, closed }) => (closed ? [] : [index])));
  const openWaveOf = (task: TaskId): number | null => {
    const wave = state.tasks[task]?.wave;
    return wave !== undefined && open.has(wave) ? wave : null;
  };
  const find = (record: BoardRecord): number | null => {
    const { target, from, of } = record;
    const root = of === undefined || isOfAgent(from) ? undefined : recordById(state, of);
    if (root !== undefined && root.of === undefined) return find(root);
    const isAsked = isTargeted(record) && target !== 'person' && target !== 'all' && mayReceive(state, target);
    const asked = isAsked ? openWaveOf(target) : null;
    return asked ?? (isOfAgent(from) ? openWaveOf(from.task) : current);
  };
  return find;
}

const heldOf = new WeakMap<RunState, ReadonlySet<BoardRecord>>();

/**
 * Open records that keep the run from landing: those that block and are of no open wave, and all that are critical. A state never
 * changes: looked through once.
 */
export function landingRecords(state: RunState): ReadonlySet<BoardRecord> {
  const known = heldOf.get(state);
  if (known !== undefined) return known;
  const ownWave = ownWaveFinder(state);
  const held = new Set(allBlocking(state).filter((record) => isCritical(record) || ownWave(record) === null));
  heldOf.set(state, held);
  return held;
}

/** Tells whether no agent can do what the record asks for, because its task is over, unknown or not run. A person decides. */
export function isUnassignable(state: RunState, record: BoardRecord): boolean {
  const { target } = record;
  if (target === 'person' || target === 'all') return isMisrouted(record);
  const wave = state.tasks[target]?.wave;
  return !mayReceive(state, target) || !selectedWaves(state).some(({ index }) => index === wave);
}
