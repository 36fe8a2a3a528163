import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import type { Key } from '../../ports/screen.ts';
import type { Text } from '../../ports/terminal.ts';
import type { RunView } from '../../view/run-view.ts';
import { tapQuestion } from '../follow/taps.ts';
import { openPane } from './pane.ts';
import type { Act, Pressed, Ui } from './ui.ts';

export type Question =
  | { readonly asks: 'approve'; readonly tap: TapName }
  | { readonly asks: 'land' | 'stop' | 'abandon' }
  | { readonly asks: 'grant'; readonly task: TaskId; readonly paths: readonly string[] }
  | { readonly asks: 'drop'; readonly task: TaskId }
  | { readonly asks: 'accept'; readonly task: TaskId; readonly snapshot: CommitId; readonly files: number }
  | { readonly asks: 'raise'; readonly task: TaskId | null; readonly usd: number }
  | { readonly asks: 'rework'; readonly task: TaskId; readonly text: string }
  /** Silence means detach: nobody stops agents by not answering. */
  | { readonly asks: 'leave'; readonly until: string };

export const leaveSeconds = 10;

export function questionText(question: Question, { state, now }: RunView): Text {
  switch (question.asks) {
    case 'approve':
      return asked(
        `${tapQuestion(state, question.tap)} [${question.tap === 'land' ? 'y/n/d' : 'y/n/e/d'}, esc: later]`,
      );
    case 'land':
      return asked(`Try to land on ${state.target.branch} again? [y/N]`);
    case 'stop':
      return asked(`Stop ${state.run}: end its agents, keep their work? [y/N]`);
    case 'abandon':
      return asked(`End ${state.run} for good? What has landed stays, the rest is kept for rescue. [y/N]`);
    case 'grant':
      return asked(`Let ${question.task} change ${question.paths.join(' ')}? [y/N]`);
    case 'raise':
      return asked(`Let ${question.task ?? 'the run'} use $${question.usd} more? [y/N]`);
    case 'drop':
      return asked(`Give ${question.task} up? Its work is kept for rescue. [y/N]`);
    case 'accept':
      return asked(
        `Take ${question.task} as it is (${question.snapshot.slice(0, 8)}, ${question.files} changed)? [y/N/d]`,
      );
    case 'rework':
      return [...asked(`What is ${question.task} to mend? `), question.text, '█'];
    case 'leave': {
      const seconds = Math.max(0, Math.ceil((Date.parse(question.until) - Date.parse(now)) / 1000));
      return asked(`d detach, agents go on (in ${seconds}s) · s stop, work is kept · esc keep watching`);
    }
  }
}

const asked = (text: string) => [{ text, tone: 'waiting' }] as const;

/** Only `y` means yes. */
export function pressedAnswer(ui: Ui, question: Question, key: Key): Pressed {
  const typed = key.key === 'text' ? key.text : key.key;
  const closed: Ui = { ...ui, question: null };
  switch (question.asks) {
    case 'rework':
      return typing(ui, question, key);
    case 'leave':
      if (typed === 'd') return { ui: closed, wish: { wish: 'leave', by: 'interrupt' } };
      return { ui: closed, wish: typed === 's' ? { wish: 'stop' } : null };
    case 'approve':
      if (typed === 'd') return { ui: { ...closed, pane: openPane('diff', null) }, wish: null };
      if (typed === 'y') return acts(closed, { act: 'approve' });
      if (typed === 'n') return acts(closed, { act: 'reject' });
      if (typed === 'e' && question.tap !== 'land') return { ui: closed, wish: { wish: 'edit' } };
      return isAnswer(typed)
        ? { ui: { ...closed, putOff: [...ui.putOff, question.tap] }, wish: null }
        : { ui, wish: null };
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
      if (typed === 'd') return { ui: { ...closed, pane: openPane('diff', question.task) }, wish: null };
      return yesOrNo(ui, typed, { act: 'accept', task: question.task, snapshot: question.snapshot });
  }
}

function yesOrNo(ui: Ui, typed: string, act: Act): Pressed {
  if (typed === 'y') return acts({ ...ui, question: null }, act);
  return { ui: isAnswer(typed) ? { ...ui, question: null } : ui, wish: null };
}

const isAnswer = (typed: string): boolean => ['n', 'N', 'q', 'escape', 'enter'].includes(typed);
const acts = (ui: Ui, act: Act): Pressed => ({ ui, wish: { wish: 'act', act } });

function typing(ui: Ui, question: Question & { readonly asks: 'rework' }, key: Key): Pressed {
  const typed = (text: string): Pressed => ({ ui: { ...ui, question: { ...question, text } }, wish: null });
  const { text, task } = question;
  switch (key.key) {
    case 'text':
      return typed(text + key.text);
    case 'pasted':
      return typed(text + key.text.replaceAll(/\s+/g, ' '));
    case 'backspace':
      return typed([...text].slice(0, -1).join(''));
    case 'escape':
      return { ui: { ...ui, question: null }, wish: null };
    case 'enter':
      if (text.trim() === '') return { ui: { ...ui, question: null }, wish: null };
      return acts({ ...ui, question: null }, { act: 'rework', task, message: text.trim() });
    default:
      return { ui, wish: null };
  }
}
