import { passes } from '../gates/verdict.ts';
import { openBundles } from '../proofs/open-bundles.ts';
import type { RunState } from '../run/run.ts';
import { countsAsDone, type TaskState, verdictsOf } from '../run/task.ts';

/**
 * Tells whether the work of a task is proven by its own gates: its fence held, and its last attempt passed every gate, claims and
 * evidence included, and it has the proof that only a person can give. That is not enough to close its wave.
 */
export function isProven(state: RunState, task: TaskState): boolean {
  const { dispatched, monitored } = verdictsOf(task);
  return (
    countsAsDone(task) &&
    passes(dispatched ?? []) &&
    passes(monitored ?? []) &&
    openBundles(state, [task.id]).length === 0
  );
}
