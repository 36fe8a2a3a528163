import { err, ok, type Result } from '../domain/base/result.ts';
import type { NewDcmSubtask } from '../domain/ledger/dcm-events.ts';
import type { DcmRefusal } from './decide.ts';
import { type DcmSession, type DcmSubtask, subtaskOf } from './session.ts';

type Waiting = Pick<DcmSubtask, 'id' | 'taskId' | 'blockedBy'>;

/** Returns the subtasks of a batch with ids of subtasks in `blockedBy`. A `taskId` of the batch means all subtasks that have it. */
export function resolveBlockers(
  state: DcmSession,
  wave: number,
  batch: readonly NewDcmSubtask[],
): Result<readonly NewDcmSubtask[], DcmRefusal> {
  const byTask = Map.groupBy(batch, ({ taskId }) => taskId);
  const ids = new Set(batch.map(({ id }) => id));
  const resolved = batch.map((subtask) => ({
    ...subtask,
    blockedBy: [
      ...new Set(
        subtask.blockedBy.flatMap((name) => {
          const named = ids.has(name) ? undefined : byTask.get(name);
          return named === undefined ? [name] : named.map(({ id }) => id);
        }),
      ),
    ],
  }));
  for (const subtask of resolved) {
    const unknown = subtask.blockedBy.find((id) => !ids.has(id) && subtaskOf(state, id) === undefined);
    if (unknown !== undefined) return err(unknownBlocker(subtask, unknown));
  }
  const refusal = inOrder(state, wave, resolved) ?? cycleIn([...state.subtasks, ...resolved]);
  return refusal === null ? ok(resolved) : err(refusal);
}

/** Null when the subtask may be blocked by its `blockedBy`. */
export function checkBlockers(state: DcmSession, subtask: DcmSubtask): DcmRefusal | null {
  const unknown = subtask.blockedBy.find((id) => subtaskOf(state, id) === undefined);
  if (unknown !== undefined) return unknownBlocker(subtask, unknown);
  const others = state.subtasks.filter(({ id }) => id !== subtask.id);
  return inOrder(state, subtask.wave, [subtask]) ?? cycleIn([...others, subtask]);
}

/** Returns the blockers that are not completed yet. */
export const openBlockers = (state: DcmSession, { blockedBy }: DcmSubtask): readonly DcmSubtask[] =>
  blockedBy.flatMap((id) => {
    const blocker = subtaskOf(state, id);
    return blocker === undefined || blocker.progress.status === 'completed' ? [] : [blocker];
  });

/** A wave that waits for a later one would wait for ever. */
function inOrder(state: DcmSession, wave: number, waiting: readonly Waiting[]): DcmRefusal | null {
  for (const { taskId, blockedBy } of waiting) {
    const later = blockedBy
      .map((id) => subtaskOf(state, id))
      .find((blocker) => blocker !== undefined && blocker.wave > wave);
    if (later !== undefined)
      return {
        rule: 'session-bad-blocker',
        fault: 'later',
        task: taskId,
        wave,
        blocker: later.id,
        later: later.wave,
      };
  }
  return null;
}

/** Removes every subtask that waits for nothing that is left. Those that cannot be removed wait for each other. */
function cycleIn(all: readonly Waiting[]): DcmRefusal | null {
  const open = new Map(all.map((one) => [one.id, one.blockedBy.length]));
  const dependents = new Map<string, string[]>();
  for (const { id, blockedBy } of all)
    for (const on of blockedBy) dependents.set(on, [...(dependents.get(on) ?? []), id]);
  const free = [...open].flatMap(([id, count]) => (count === 0 ? [id] : []));
  for (const id of free) {
    open.delete(id);
    for (const waiting of dependents.get(id) ?? []) {
      const left = (open.get(waiting) ?? 0) - 1;
      open.set(waiting, left);
      if (left === 0) free.push(waiting);
    }
  }
  const [first] = open.keys();
  return first === undefined ? null : { rule: 'session-cycle', ring: ring(first, all, open) };
}

/** Every subtask that is left has a blocker that is left, so following blockers ends in a ring. */
function ring(first: string, all: readonly Waiting[], left: ReadonlyMap<string, number>): readonly string[] {
  const byId = new Map(all.map((one) => [one.id, one]));
  const path = new Set<string>();
  let at = first;
  while (!path.has(at)) {
    path.add(at);
    at = byId.get(at)?.blockedBy.find((id) => left.has(id)) ?? at;
  }
  return [...[...path].slice([...path].indexOf(at)), at];
}

const unknownBlocker = ({ taskId }: Pick<Waiting, 'taskId'>, id: string): DcmRefusal => ({
  rule: 'session-bad-blocker',
  fault: 'unknown',
  task: taskId,
  blocker: id,
});
