import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import { recordById } from '../../domain/board/board.ts';
import { brief } from '../../domain/explain/text.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { Key, Text } from '../../ports/terminal.ts';
import type { RunView } from '../../view/run-view.ts';
import { tapQuestion } from '../follow/taps.ts';
import { openPane } from './pane.ts';
import type { Act, KeyResult, Ui } from './ui.ts';

export type Question =
  | { readonly asks: 'approve'; readonly tap: TapName }
  | { readonly asks: 'land' | 'stop' | 'abandon' }
  | { readonly asks: 'grant'; readonly task: TaskId; readonly paths: readonly string[] }
  | { readonly asks: 'drop'; readonly task: TaskId }
  | { readonly asks: 'accept'; readonly task: TaskId; readonly snapshot: CommitId; readonly files: number }
  | { readonly asks: 'raise'; readonly task: TaskId | null; readonly usd: number }
  | { readonly asks: 'rework'; readonly task: TaskId; readonly text: string }
  | RecordQuestion
  /** Silence means detach: no agent is stopped by not answering. */
  | { readonly asks: 'leave'; readonly until: string };

/** A record of the board that waits for a person. `does` is what enter does with it. */
type RecordQuestion = {
  readonly asks: 'record';
  readonly record: string;
  readonly does: 'answer' | 'dismiss';
  readonly text: string;
};

export const leaveSeconds = 10;

export function questionText(question: Question, { state, now }: RunView): Text {
  switch (question.asks) {
    case 'approve':
      return ask(`${tapQuestion(state, question.tap)} [${question.tap === 'land' ? 'y/n/d' : 'y/n/e/d'}, esc: later]`);
    case 'land':
      return ask(`Try to land on ${state.target.branch} again? [y/N]`);
    case 'stop':
      return ask(`Stop ${state.run}? Its agents end, their work is kept. [y/N]`);
    case 'abandon':
      return ask(`Abandon ${state.run} for good? Landed work stays, the rest is kept for rescue. [y/N]`);
    case 'grant':
      return ask(`Let ${question.task} change ${question.paths.join(' ')}? [y/N]`);
    case 'raise':
      return ask(`Raise the budget of ${question.task ?? 'the run'} by $${question.usd}? [y/N]`);
    case 'drop':
      return ask(`Drop ${question.task}? Its work is kept for rescue. [y/N]`);
    case 'accept':
      return ask(
        `Accept ${question.task} as it is (${question.snapshot.slice(0, 8)}, ${question.files} changed)? [y/N/d]`,
      );
    case 'rework':
      return [...ask(`What should ${question.task} fix? `), question.text, '█'];
    case 'record': {
      const { record, does, text } = question;
      const words = brief(safeLine(recordById(state, record)?.text ?? ''), 50);
      const other = does === 'answer' ? 'dismiss' : 'answer';
      const what = does === 'answer' ? 'Answer' : 'Dismiss, because';
      return [...ask(`Record ${record} "${words}" (tab: ${other}). ${what}: `), text, '█'];
    }
    case 'leave': {
      const seconds = Math.max(0, Math.ceil((Date.parse(question.until) - Date.parse(now)) / 1000));
      return ask(`d detach, agents continue (in ${seconds}s) · s stop, work is kept · esc keep watching`);
    }
  }
}

const ask = (text: string) => [{ text, tone: 'waiting' }] as const;

/** Handles a key while a question is open. Only `y` means yes. */
export function answerKey(ui: Ui, question: Question, key: Key): KeyResult {
  const typed = key.key === 'text' ? key.text : key.key;
  const closed: Ui = { ...ui, question: null };
  switch (question.asks) {
    case 'rework':
    case 'record':
      return editText(ui, question, key);
    case 'leave':
      if (typed === 'd') return { ui: closed, request: { request: 'leave', by: 'interrupt' } };
      return { ui: closed, request: typed === 's' ? { request: 'stop' } : null };
    case 'approve':
      if (typed === 'd') return { ui: { ...closed, pane: openPane('diff', null) }, request: null };
      if (typed === 'y') return acts(closed, { act: 'approve' });
      if (typed === 'n') return acts(closed, { act: 'reject' });
      if (typed === 'e' && question.tap !== 'land') return { ui: closed, request: { request: 'edit' } };
      return isAnswer(typed)
        ? { ui: { ...closed, postponed: [...ui.postponed, question.tap] }, request: null }
        : { ui, request: null };
    case 'land':
    case 'stop':
    case 'abandon':
      return yesOrNo(ui, typed, { act: question.asks });
    case 'grant':
      return yesOrNo(ui, typed, { act: 'grant', task: question.task, paths: question.paths });
    case 'raise':
      return yesOrNo(ui, typed, { act: 'raise', task: question.task, usd: question.usd });
    case 'drop':
      return yesOrNo(ui, typed, { act: 'drop', task: question.task });
    case 'accept':
      if (typed === 'd') return { ui: { ...closed, pane: openPane('diff', question.task) }, request: null };
      return yesOrNo(ui, typed, { act: 'accept', task: question.task, snapshot: question.snapshot });
  }
}

function yesOrNo(ui: Ui, typed: string, act: Act): KeyResult {
  if (typed === 'y') return acts({ ...ui, question: null }, act);
  return { ui: isAnswer(typed) ? { ...ui, question: null } : ui, request: null };
}

const isAnswer = (typed: string): boolean => ['n', 'N', 'q', 'escape', 'enter'].includes(typed);
const acts = (ui: Ui, act: Act): KeyResult => ({ ui, request: { request: 'act', act } });

function editText(ui: Ui, question: Question & { readonly asks: 'rework' | 'record' }, key: Key): KeyResult {
  const withText = (text: string): KeyResult => ({ ui: { ...ui, question: { ...question, text } }, request: null });
  const { text } = question;
  switch (key.key) {
    case 'text':
      return withText(text + key.text);
    case 'pasted':
      return withText(text + key.text.replaceAll(/\s+/g, ' '));
    case 'backspace':
      return withText([...text].slice(0, -1).join(''));
    case 'escape':
      return { ui: { ...ui, question: null }, request: null };
    case 'enter':
      if (text.trim() === '') return { ui: { ...ui, question: null }, request: null };
      return acts({ ...ui, question: null }, typedAct(question, text.trim()));
    case 'tab':
      if (question.asks !== 'record') return { ui, request: null };
      return {
        ui: { ...ui, question: { ...question, does: question.does === 'answer' ? 'dismiss' : 'answer' } },
        request: null,
      };
    default:
      return { ui, request: null };
  }
}

const typedAct = (question: Question & { readonly asks: 'rework' | 'record' }, text: string): Act =>
  question.asks === 'rework'
    ? { act: 'rework', task: question.task, message: text }
    : { act: 'record', record: question.record, does: question.does, text };
