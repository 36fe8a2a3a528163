import type { RunState } from '../../domain/run/run.ts';
import type { Text } from '../../ports/terminal.ts';
import { acceptanceOf, approvalOf, grantOf, isRowOpen, raiseOf } from './list-keys.ts';
import type { Ui } from './ui.ts';

type Shown = { readonly key: string; readonly word: string; readonly isUrgent: boolean };

/** The keys that mean something now; those that a person is waited for come first. */
export function keyLine(ui: Ui, state: RunState, columns: number): Text {
  const task = ui.selected === null ? undefined : state.tasks[ui.selected];
  const isHeld = ['held', 'failed'].includes(task?.progress.status ?? '');
  const approval = approvalOf(state);
  const urgent = (key: string, word: string, applies: boolean): readonly Shown[] =>
    applies ? [{ key, word, isUrgent: true }] : [];
  const plain = (key: string, word: string, applies = true): readonly Shown[] =>
    applies ? [{ key, word, isUrgent: false }] : [];
  const isActive = state.mode.mode === 'active';
  const keys = [
    ...urgent('a', approval?.asks === 'approve' && approval.tap !== 'land' ? 'approve' : 'land', approval !== null),
    ...urgent('g', 'grant', grantOf(task) !== null),
    ...urgent('$', 'raise', raiseOf(state, task) !== null),
    ...urgent('p', 'resume', !isActive),
    ...urgent('r', 'rework', isHeld),
    ...urgent('t', 'take', acceptanceOf(task) !== null),
    ...urgent('x', 'drop', isHeld),
    ...plain('⏎', 'transcript'),
    ...plain('d', 'diff'),
    ...plain('l', 'log'),
    ...plain('w', 'why'),
    ...plain('p', 'pause', isActive),
    ...plain('s', 'stop'),
    ...plain('X', 'abandon', state.ended === null),
    ...plain('x', 'drop', isRowOpen(task) && !isHeld),
    ...plain('tab', 'phases'),
  ];
  return fitted(keys, [...plain('?', 'help'), ...plain('q', state.ended === null ? 'detach' : 'leave')], columns);
}

export const paneKeyLine = (state: RunState): Text =>
  line([
    { key: '↑↓ PgUp PgDn g G', word: 'scroll', isUrgent: false },
    { key: '⏎ d l w', word: 'other panes', isUrgent: false },
    { key: 'esc', word: state.ended === null ? 'back' : 'leave', isUrgent: false },
  ]);

/** As many as there is room for; the last ones always. */
function fitted(keys: readonly Shown[], last: readonly Shown[], columns: number): Text {
  let shown = keys;
  while (shown.length > 0 && widthOfAll([...shown, ...last]) > columns) shown = shown.slice(0, -1);
  return line([...shown, ...last]);
}

const widthOfAll = (keys: readonly Shown[]): number =>
  keys.reduce((sum, { key, word }) => sum + key.length + word.length + 3, -2);

const line = (keys: readonly Shown[]): Text =>
  keys.flatMap(({ key, word, isUrgent }, at) => [
    at === 0 ? '' : '  ',
    { text: key, tone: isUrgent ? 'waiting' : 'strong' } as const,
    isUrgent ? ({ text: ` ${word}`, tone: 'waiting' } as const) : ` ${word}`,
  ]);
