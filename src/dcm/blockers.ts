import { err, ok, type Result } from '../domain/base/result.ts';
import type { NewSubtask } from '../domain/ledger/dcm-commands.ts';
import type { Refusal } from './refusal.ts';
import { type Session, type Subtask, subtaskOf } from './session.ts';

type Waiting = Pick<Subtask, 'id' | 'taskId' | 'blockedBy'>;

/** The subtasks of a batch with what they are blocked by as ids of subtasks; a `taskId` of the batch means all that have it. */
export function resolveBlockers(
  state: Session,
  wave: number,
  batch: readonly NewSubtask[],
): Result<readonly NewSubtask[], Refusal> {
  const byTask = Map.groupBy(batch, ({ taskId }) => taskId);
  const ids = new Set(batch.map(({ id }) => id));
  const resolved = batch.map((subtask) => ({
    ...subtask,
    blockedBy: [
      ...new Set(
        subtask.blockedBy.flatMap((name) => {
          const meant = ids.has(name) ? undefined : byTask.get(name);
          return meant === undefined ? [name] : meant.map(({ id }) => id);
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

/** Why this subtask cannot be blocked by these. */
export function misblocked(state: Session, subtask: Subtask): Refusal | null {
  const unknown = subtask.blockedBy.find((id) => subtaskOf(state, id) === undefined);
  if (unknown !== undefined) return unknownBlocker(subtask, unknown);
  const others = state.subtasks.filter(({ id }) => id !== subtask.id);
  return inOrder(state, subtask.wave, [subtask]) ?? cycleIn([...others, subtask]);
}

/** Those that it has to wait for as things stand. */
export const openBlockers = (state: Session, { blockedBy }: Subtask): readonly Subtask[] =>
  blockedBy.flatMap((id) => {
    const blocker = subtaskOf(state, id);
    return blocker === undefined || blocker.progress.status === 'completed' ? [] : [blocker];
  });

/** A wave that waits for a later one would wait for ever. */
function inOrder(state: Session, wave: number, waiting: readonly Waiting[]): Refusal | null {
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

/** Takes out whatever waits for nothing that is left; what cannot be taken out waits for itself. */
function cycleIn(all: readonly Waiting[]): Refusal | null {
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

/** From one that is left, each has a blocker that is left, too: following them comes round. */
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

const unknownBlocker = ({ taskId }: Pick<Waiting, 'taskId'>, id: string): Refusal => ({
  rule: 'session-bad-blocker',
  fault: 'unknown',
  task: taskId,
  blocker: id,
});
