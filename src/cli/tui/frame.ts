import stringWidth from 'string-width';
import { endLine } from '../../domain/explain/ending.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { RunState } from '../../domain/run/run.ts';
import { usageOf } from '../../domain/run/task.ts';
import { addUsage, noUsage } from '../../domain/tool-calls/agent-event.ts';
import type { Frame, ScreenRow, Size, Span, Text } from '../../ports/terminal.ts';
import { money, tokenCount } from '../../view/agent-lines.ts';
import { unfoldedLines, wordLine } from '../../view/phases.ts';
import { landingNoteLines } from '../../view/role-text.ts';
import { cautionLines, endTone, fenceText, needSince, type RunView } from '../../view/run-view.ts';
import { age } from '../../view/task-view.ts';
import { type WhyContext, whyRun, whyTask } from '../../view/why.ts';
import { acceptanceOf, approvalOf, grantOf, isRowOpen, raiseOf, recordQuestionOf } from './list-keys.ts';
import { type Pane, visible, wrap } from './pane.ts';
import { questionText } from './questions.ts';
import { type ListRow, listRows, tokens } from './rows.ts';
import type { Ui } from './ui.ts';

type Shown = { readonly view: RunView; readonly size: Size; readonly around: WhyContext };

/** Returns the whole screen. */
export function frameOf(ui: Ui, shown: Shown): Frame {
  return ui.pane === null ? listFrame(ui, shown) : paneFrame(ui, ui.pane, shown);
}

function listFrame(ui: Ui, shown: Shown): Frame {
  const { view, size } = shown;
  const head = [
    headLine(view),
    ...(ui.unfolded ? unfoldedLines(view.state) : [wordLine(view.state)]),
    ...stateLines(shown),
    rule(size),
  ];
  const foot = [
    rule(size),
    ...details(ui, shown),
    ...noteLines(ui, shown),
    ...lastLines(ui, view),
    keyLine(ui, view.state, size.columns),
  ];
  const room = Math.max(1, size.rows - head.length - foot.length);
  return { head, body: windowOf(listRows(view, size.columns), ui, room, size.columns), foot };
}

function headLine({ state, times, now }: RunView): Text {
  const needs = needsOf(state).length;
  const used = Object.values(state.tasks).map(usageOf).reduce(addUsage, noUsage);
  const isFenced = state.plan.fence.mode !== 'none';
  const facts = [
    // a missing fence comes first, so that it is seen on every screen
    isFenced ? '' : fenceText(state),
    `onto ${state.target.branch}`,
    age(times.began, times.ended ?? now),
    used.usd === null || used.usd === 0 ? '' : money(used.usd),
    tokens(used) === 0 ? '' : `${tokenCount(tokens(used))} tokens`,
    isFenced ? fenceText(state) : '',
  ];
  return [
    { text: state.run, tone: 'strong' },
    needs === 0 ? '' : ' ',
    ...(needs === 0 ? [] : [{ text: `! ${needs} need${needs === 1 ? 's' : ''} you`, tone: 'waiting' } as const]),
    `  ${facts.filter((fact) => fact !== '').join(' · ')}`,
  ];
}

const mostStateLines = 3;

/** Says how the run ended, or what the whole run is waiting for. */
function stateLines({ view, around }: Shown): readonly Text[] {
  const { state, now } = view;
  const ended = endLine(state);
  if (ended !== null) return [[{ text: ended, tone: endTone(state) }]];
  const line = around.ahead === null ? [] : [`waiting to land after ${around.ahead}: tidegate why ${around.ahead}`];
  const needs = needsOf(state)
    .filter(({ task }) => task === null)
    .map((need): Text => {
      const since = age(needSince(view, need), now);
      const key = keyOfNeed[need.kind];
      const last = key === undefined ? need.command : `press ${key}`;
      const how = need.first === undefined ? last : `${need.first}; then ${last}`;
      return [{ text: `! ${need.message}`, tone: 'waiting' }, `${since === '' ? '' : ` (${since})`}: ${how}`];
    });
  return [...line, ...needs, ...cautionLines(state, now), ...(around.copying ?? [])].slice(0, mostStateLines);
}

const keyOfNeed: Readonly<Partial<Record<string, string>>> = {
  approve: 'a',
  land: 'a',
  landing: 'a',
  paused: 'p',
  stopped: 'p',
  halted: 'p',
  question: 'm',
};

/** Explains in full what the selected task is waiting for. */
function details(ui: Ui, { view, size, around }: Shown): readonly Text[] {
  const lines = size.rows < 30 ? 3 : 5;
  const why = ui.selected === null ? whyRun(view, around) : whyTask(view, ui.selected, around);
  const sentence = wrap(why.sentence, size.columns).slice(0, why.command === null ? lines : lines - 1);
  const command: readonly Text[] = why.command === null ? [] : [[{ text: `  ${why.command}`, tone: 'dim' }]];
  const all = [...sentence, ...command];
  return [...all, ...Array<Text>(lines - all.length).fill('')];
}

/** Concerns and resolved barriers above the question about the landing, in full. A screen that is too low names the command. */
function noteLines({ question }: Ui, { view, size }: Shown): readonly Text[] {
  const isLanding = question?.asks === 'land' || (question?.asks === 'approve' && question.tap === 'land');
  if (!isLanding) return [];
  const all = landingNoteLines(view.state).flatMap((text) => wrap(text, size.columns));
  const most = Math.max(3, size.rows - 14);
  return all.length <= most ? all : [...all.slice(0, most - 1), `  and more: tidegate show ${view.state.run}`];
}

const lastLines = (ui: Ui, view: RunView): readonly Text[] => [
  ui.question === null ? (ui.notice ?? '') : questionText(ui.question, view),
];

/** Returns the rows around the selected one, which is marked even without colours. */
function windowOf(rows: readonly ListRow[], ui: Ui, room: number, columns: number): readonly ScreenRow[] {
  const at = rows.findIndex(({ task }) => task !== null && task === ui.selected);
  const top = rows.length <= room ? 0 : Math.max(0, Math.min(rows.length - room, at - Math.floor(room / 2)));
  return rows.slice(top, top + room).map(({ task, text }) => {
    if (task === null) return { text, isMarked: false };
    const isMarked = task === ui.selected;
    const line = [isMarked ? '▸' : ' ', ...(typeof text === 'string' ? [text] : text)];
    return { text: isMarked ? filled(line, columns) : line, isMarked };
  });
}

function filled(line: readonly (string | Span)[], columns: number): Text {
  const width = stringWidth(line.map((part) => (typeof part === 'string' ? part : part.text)).join(''));
  return [...line, ' '.repeat(Math.max(0, columns - width))];
}

function paneFrame(ui: Ui, pane: Pane, { view, size }: Shown): Frame {
  const { lines, place } = visible(pane, size);
  const title: Text = [{ text: paneTitle(pane, view.state), tone: 'strong' }, place === '' ? '' : `  ${place}`];
  const body = pane.lines === null ? ['reading …'] : lines;
  const last = ui.question === null ? paneKeyLine(view.state) : questionText(ui.question, view);
  return {
    head: [title, rule(size)],
    body: body.map((text) => ({ text, isMarked: false })),
    foot: [rule(size), last],
  };
}

function paneTitle({ kind, task }: Pane, state: RunState): string {
  const subject = task === null ? state.run : `${state.run}/${task}`;
  switch (kind) {
    case 'transcript':
      return `Transcript of ${subject}`;
    case 'log':
      return `Output of ${subject}`;
    case 'diff':
      return `Changes of ${subject}`;
    case 'why':
      return `Why ${subject} is waiting`;
    case 'help':
      return 'Keys';
  }
}

const rule = ({ columns }: Size): Text => [{ text: '─'.repeat(columns), tone: 'dim' }];

type KeyHint = { readonly key: string; readonly word: string; readonly isUrgent: boolean };

/** Lists the keys that do something now; those that the run waits for come first. */
function keyLine(ui: Ui, state: RunState, columns: number): Text {
  const task = ui.selected === null ? undefined : state.tasks[ui.selected];
  const isHeld = ['held', 'failed'].includes(task?.progress.status ?? '');
  const isBarrier = needsOf(state).some((need) => need.kind === 'barrier' && need.task === task?.id);
  const approval = approvalOf(state);
  const urgent = (key: string, word: string, applies: boolean): readonly KeyHint[] =>
    applies ? [{ key, word, isUrgent: true }] : [];
  const plain = (key: string, word: string, applies = true): readonly KeyHint[] =>
    applies ? [{ key, word, isUrgent: false }] : [];
  const isActive = state.mode.mode === 'active';
  const keys = [
    ...urgent('a', approval?.asks === 'approve' && approval.tap !== 'land' ? 'approve' : 'land', approval !== null),
    ...urgent('g', 'grant', grantOf(task) !== null),
    ...urgent('$', 'raise', raiseOf(state, task) !== null),
    ...urgent('m', 'answer', recordQuestionOf(state, task) !== null),
    ...urgent('p', 'resume', !isActive),
    ...urgent('r', 'rework', isHeld || isBarrier),
    ...urgent('t', 'accept', acceptanceOf(task) !== null),
    ...urgent('x', 'drop', isHeld && task?.about === undefined),
    ...plain('⏎', 'transcript'),
    ...plain('d', 'diff'),
    ...plain('l', 'log'),
    ...plain('w', 'why'),
    ...plain('p', 'pause', isActive),
    ...plain('s', 'stop'),
    ...plain('X', 'abandon', state.ended === null),
    ...plain('x', 'drop', isRowOpen(task) && !isHeld && task.about === undefined),
    ...plain('tab', 'phases'),
  ];
  return fitKeys(keys, [...plain('?', 'help'), ...plain('q', state.ended === null ? 'detach' : 'leave')], columns);
}

const paneKeyLine = (state: RunState): Text =>
  line([
    { key: '↑↓ PgUp PgDn g G', word: 'scroll', isUrgent: false },
    { key: '⏎ d l w', word: 'other panes', isUrgent: false },
    { key: 'esc', word: state.ended === null ? 'back' : 'leave', isUrgent: false },
  ]);

/** Leaves out keys that do not fit, but never the last ones. */
function fitKeys(keys: readonly KeyHint[], last: readonly KeyHint[], columns: number): Text {
  let shown = keys;
  while (shown.length > 0 && widthOfAll([...shown, ...last]) > columns) shown = shown.slice(0, -1);
  return line([...shown, ...last]);
}

const widthOfAll = (keys: readonly KeyHint[]): number =>
  keys.reduce((sum, { key, word }) => sum + key.length + word.length + 3, -2);

const line = (keys: readonly KeyHint[]): Text =>
  keys.flatMap(({ key, word, isUrgent }, at) => [
    at === 0 ? '' : '  ',
    { text: key, tone: isUrgent ? 'waiting' : 'strong' } as const,
    isUrgent ? ({ text: ` ${word}`, tone: 'waiting' } as const) : ` ${word}`,
  ]);
