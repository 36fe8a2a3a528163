import { policy } from '../settings/policy.ts';
import type { RunState } from './run.ts';
import { liveAttempt, type TaskState, usageOf } from './task.ts';

/** Dollars, as far as agents name them: nothing is invented for those that do not. */
export type Spend = { readonly used: number; readonly limit: number };

export const taskSpend = ({ plan }: Pick<RunState, 'plan'>, task: TaskState): Spend => ({
  used: spentOn(task),
  limit: plan.limits.usd + task.raised,
});

export const runSpend = ({ plan, raised, tasks }: Pick<RunState, 'plan' | 'raised' | 'tasks'>): Spend => ({
  used: spentOnAll(tasks),
  limit: plan.limits.runUsd + raised,
});

export const isOver = ({ used, limit }: Spend): boolean => used >= limit;

/** From here on people are told. */
export const isNear = ({ used, limit }: Spend): boolean => used >= limit * policy.budgetNear;

/** No attempt of it may start before a person raises the limit. */
export const isOverBudget = (state: RunState, task: TaskState): boolean =>
  isOver(taskSpend(state, task)) || isOver(runSpend(state));

/** What the next attempt, or the one under way from its beginning on, may cost. */
export function allowance(state: RunState, task: TaskState): number {
  const [own, whole] = [taskSpend(state, task), runSpend(state)];
  const live = liveAttempt(task)?.usage.usd ?? 0;
  return Math.max(0, Math.min(own.limit - own.used, whole.limit - whole.used) + live);
}

const spentOn = (task: TaskState): number => usageOf(task).usd ?? 0;

const sums = new WeakMap<RunState['tasks'], number>();

/** A state never changes: summed once for all who ask. */
function spentOnAll(tasks: RunState['tasks']): number {
  const sum = sums.get(tasks) ?? Object.values(tasks).reduce((total, task) => total + spentOn(task), 0);
  sums.set(tasks, sum);
  return sum;
}
