import { taskId } from '../../domain/base/ids.ts';
import { foreignPathsOf } from '../../domain/explain/hold.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { RunState } from '../../domain/run/run.ts';
import { endedAttempt, liveAttempt, snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { Key } from '../../ports/screen.ts';
import { openPane, type PaneKind } from './pane.ts';
import type { Question } from './questions.ts';
import { orderOf } from './rows.ts';
import type { Pressed, Standing, Ui } from './ui.ts';

/** Keys where the tasks are in sight. */
export function inList(ui: Ui, key: Key, at: Standing): Pressed {
  const { state } = at.view;
  const task = ui.selected === null ? undefined : state.tasks[ui.selected];
  const typed = key.key === 'text' ? key.text : key.key;
  const step = steps[typed];
  if (step !== undefined) return stay({ ...ui, selected: moved(ui, state, step) });
  const pane = panes[typed];
  if (pane !== undefined) return stay({ ...ui, pane: openPane(pane, task?.id ?? null) });
  switch (typed) {
    case 'tab':
      return stay({ ...ui, unfolded: !ui.unfolded });
    case 'q':
      return { ui, wish: { wish: 'leave', by: 'key' } };
    case 'p':
      return { ui, wish: { wish: 'act', act: { act: state.mode.mode === 'active' ? 'pause' : 'resume' } } };
    case 's':
      return stay({ ...ui, question: { asks: 'stop' } });
    case 'X':
      return asks(ui, state.ended === null ? { asks: 'abandon' } : null, 'the run has ended');
    case 'a':
      return asks(ui, approvalOf(state), 'nothing waits for an approval');
    case 'g':
      return asks(ui, grantOf(task), 'this task asks for no path and is not held for one');
    case '$':
      return asks(ui, raiseOf(state, task), 'no limit of money is in the way');
    case 'x':
      return asks(ui, isRowOpen(task) ? { asks: 'drop', task: task.id } : null, 'this task is settled');
    case 't':
      return asks(ui, acceptanceOf(task), 'this task left no work that could be taken as it is');
    case 'r':
      return asks(ui, isRowOpen(task) ? { asks: 'rework', task: task.id, text: '' } : null, 'this task is settled');
    default:
      return stay(ui);
  }
}

const steps: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  'page-up': -10,
  'page-down': 10,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

const panes: Readonly<Record<string, PaneKind>> = { enter: 'transcript', d: 'diff', l: 'log', w: 'why', '?': 'help' };

const stay = (ui: Ui): Pressed => ({ ui, wish: null });

const asks = (ui: Ui, question: Question | null, otherwise: string): Pressed =>
  stay(question === null ? { ...ui, notice: otherwise } : { ...ui, question });

function moved(ui: Ui, state: RunState, step: number): Ui['selected'] {
  const order = orderOf(state);
  const from = ui.selected === null ? 0 : order.indexOf(ui.selected);
  return order[Math.max(0, Math.min(order.length - 1, from + step))] ?? null;
}

/** The tap that waits, also one on hold; or a landing that was refused and may be tried again. */
export function approvalOf(state: RunState): Question | null {
  const names = Object.keys(state.taps) as TapName[];
  const tap = names.find((name) => ['pending', 'held'].includes(state.taps[name]?.status ?? ''));
  if (tap !== undefined) return { asks: 'approve', tap };
  return state.landing.status === 'refused' ? { asks: 'land' } : null;
}

/** The paths that the task is held for, or that its agent asks for. */
export function grantOf(task: TaskState | undefined): Question | null {
  if (task === undefined) return null;
  const held = task.progress.status === 'held' ? foreignPathsOf(task.progress.hold) : null;
  const paths = held?.grantable === true ? held.paths : (liveAttempt(task)?.requested ?? []).map(({ path }) => path);
  return paths.length === 0 ? null : { asks: 'grant', task: task.id, paths };
}

/** The snapshot of a task that did not end well. What else stands against it is judged when it is taken. */
export function acceptanceOf(task: TaskState | undefined): Question | null {
  const snapshot = task === undefined ? null : snapshotOf(task);
  if (task === undefined || snapshot === null || snapshot.diff.length === 0) return null;
  const findings = endedAttempt(task)?.monitored ?? [];
  const isUnfinished = findings.some(({ gate, outcome }) => ['exit', 'handoff'].includes(gate) && outcome !== 'pass');
  if (!isUnfinished || !['held', 'failed'].includes(task.progress.status)) return null;
  return { asks: 'accept', task: task.id, snapshot: snapshot.commit, files: snapshot.diff.length };
}

/** As much again as the plan gave: to the task if its own limit is in the way, else to the run or to whichever task stands. */
export function raiseOf(state: RunState, task: TaskState | undefined): Question | null {
  const over = needsOf(state).filter(({ kind }) => kind === 'budget');
  const need = over.find((one) => one.task === task?.id) ?? over[0];
  if (need === undefined) return null;
  return need.task === null
    ? { asks: 'raise', task: null, usd: state.plan.limits.runUsd }
    : { asks: 'raise', task: taskId(need.task), usd: state.plan.limits.usd };
}

export const isRowOpen = (task: TaskState | undefined): task is TaskState =>
  task !== undefined && !['merged', 'done', 'dropped'].includes(task.progress.status);
