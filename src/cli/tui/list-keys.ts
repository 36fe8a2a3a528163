import { taskId } from '../../domain/base/ids.ts';
import { foreignPathsOf } from '../../domain/explain/hold.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { RunState } from '../../domain/run/run.ts';
import { endedAttempt, liveAttempt, snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { Key } from '../../ports/terminal.ts';
import { openPane, type PaneKind } from './pane.ts';
import type { Question } from './questions.ts';
import { orderOf } from './rows.ts';
import type { KeyContext, KeyResult, Ui } from './ui.ts';

/** Handles keys while the list of tasks is shown. */
export function listKey(ui: Ui, key: Key, at: KeyContext): KeyResult {
  const { state } = at.view;
  const task = ui.selected === null ? undefined : state.tasks[ui.selected];
  const isRole = task?.about !== undefined;
  const isClosed = task === undefined || state.waves[task.wave]?.closed === true;
  const typed = key.key === 'text' ? key.text : key.key;
  const step = steps[typed];
  if (step !== undefined) return stay({ ...ui, selected: moved(ui, state, step) });
  const pane = panes[typed];
  if (pane !== undefined) return stay({ ...ui, pane: openPane(pane, task?.id ?? null) });
  switch (typed) {
    case 'tab':
      return stay({ ...ui, unfolded: !ui.unfolded });
    case 'q':
      return { ui, request: { request: 'leave', by: 'key' } };
    case 'p':
      return { ui, request: { request: 'act', act: { act: state.mode.mode === 'active' ? 'pause' : 'resume' } } };
    case 's':
      return stay({ ...ui, question: { asks: 'stop' } });
    case 'X':
      return asks(ui, state.ended === null ? { asks: 'abandon' } : null, 'the run has ended');
    case 'a':
      return asks(ui, approvalOf(state), 'nothing is waiting for approval');
    case 'g':
      return asks(ui, grantOf(task), 'this task needs no grant');
    case '$':
      return asks(ui, raiseOf(state, task), 'no budget is used up');
    case 'x':
      if (isRole) return asks(ui, null, 'a closure role can only run again or be resolved');
      return asks(ui, isRowOpen(task) ? { asks: 'drop', task: task.id } : null, 'this task has ended');
    case 't':
      return asks(ui, acceptanceOf(task), 'this task has no unfinished work to accept');
    case 'm':
      return asks(ui, recordQuestionOf(state, task), 'no record of the board is waiting for you');
    case 'r':
      return asks(
        ui,
        isRowOpen(task) || (isRole && !isClosed) ? { asks: 'rework', task: task.id, text: '' } : null,
        'this task has ended',
      );
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

const stay = (ui: Ui): KeyResult => ({ ui, request: null });

const asks = (ui: Ui, question: Question | null, otherwise: string): KeyResult =>
  stay(question === null ? { ...ui, notice: otherwise } : { ...ui, question });

function moved(ui: Ui, state: RunState, step: number): Ui['selected'] {
  const order = orderOf(state);
  const from = ui.selected === null ? 0 : order.indexOf(ui.selected);
  return order[Math.max(0, Math.min(order.length - 1, from + step))] ?? null;
}

/** Returns the waiting tap, also one on hold, or a refused landing that may be tried again. */
export function approvalOf(state: RunState): Question | null {
  const names = Object.keys(state.taps) as TapName[];
  const tap = names.find((name) => ['pending', 'held'].includes(state.taps[name]?.status ?? ''));
  if (tap !== undefined) return { asks: 'approve', tap };
  return state.landing.status === 'refused' ? { asks: 'land' } : null;
}

/** Returns the paths that the task is held for, or that its agent asks for. */
export function grantOf(task: TaskState | undefined): Question | null {
  if (task === undefined) return null;
  const held = task.progress.status === 'held' ? foreignPathsOf(task.progress.hold) : null;
  const paths = held?.grantable === true ? held.paths : (liveAttempt(task)?.requested ?? []).map(({ path }) => path);
  return paths.length === 0 ? null : { asks: 'grant', task: task.id, paths };
}

/** Returns the snapshot of a task whose agent did not finish. Its other gates judge it when it is accepted. */
export function acceptanceOf(task: TaskState | undefined): Question | null {
  const snapshot = task === undefined ? null : snapshotOf(task);
  if (task === undefined || snapshot === null || snapshot.diff.length === 0) return null;
  // nobody accepts the work of a closure role instead of its report
  if (task.about !== undefined) return null;
  const findings = endedAttempt(task)?.monitored ?? [];
  const isUnfinished = findings.some(({ gate, outcome }) => ['exit', 'handoff'].includes(gate) && outcome !== 'pass');
  if (!isUnfinished || !['held', 'failed'].includes(task.progress.status)) return null;
  return { asks: 'accept', task: task.id, snapshot: snapshot.commit, files: snapshot.diff.length };
}

/** Doubles a used-up budget: that of the selected task, else of the run or of the first task that waits for one. */
export function raiseOf(state: RunState, task: TaskState | undefined): Question | null {
  const over = needsOf(state).filter(({ kind }) => kind === 'budget');
  const need = over.find((one) => one.task === task?.id) ?? over[0];
  if (need === undefined) return null;
  return need.task === null
    ? { asks: 'raise', task: null, usd: state.plan.limits.runUsd }
    : { asks: 'raise', task: taskId(need.task), usd: state.plan.limits.usd };
}

/** Returns the first record of the board that waits for a person: one of the selected task, else any. */
export function recordQuestionOf(state: RunState, task: TaskState | undefined): Question | null {
  const open = needsOf(state).filter(({ kind }) => kind === 'question');
  const record = (open.find((need) => need.task === task?.id) ?? open[0])?.record;
  return record === undefined ? null : { asks: 'record', record, does: 'answer', text: '' };
}

export const isRowOpen = (task: TaskState | undefined): task is TaskState =>
  task !== undefined && !['merged', 'done', 'dropped'].includes(task.progress.status);
