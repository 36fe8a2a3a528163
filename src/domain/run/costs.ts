import type { AttemptId, TaskId } from '../base/ids.ts';
import { budgetGroup, budgetOwners } from '../derived/derived-tasks.ts';
import type { RunEvent } from '../ledger/events.ts';
import { orchestratorId, orchestratorUsd } from '../orchestrator/orchestrator.ts';
import { policy } from '../settings/policy.ts';
import { addUsage, noUsage, type Usage } from '../tool-calls/agent-event.ts';
import { type Recorded, type RunState, waveOf } from './run.ts';
import { liveAttempt, type TaskState, usageOf } from './task.ts';

/** Usage as agents report it; of attempts under way, as reported so far. */
type Costs = {
  readonly tasks: readonly Cost[];
  readonly agents: readonly Cost[];
  readonly waves: readonly Cost[];
  readonly total: Cost;
  readonly run: Spend;
};
export type Cost = {
  readonly name: string;
  readonly attempts: number;
  readonly live: number;
  readonly usage: Usage;
  /** Null except for tasks. */
  readonly spend: Spend | null;
};

type Entry = {
  readonly task: string;
  readonly agent: string;
  readonly wave: number;
  readonly usage: Usage;
  readonly isLive: boolean;
};

export function costsOf(state: RunState, stored: readonly Recorded[]): Costs {
  const entries = [...attemptsOf(state, stored).values()];
  const by = (name: (entry: Entry) => string, counts: (entry: Entry) => boolean = () => true): readonly Cost[] =>
    [...Map.groupBy(entries.filter(counts), name)].map(([group, some]) => sum(group, some));
  return {
    tasks: by(({ task }) => task).map((cost) => ({ ...cost, spend: spendOf(state, cost.name) })),
    agents: by(({ agent }) => agent),
    // the orchestrator belongs to no wave
    waves: by(
      ({ wave }) => `wave ${wave + 1}`,
      (entry) => entry.wave >= 0,
    ),
    total: sum('total', entries),
    run: runSpend(state),
  };
}

function attemptsOf(state: RunState, stored: readonly Recorded[]): ReadonlyMap<AttemptId, Entry> {
  const entries = new Map<AttemptId, Entry>();
  for (const { event } of stored) {
    if (event.type === 'attempt-intended') {
      const { task, agent } = event;
      entries.set(event.attempt, { task, agent, wave: waveOf(state, task), usage: noUsage, isLive: true });
    }
    if (event.type === 'orchestrator-intended')
      entries.set(event.attempt, { task: orchestratorId, agent: event.agent, wave: -1, usage: noUsage, isLive: true });
    if (!isUsed(event)) continue;
    const entry = entries.get(event.attempt);
    if (entry !== undefined) entries.set(event.attempt, evolve(entry, event));
  }
  return entries;
}

type Used = RunEvent & { readonly type: `${'attempt' | 'orchestrator'}-${'noted' | 'ended'}` };

const isUsed = (event: Recorded['event']): event is Used =>
  event.type === 'attempt-noted' ||
  event.type === 'attempt-ended' ||
  event.type === 'orchestrator-noted' ||
  event.type === 'orchestrator-ended';

function evolve(entry: Entry, event: Used): Entry {
  if (!('note' in event)) return { ...entry, isLive: false, usage: event.agent?.usage ?? entry.usage };
  return event.note.note === 'usage' ? { ...entry, usage: event.note.usage } : entry;
}

const sum = (name: string, entries: readonly Entry[]): Cost => ({
  name,
  attempts: entries.length,
  live: entries.filter(({ isLive }) => isLive).length,
  usage: entries.map(({ usage }) => usage).reduce(addUsage, noUsage),
  spend: null,
});

function spendOf(state: RunState, name: string): Spend | null {
  const task = Object.values(state.tasks).find(({ id }) => id === name);
  if (task !== undefined) return taskSpend(state, task);
  return name === orchestratorId ? orchestratorSpend(state) : null;
}

/** Dollars, as far as agents name them: nothing is invented for those that do not. */
export type Spend = { readonly used: number; readonly limit: number };

/** A derived task has no budget of its own: it uses that of the tasks that it stands for. */
export function taskSpend(state: Pick<RunState, 'plan' | 'tasks' | 'derived'>, task: TaskState): Spend {
  const { plan, tasks } = state;
  const sum = (ids: readonly TaskId[], of: (one: TaskState) => number): number =>
    ids.reduce((total, id) => total + of(id === task.id ? task : (tasks[id] ?? task)), 0);
  return {
    used: sum(budgetGroup(state, task.id), spentOn),
    limit: sum(budgetOwners(state, task.id), ({ raised }) => plan.limits.usd + raised),
  };
}

export const runSpend = (state: Pick<RunState, 'plan' | 'raised' | 'tasks' | 'orchestrator'>): Spend => ({
  used: spentOnAll(state.tasks) + orchestratorUsd(state),
  limit: state.plan.limits.runUsd + state.raised,
});

/** The budget of the resident orchestrator. Null when there is none. */
export const orchestratorSpend = (state: Pick<RunState, 'plan' | 'orchestrator'>): Spend | null =>
  state.plan.orchestrator === undefined ? null : { used: orchestratorUsd(state), limit: state.plan.orchestrator.usd };

export const isOver = ({ used, limit }: Spend): boolean => used >= limit;

/** True when people get a warning. */
export const isNear = ({ used, limit }: Spend): boolean => used >= limit * policy.budgetNear;

/** No attempt of it may start before a person raises the limit. */
export const isOverBudget = (state: RunState, task: TaskState): boolean =>
  isOver(taskSpend(state, task)) || isOver(runSpend(state));

/** The most that the next attempt, or the one under way, may cost. */
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
