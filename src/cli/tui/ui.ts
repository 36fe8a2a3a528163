import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { Key, Size, Text } from '../../ports/terminal.ts';
import type { RunView } from '../../view/run-view.ts';
import { openTap } from '../follow/follow.ts';
import { listKey } from './list-keys.ts';
import { type Pane, scroll } from './pane.ts';
import { answerKey, leaveSeconds, type Question } from './questions.ts';
import { orderOf } from './rows.ts';

/** The state of the screen itself. It is never stored: a screen that is opened again starts anew. */
export type Ui = {
  readonly selected: TaskId | null;
  /** The five words are unfolded into their phases. */
  readonly unfolded: boolean;
  readonly pane: Pane | null;
  readonly question: Question | null;
  /** The result of the last key. */
  readonly notice: Text | null;
  /** Taps that the person postponed; the screen does not ask about them again by itself. */
  readonly postponed: readonly TapName[];
};

/** A request to the run, the same as that of the command of this name. */
export type Act =
  | { readonly act: 'approve' | 'reject' | 'land' | 'pause' | 'resume' | 'stop' | 'abandon' }
  | { readonly act: 'grant'; readonly task: TaskId; readonly paths: readonly string[] }
  | { readonly act: 'drop'; readonly task: TaskId }
  /** Without a task: the budget of the run. */
  | { readonly act: 'raise'; readonly task: TaskId | null; readonly usd: number }
  | { readonly act: 'accept'; readonly task: TaskId; readonly snapshot: CommitId }
  | { readonly act: 'rework'; readonly task: TaskId; readonly message: string }
  | { readonly act: 'record'; readonly record: string; readonly does: 'answer' | 'dismiss'; readonly text: string };

/** A request of a key to the command around the screen. */
export type UiRequest =
  | { readonly request: 'act'; readonly act: Act }
  | { readonly request: 'leave'; readonly by: 'key' | 'interrupt' }
  /** Opens the plan in the person's editor, which may need the whole terminal. */
  | { readonly request: 'edit' }
  /** Ends the agents and keeps their work; then the screen closes. */
  | { readonly request: 'stop' };

export type KeyResult = { readonly ui: Ui; readonly request: UiRequest | null };

/** `hosts`: this process coordinates the run, so leaving means a handover. */
export type KeyContext = { readonly view: RunView; readonly size: Size; readonly hosts: boolean };

export const initialUi: Ui = {
  selected: null,
  unfolded: false,
  pane: null,
  question: null,
  notice: null,
  postponed: [],
};

/** Gives a key its meaning: first for an open question, then for the open pane, then for the list. */
export function press(before: Ui, key: Key, at: KeyContext): KeyResult {
  const ui = { ...before, notice: null };
  if (key.key === 'interrupt') return interrupt(ui, at);
  if (ui.question !== null) return answerKey(ui, ui.question, key);
  if (ui.pane !== null) return paneKey(ui, ui.pane, key, at);
  return listKey(ui, key, at);
}

/** Adapts the screen to the run: selects a task, asks about a new tap, closes an outdated question. */
export function settle(ui: Ui, { state, ...view }: RunView): Ui {
  const order = orderOf(state);
  const selected = ui.selected !== null && order.includes(ui.selected) ? ui.selected : (order[0] ?? null);
  const tap = openTap({ state, ...view });
  const isStale =
    ui.question?.asks === 'approve' && ui.question.tap !== tap && state.taps[ui.question.tap]?.status !== 'held';
  const question = isStale ? null : ui.question;
  const isFree = ui.pane === null && question === null && state.pending.length === 0;
  const asks = isFree && tap !== null && !ui.postponed.includes(tap);
  return { ...ui, selected, question: asks ? { asks: 'approve', tap } : question };
}

function interrupt(ui: Ui, { view, hosts }: KeyContext): KeyResult {
  if (!hosts || ui.question?.asks === 'leave') return { ui, request: { request: 'leave', by: 'interrupt' } };
  const until = new Date(Date.parse(view.now) + leaveSeconds * 1000).toISOString();
  return { ui: { ...ui, question: { asks: 'leave', until } }, request: null };
}

function paneKey(ui: Ui, pane: Pane, key: Key, at: KeyContext): KeyResult {
  const typed = key.key === 'text' ? key.text : key.key;
  if (typed === 'escape' || typed === 'q') return { ui: { ...ui, pane: null }, request: null };
  if (['enter', 'd', 'l', 'w', '?'].includes(typed) && pane.task !== null) return listKey(ui, key, at);
  return { ui: { ...ui, pane: scroll(pane, typed, at.size) }, request: null };
}
