import { passes } from '../gates/verdict.ts';
import { type TaskState, verdictsOf } from '../run/task.ts';

/**
 * Tells whether the work of a task is proven by its own gates: its fence held, and its last attempt passed every gate, claims and
 * evidence included. That is not enough to close its wave.
 */
export function isProven(task: TaskState): boolean {
  const { dispatched, monitored } = verdictsOf(task);
  const isKept = ['ready', 'done', 'merged'].includes(task.progress.status);
  return isKept && passes(dispatched ?? []) && passes(monitored ?? []);
}
