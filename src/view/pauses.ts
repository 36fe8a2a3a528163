import { isPaused, otherAgent, providerOf } from '../domain/agents/provider-pause.ts';
import { spendText } from '../domain/explain/advice.ts';
import { toldOfSleep } from '../domain/explain/machine.ts';
import { plannedById } from '../domain/plan/plan.ts';
import { isNear, runSpend, taskSpend } from '../domain/run/costs.ts';
import { plannedStates, type RunState } from '../domain/run/run.ts';
import { endedAttempt, type TaskState } from '../domain/run/task.ts';
import type { Text } from '../ports/terminal.ts';
import { troubleText } from './agent-lines.ts';
import { isTaskOpen } from './task-line.ts';
import { pauseText } from './times.ts';

/** Tasks that wait for a provider, and what to type for one of them. */
type Pause = { readonly sentence: string; readonly command: string | null };

/** Why a task waits for its provider, until when, and how to give it to somebody else. */
export function pauseOf(state: RunState, task: TaskState, now: string): Pause | null {
  const planned = plannedById(state.plan, task.id);
  if (planned === undefined || task.progress.status !== 'waiting') return null;
  const provider = providerOf(task);
  const pause = state.providers[provider];
  if (pause?.status !== 'paused') return null;
  const other = otherAgent(state.providers, planned, task);
  return {
    sentence: `${provider} is paused${pauseText(pause.until, now)}: ${troubleText(pause.trouble)}`,
    command: other === null ? null : `tidegate retry ${state.run}/${task.id} --agent ${other}`,
  };
}

/** What is paused by its provider, whose money is nearly used up, and what took long only because the machine slept. */
export function cautionLines(state: RunState, now: string): readonly Text[] {
  if (state.ended !== null) return [];
  return [...pausedLines(state, now), ...nearLines(state), ...sleptLines(state)];
}

function pausedLines(state: RunState, now: string): readonly Text[] {
  return Object.keys(state.providers).flatMap((provider): readonly Text[] => {
    const waiting = plannedStates(state).find((task) => isOf(state, task, provider));
    const pause = waiting === undefined ? null : pauseOf(state, waiting, now);
    if (pause === null || !isPaused(state.providers, provider)) return [];
    return [
      [{ text: pause.sentence, tone: 'waiting' }],
      ...(pause.command === null ? [] : [`  or another agent: ${pause.command}`]),
    ];
  });
}

function isOf(state: RunState, task: TaskState, provider: string): boolean {
  const planned = plannedById(state.plan, task.id);
  return planned !== undefined && task.progress.status === 'waiting' && providerOf(task) === provider;
}

function nearLines(state: RunState): readonly Text[] {
  const tasks = plannedStates(state)
    .filter(isTaskOpen)
    .map((task) => ({ name: `${task.id} has`, spend: taskSpend(state, task) }));
  return [...tasks, { name: 'the run has', spend: runSpend(state) }]
    .filter(({ spend }) => isNear(spend))
    .map(({ name, spend }) => [{ text: `${name} used ${spendText(spend)}`, tone: 'waiting' }]);
}

const sleptLines = (state: RunState): readonly Text[] =>
  plannedStates(state)
    .filter(isTaskOpen)
    .flatMap((task) => {
      const slept = toldOfSleep(endedAttempt(task)?.slept ?? 0);
      return slept === null ? [] : [`${task.id}: ${slept}`];
    });
