import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { Key, Size } from '../../ports/screen.ts';
import type { Text } from '../../ports/terminal.ts';
import type { RunView } from '../../view/run-view.ts';
import { openTap } from '../follow/open-tap.ts';
import { inList } from './list-keys.ts';
import { type Pane, scrolled } from './pane.ts';
import { leaveSeconds, pressedAnswer, type Question } from './questions.ts';
import { orderOf } from './rows.ts';

/** What a person sees and does beside the run itself. It is never stored: who opens the screen again begins again. */
export type Ui = {
  readonly selected: TaskId | null;
  /** The five words unfold into their phases. */
  readonly unfolded: boolean;
  readonly pane: Pane | null;
  readonly question: Question | null;
  /** What came of the last key. */
  readonly notice: Text | null;
  /** Taps that the person has put off; they are not asked about by themselves any more. */
  readonly putOff: readonly TapName[];
};

/** Something that the run is asked for, by the same request as the command of that name. */
export type Act =
  | { readonly act: 'approve' | 'reject' | 'land' | 'pause' | 'resume' | 'stop' | 'abandon' }
  | { readonly act: 'grant'; readonly task: TaskId; readonly paths: readonly string[] }
  | { readonly act: 'drop'; readonly task: TaskId }
  /** Without a task: the limit of the run. */
  | { readonly act: 'raise'; readonly task: TaskId | null; readonly usd: number }
  | { readonly act: 'accept'; readonly task: TaskId; readonly snapshot: CommitId }
  | { readonly act: 'rework'; readonly task: TaskId; readonly message: string };

/** What a key asks of the command around the screen. */
export type Wish =
  | { readonly wish: 'act'; readonly act: Act }
  | { readonly wish: 'leave'; readonly by: 'key' | 'interrupt' }
  /** The plan is opened in the person's editor, which may want the whole terminal. */
  | { readonly wish: 'edit' }
  /** Agents are ended and their work is kept; the screen closes when that is done. */
  | { readonly wish: 'stop' };

export type Pressed = { readonly ui: Ui; readonly wish: Wish | null };

/** `hosts`: the run's coordinator lives in this process, so that leaving is more than looking away. */
export type Standing = { readonly view: RunView; readonly size: Size; readonly hosts: boolean };

export const firstUi: Ui = {
  selected: null,
  unfolded: false,
  pane: null,
  question: null,
  notice: null,
  putOff: [],
};

/** The one place where keys get their meaning: a question has them first, then the open pane, then the list. */
export function press(before: Ui, key: Key, at: Standing): Pressed {
  const ui = { ...before, notice: null };
  if (key.key === 'interrupt') return interrupted(ui, at);
  if (ui.question !== null) return pressedAnswer(ui, ui.question, key);
  if (ui.pane !== null) return inPane(ui, ui.pane, key, at);
  return inList(ui, key, at);
}

/** What changes on a screen because the run went on: a task is selected, a tap is asked about, a question is out of date. */
export function settle(ui: Ui, { state, ...view }: RunView): Ui {
  const order = orderOf(state);
  const selected = ui.selected !== null && order.includes(ui.selected) ? ui.selected : (order[0] ?? null);
  const tap = openTap({ state, ...view });
  const isStale =
    ui.question?.asks === 'approve' && ui.question.tap !== tap && state.taps[ui.question.tap]?.status !== 'held';
  const question = isStale ? null : ui.question;
  const isFree = ui.pane === null && question === null && state.pending.length === 0;
  const asks = isFree && tap !== null && !ui.putOff.includes(tap);
  return { ...ui, selected, question: asks ? { asks: 'approve', tap } : question };
}

function interrupted(ui: Ui, { view, hosts }: Standing): Pressed {
  if (!hosts || ui.question?.asks === 'leave') return { ui, wish: { wish: 'leave', by: 'interrupt' } };
  const until = new Date(Date.parse(view.now) + leaveSeconds * 1000).toISOString();
  return { ui: { ...ui, question: { asks: 'leave', until } }, wish: null };
}

function inPane(ui: Ui, pane: Pane, key: Key, at: Standing): Pressed {
  const typed = key.key === 'text' ? key.text : key.key;
  if (typed === 'escape' || typed === 'q') return { ui: { ...ui, pane: null }, wish: null };
  if (['enter', 'd', 'l', 'w', '?'].includes(typed) && pane.task !== null) return inList(ui, key, at);
  return { ui: { ...ui, pane: scrolled(pane, typed, at.size) }, wish: null };
}
