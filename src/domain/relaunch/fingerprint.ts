import { createHash } from 'node:crypto';
import type { TaskId, TreeId } from '../base/ids.ts';
import { isOfAgent, recordsOf } from '../board/board.ts';
import type { ResultReuse } from '../ledger/relaunch-events.ts';
import { canonicalJson, type FrozenPlan, type PlannedTask, plannedById } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { endedAttempt, snapshotOf } from '../run/task.ts';

/** One text of a person in the prompt of a task: a record for it, or the answer to one of its own. */
export type PersonWords = { readonly record: string; readonly text?: string; readonly answer?: string };

/**
 * Returns the fingerprint of an attempt: the SHA-256 of everything that its result depends on. That is the task as planned (its
 * directive, agent, exit contract, proofs and skills included), what else the plan tells its agent, what people wrote to it, and the
 * tree that it starts from. The number in front is the version of this rule; fingerprints without one have no words of people in them.
 * Records of agents are no part of it, although the prompt shows them: with them, any post would end every reuse. A record that matters
 * to the task waits for it, and keeps its wave open until the task or a person has settled it.
 */
export function fingerprintOf(
  { forbid, focus, block }: FrozenPlan,
  task: PlannedTask,
  base: TreeId,
  words: readonly PersonWords[] | null,
): string {
  const parts = { task, forbid, focus, block, base, ...(words === null ? {} : { words }) };
  const hash = createHash('sha256').update(canonicalJson(parts)).digest('hex');
  return words === null ? hash : `${version}${hash}`;
}

const version = '1:';

/** Tells whether a fingerprint covers what people wrote to the task. */
export const coversWords = (fingerprint: string): boolean => fingerprint.startsWith(version);

/** Returns the texts of people for the task, by the board. Records of other tasks are information, and left out. */
function wordsFor(state: Pick<RunState, 'board'>, id: TaskId): readonly PersonWords[] {
  return recordsOf(state).flatMap(({ id: record, from, target, text, answer }): readonly PersonWords[] => {
    if (!isOfAgent(from)) return target === id || target === 'all' ? [{ record, text }] : [];
    return from.task === id && answer !== undefined && !isOfAgent(answer.by) ? [{ record, answer: answer.text }] : [];
  });
}

/** The fingerprint that an attempt of the task would start with now. Null when its base is unknown, or what it needs has changed since. */
export function fingerprintNow(state: RunState, plan: FrozenPlan, id: TaskId): string | null {
  const made = state.tasks[id]?.made;
  const planned = plannedById(plan, id);
  if (made === undefined || planned === undefined || planned.closes !== undefined) return null;
  const isSame = made.of.every(({ task, snapshot }) => {
    const need = state.tasks[task];
    return need !== undefined && snapshotOf(need)?.commit === snapshot;
  });
  return isSame ? fingerprintOf(plan, planned, made.tree, wordsFor(state, id)) : null;
}

/** Returns the result of a ready task as one that counts again under this plan. Null when its fingerprint is unknown or another one. */
export function reuseOf(state: RunState, plan: FrozenPlan, id: TaskId): ResultReuse | null {
  const task = state.tasks[id];
  if (task?.progress.status !== 'ready' && task?.progress.status !== 'done') return null;
  const was = endedAttempt(task)?.fingerprint;
  const is = fingerprintNow(state, plan, id);
  return was === undefined || was !== is ? null : { task: id, snapshot: task.progress.snapshot.commit, was, is };
}
