import type { TaskId } from '../../domain/base/ids.ts';
import { rolesOfWave } from '../../domain/closure/role-state.ts';
import { derivedToShow } from '../../domain/derived/derived-tasks.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import { passes, type Verdict } from '../../domain/gates/verdict.ts';
import { type RunState, selectedWaves, tasksOfWave, type WaveState } from '../../domain/run/run.ts';
import { type TaskState, usageOf, verdictsOf } from '../../domain/run/task.ts';
import type { Usage } from '../../domain/tool-calls/agent-event.ts';
import type { Span, Text } from '../../ports/terminal.ts';
import { money, tokenCount } from '../../view/agent-lines.ts';
import { waveStanding } from '../../view/role-text.ts';
import type { RunView } from '../../view/run-view.ts';
import { age, describeTask, isTaskOpen } from '../../view/task-view.ts';

export type ListRow = { readonly task: TaskId | null; readonly text: Text };

type Section = { readonly title: Text; readonly tasks: readonly TaskState[] };

/** Lists the tasks by wave, after those that need a person. */
export function listRows(view: RunView, columns: number): readonly ListRow[] {
  const { state } = view;
  const widths = widthsOf(state, columns);
  return sectionsOf(state).flatMap(({ title, tasks }): readonly ListRow[] => [
    { task: null, text: title },
    ...tasks.map((task) => ({ task: task.id, text: taskRow(view, task, widths) })),
  ]);
}

/** Returns the tasks in the order of the screen. */
export const orderOf = (state: RunState): readonly TaskId[] =>
  sectionsOf(state).flatMap(({ tasks }) => tasks.map(({ id }) => id));

function sectionsOf(state: RunState): readonly Section[] {
  const waiting = new Set(needsOf(state).map(({ task }) => task));
  const all = selectedWaves(state).map((wave) => ({
    wave,
    tasks: [...tasksOfWave(state, wave.index), ...derivedToShow(state, wave.index), ...rolesOfWave(state, wave.index)],
  }));
  const first = all.flatMap(({ tasks }) => tasks.filter(({ id }) => waiting.has(id)));
  const title: Span = { text: `needs you (${first.length})`, tone: 'waiting' };
  const rest = all.map(({ wave, tasks }) => ({
    title: waveTitle(state, wave),
    tasks: tasks.filter(({ id }) => !waiting.has(id)),
  }));
  return [
    ...(first.length === 0 ? [] : [{ title: [title], tasks: first }]),
    ...rest.filter(({ tasks }) => tasks.length > 0),
  ];
}

function waveTitle(state: RunState, wave: WaveState): Text {
  const { index } = wave;
  const name = state.plan.waves[index]?.name ?? '';
  const title = `wave ${index + 1}${name === '' || name === `wave-${index}` ? '' : ` ${name}`}`;
  return [{ text: title, tone: 'strong' }, waveStanding(state, wave)];
}

type Widths = { readonly name: number; readonly hasUsage: boolean };

/** Shows tokens and cost only if an agent reported them. */
function widthsOf(state: RunState, columns: number): Widths {
  const tasks = Object.values(state.tasks);
  const longest = Math.max(4, ...tasks.map(({ id }) => id.length));
  return {
    name: Math.min(longest, columns < 100 ? 16 : 32),
    hasUsage: tasks.some((task) => tokens(usageOf(task)) > 0),
  };
}

function taskRow(view: RunView, task: TaskState, { name, hasUsage }: Widths): Text {
  const { state, times, now } = view;
  const { sign, tone, word, detail } = describeTask(state, task, view.activity?.get(task.id));
  const since = isTaskOpen(task) ? age(times.tasks[task.id] ?? null, now) : '';
  const usage = usageOf(task);
  const used = tokens(usage) === 0 ? '' : tokenCount(tokens(usage));
  const paid = usage.usd === null ? '' : money(usage.usd);
  return [
    { text: ` ${sign} `, tone },
    `${fitted(task.id, name)} `,
    { text: word.padEnd(8), tone },
    `${since.padStart(7)} `,
    { text: proofOf(state, task).padEnd(9), tone: 'dim' },
    ...(hasUsage ? [`${used.padStart(6)} ${paid.padStart(7)} `] : []),
    ` ${detail}`,
  ];
}

const fitted = (text: string, width: number): string =>
  text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`;

export const tokens = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

/** Returns the last phase that the task has passed, or `approval` while it waits for that. */
function proofOf(state: RunState, task: TaskState): string {
  const wave = state.waves[task.wave];
  const isPassed = (verdicts: readonly Verdict[] | null | undefined): boolean =>
    verdicts !== null && verdicts !== undefined && passes(verdicts);
  if (task.progress.status === 'merged') return 'merge';
  const { dispatched, monitored } = verdictsOf(task);
  if (isPassed(monitored)) return 'monitor';
  if (isPassed(dispatched)) return 'dispatch';
  // an approved task that waits does so for another reason, which is shown beside it
  return isPassed(wave?.ownership) && !isPassed(wave?.approval) ? 'approval' : '';
}
