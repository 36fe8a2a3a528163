import { widthOf } from '../../domain/base/text-width.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { RunState } from '../../domain/run/run.ts';
import { usageOf } from '../../domain/run/task.ts';
import { addUsage, noUsage } from '../../domain/tool-calls/agent-event.ts';
import type { Frame, ScreenRow, Size } from '../../ports/screen.ts';
import type { Span, Text } from '../../ports/terminal.ts';
import { money, tokenCount } from '../../view/agent-lines.ts';
import { cautionLines } from '../../view/pauses.ts';
import { unfoldedLines, wordLine } from '../../view/phases.ts';
import { endLine, endTone, fenceText, needSince, type RunView } from '../../view/run-view.ts';
import { age } from '../../view/times.ts';
import { type Around, whyRun, whyTask } from '../../view/why.ts';
import { keyLine, paneKeyLine } from './key-line.ts';
import { type Pane, visible, wrap } from './pane.ts';
import { questionText } from './questions.ts';
import { type ListRow, listRows, tokens } from './rows.ts';
import type { Ui } from './ui.ts';

type Shown = { readonly view: RunView; readonly size: Size; readonly around: Around };

/** All that is on the screen at one moment. */
export function frameOf(ui: Ui, shown: Shown): Frame {
  return ui.pane === null ? listFrame(ui, shown) : paneFrame(ui, ui.pane, shown);
}

function listFrame(ui: Ui, shown: Shown): Frame {
  const { view, size } = shown;
  const head = [
    headLine(view),
    ...(ui.unfolded ? unfoldedLines(view.state) : [wordLine(view.state)]),
    ...standing(shown),
    rule(size),
  ];
  const foot = [rule(size), ...details(ui, shown), ...lastLines(ui, view), keyLine(ui, view.state, size.columns)];
  const room = Math.max(1, size.rows - head.length - foot.length);
  return { head, body: windowOf(listRows(view, size.columns), ui, room, size.columns), foot };
}

function headLine({ state, times, now }: RunView): Text {
  const needs = needsOf(state).length;
  const used = Object.values(state.tasks).map(usageOf).reduce(addUsage, noUsage);
  const isFenced = state.plan.fence.mode !== 'none';
  const facts = [
    // last where it is as it should be; whoever runs unfenced must see it on every screen
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

const mostStanding = 3;

/** How it ended, or what the whole run waits for. */
function standing({ view, around }: Shown): readonly Text[] {
  const { state, now } = view;
  const ended = endLine(state);
  if (ended !== null) return [[{ text: ended, tone: endTone(state) }]];
  const line = around.ahead === null ? [] : [`waits to land: ${around.ahead} goes first: tidegate why ${around.ahead}`];
  const needs = needsOf(state)
    .filter(({ task }) => task === null)
    .map((need): Text => {
      const since = age(needSince(view, need), now);
      const key = keyOfNeed[need.kind];
      const last = key === undefined ? need.command : `press ${key}`;
      const how = need.first === undefined ? last : `${need.first}; then ${last}`;
      return [{ text: `! ${need.message}`, tone: 'waiting' }, `${since === '' ? '' : ` (${since})`}: ${how}`];
    });
  return [...line, ...needs, ...cautionLines(state, now), ...(around.copying ?? [])].slice(0, mostStanding);
}

const keyOfNeed: Readonly<Partial<Record<string, string>>> = {
  approve: 'a',
  land: 'a',
  landing: 'a',
  paused: 'p',
  stopped: 'p',
  halted: 'p',
};

/** What the selected task waits for, in full. */
function details(ui: Ui, { view, size, around }: Shown): readonly Text[] {
  const lines = size.rows < 30 ? 3 : 5;
  const why = ui.selected === null ? whyRun(view, around) : whyTask(view, ui.selected, around);
  const sentence = wrap(why.sentence, size.columns).slice(0, why.command === null ? lines : lines - 1);
  const command: readonly Text[] = why.command === null ? [] : [[{ text: `  ${why.command}`, tone: 'dim' }]];
  const all = [...sentence, ...command];
  return [...all, ...Array<Text>(lines - all.length).fill('')];
}

const lastLines = (ui: Ui, view: RunView): readonly Text[] => [
  ui.question === null ? (ui.notice ?? '') : questionText(ui.question, view),
];

/** The rows around the selected one, which is marked also where there are no colours. */
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
  const width = widthOf(line.map((part) => (typeof part === 'string' ? part : part.text)).join(''));
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
      return `What the agent of ${subject} says and does`;
    case 'log':
      return `What ${subject} printed`;
    case 'diff':
      return `What ${subject} changed`;
    case 'why':
      return `Why ${subject} is where it is`;
    case 'help':
      return 'Keys';
  }
}

const rule = ({ columns }: Size): Text => [{ text: '─'.repeat(columns), tone: 'dim' }];
