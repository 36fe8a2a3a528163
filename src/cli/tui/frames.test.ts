import { renderToString } from 'ink';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { approved, begun, ended, held, hello, reply, run, started } from '../../../test/support/run-events.ts';
import { viewed } from '../../../test/support/viewed.ts';
import { FrameView } from '../../adapters/terminal/screen/frame-view.tsx';
import { attemptId, type TaskId } from '../../domain/base/ids.ts';
import { inconclusive } from '../../domain/gates/make-verdict.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { Key, Size } from '../../ports/terminal.ts';
import type { RunView } from '../../view/run-view.ts';
import { frameOf } from './frame.ts';
import { helpLines } from './pane-texts.ts';
import { initialUi, press, settle, type Ui, type UiRequest } from './ui.ts';

const [small, large]: Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
if (small === undefined || large === undefined) throw new Error('two sizes');

function pressed(
  view: RunView,
  ...keys: readonly (Key | string)[]
): { readonly ui: Ui; readonly requests: readonly UiRequest[] } {
  const requests: UiRequest[] = [];
  let ui = settle(initialUi, view);
  for (const key of keys) {
    const next = press(ui, typeof key === 'string' ? { key: 'text', text: key } : key, {
      view,
      size: small as Size,
      hosts: true,
    });
    if (next.request !== null) requests.push(next.request);
    ui = settle(next.ui, view);
  }
  return { ui, requests };
}

/** What stands on a terminal of that size, drawn by Ink. */
function drawn(ui: Ui, view: RunView, size: Size): string {
  const frame = frameOf(ui, { view, size, around: { ahead: null, attended: true } });
  const text = renderToString(createElement(FrameView, { frame, size, colour: false }), { columns: size.columns });
  const lines = text.split('\n');
  expect(lines.length).toBe(size.rows);
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(size.columns);
  return `\n${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

const used: RunEvent = {
  type: 'attempt-noted',
  task: hello,
  attempt: attemptId(run, hello, 1),
  number: 1,
  note: {
    note: 'usage',
    usage: { turns: 4, inputTokens: 12_300, outputTokens: 950, cachedTokens: 0, usd: 0.42 },
  },
} as unknown as RunEvent;

function spent(view: RunView, task: TaskId, usd: number): RunView {
  const found = view.state.tasks[task];
  if (found === undefined) throw new Error(`no ${task}`);
  const tasks = { ...view.state.tasks, [task]: { ...found, used: { ...found.used, usd } } };
  return { ...view, state: { ...view.state, tasks } };
}

const atWork = viewed(...begun(), ...approved, ...started, used);
const heldRun = viewed(...begun(), ...approved, ...started, used, ended, ...held);
const enter: Key = { key: 'enter' };
const esc: Key = { key: 'escape' };

test('a run at work at 80x24', () => {
  expect(drawn(pressed(atWork).ui, atWork, small)).toMatchInlineSnapshot(`
    "
    checkout-k3f9  onto main · 1m 19s · $0.42 · 13.3k tokens · fence: bubblewrap
    ✓ Check  ✓ Approve  ● Work  · Verify  · Land
    ────────────────────────────────────────────────────────────────────────────────
    wave 1
    ▸ ● hello running  1m 07s dispatch  13.3k   $0.42
      · reply waiting                                  for hello












    ────────────────────────────────────────────────────────────────────────────────
    checkout-k3f9/hello has been running for 1m 07s.
      tidegate logs -f checkout-k3f9/hello


    ⏎ transcript  d diff  l log  w why  p pause  s stop  X abandon  ? help  q detach
    "
  `);
});

test('F28: what each agent does now and how much each snapshot changed, cut to the width', () => {
  const doing = `Bash npm test -- --reporter ${'x'.repeat(80)}`;
  const busy = { ...atWork, activity: new Map([[hello, { doing, changes: null }]]) };
  expect(drawn(pressed(busy).ui, busy, small).split('\n').slice(5, 7)).toEqual([
    '▸ ● hello running  1m 07s dispatch  13.3k   $0.42  Bash npm test -- --reporter …',
    '  · reply waiting                                  for hello',
  ]);
  const changes = { files: 2, added: 12, removed: 4 };
  const stopped = { ...heldRun, activity: new Map([[hello, { doing: null, changes }]]) };
  expect(drawn(pressed(stopped).ui, stopped, large)).toContain(
    '▸ ! hello held     1m 06s dispatch  13.3k   $0.42  added x.md: the task does not own it · 2 files, +12 −4',
  );
});

test('F28: a task waits for approval only until it is approved', () => {
  const asked = viewed(...begun());
  expect(drawn(pressed(asked, 'n').ui, asked, small)).toMatch(/hello waiting +approval/);
  expect(drawn(pressed(atWork).ui, atWork, small)).not.toMatch(/waiting +approval/);
});

test('a held task comes first, is counted, and its keys are offered', () => {
  expect(drawn(pressed(heldRun).ui, heldRun, small)).toMatchInlineSnapshot(`
    "
    checkout-k3f9 ! 1 needs you  onto main · 1m 22s · $0.42 · 13.3k tokens · fence:…
    ✓ Check  ✓ Approve  ✗ Work  · Verify  · Land
    ────────────────────────────────────────────────────────────────────────────────
    needs you (1)
    ▸ ! hello held     1m 06s dispatch  13.3k   $0.42  added x.md: the task does no…
    wave 1
      ! reply blocked                                  needs hello, which is held











    ────────────────────────────────────────────────────────────────────────────────
    checkout-k3f9/hello has been held for 1m 06s: added x.md: the task does not own
    it.
      tidegate grant checkout-k3f9/hello x.md

    g grant  r rework  x drop  ⏎ transcript  d diff  l log  w why  ? help  q detach
    "
  `);
});

test('the same at 120x40, with all phases', () => {
  expect(drawn(pressed(heldRun, { key: 'tab' }).ui, heldRun, large)).toMatchInlineSnapshot(`
    "
    checkout-k3f9 ! 1 needs you  onto main · 1m 22s · $0.42 · 13.3k tokens · fence: bubblewrap
    ✓ Check    ✓ 000 contract ✓ 0 load ✓ 0.5 thread ✓ 0.7 preflight ✓ 1 ownership
    ✓ Approve  ✓ 2 approval
    ✗ Work     ● 3 dispatch ✗ 4 monitor
    · Verify   · 5 closure
    · Land     · 6 merge · 6 landing
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    needs you (1)
    ▸ ! hello held     1m 06s dispatch  13.3k   $0.42  added x.md: the task does not own it
    wave 1
      ! reply blocked                                  needs hello, which is held





















    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    checkout-k3f9/hello has been held for 1m 06s: added x.md: the task does not own it.
      tidegate grant checkout-k3f9/hello x.md




    g grant  r rework  x drop  ⏎ transcript  d diff  l log  w why  p pause  s stop  X abandon  tab phases  ? help  q detach
    "
  `);
});

test('help fits on 80x24', () => {
  const { ui } = pressed(heldRun, '?');
  const filled = { ...ui, pane: ui.pane === null ? null : { ...ui.pane, lines: helpLines } };
  const text = drawn(filled, heldRun, small);
  for (const word of ['select the previous or next task', 'scroll by a page; also b and space', 'also home and end'])
    expect(text).toContain(word);
});

test('a long text is wrapped, keeps to its end and scrolls', () => {
  const { ui } = pressed(atWork, enter);
  const lines = [...Array(30).keys()].map((at) => `line ${at}`);
  const filled = {
    ...ui,
    pane: ui.pane === null ? null : { ...ui.pane, lines: [...lines, `${'word '.repeat(20)}end`] },
  };
  expect(drawn(filled, atWork, small)).toMatchInlineSnapshot(`
    "
    Transcript of checkout-k3f9/hello  13-32 of 32
    ────────────────────────────────────────────────────────────────────────────────
    line 12
    line 13
    line 14
    line 15
    line 16
    line 17
    line 18
    line 19
    line 20
    line 21
    line 22
    line 23
    line 24
    line 25
    line 26
    line 27
    line 28
    line 29
    word word word word word word word word word word word word word word word word
    word word word word end
    ────────────────────────────────────────────────────────────────────────────────
    ↑↓ PgUp PgDn g G scroll  ⏎ d l w other panes  esc back
    "
  `);
  const top = press(filled, { key: 'text', text: 'g' }, { view: atWork, size: small, hosts: true });
  expect(drawn(top.ui, atWork, small)).toContain('\nline 0\n');
});

test('no control character of an agent reaches the terminal', () => {
  const { ui } = pressed(atWork, enter);
  const hostile = ['\x1b[2Jgone', 'a\x07b', 'c\rd', '\x9b31mred', 'x\u202ey'];
  const filled = { ...ui, pane: ui.pane === null ? null : { ...ui.pane, lines: hostile } };
  const text = drawn(filled, atWork, small);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(text).toContain('\ngone\nab\ncd\nred\n');
});

test('every decision is asked before it is made; only y means yes', () => {
  const drops = [{ request: 'act', act: { act: 'drop', task: hello } }];
  expect(pressed(heldRun, 'x', 'y').requests).toEqual(drops);
  expect(pressed(heldRun, 'x', 'n').requests).toEqual([]);
  expect(pressed(heldRun, 'x', enter).requests).toEqual([]);
  expect(pressed(heldRun, 'x', esc, 'y').requests).toEqual([]);
  expect(pressed(heldRun, 'x', { key: 'pasted', text: 'y' }).requests).toEqual([]);
  expect(pressed(heldRun, 's', 'y').requests).toEqual([{ request: 'act', act: { act: 'stop' } }]);
  expect(pressed(atWork, 'p').requests).toEqual([{ request: 'act', act: { act: 'pause' } }]);
  expect(pressed(atWork, 'j', 'g').ui).toMatchObject({ selected: reply, question: null });
});

test('work of an agent that did not finish is taken by its key, and the snapshot that was shown is named', () => {
  const task = heldRun.state.tasks[hello];
  if (task?.progress.status !== 'held') throw new Error('hello is not held');
  const { attempt, snapshot } = task.progress;
  const monitored = [inconclusive('handoff', { rule: 'handoff-present' })];
  const progress = { status: 'failed', attempt: { ...attempt, monitored }, snapshot } as const;
  const tasks = { ...heldRun.state.tasks, [hello]: { ...task, progress } };
  const unfinished = { ...heldRun, state: { ...heldRun.state, tasks } };
  expect(drawn(pressed(unfinished).ui, unfinished, small)).toContain('t accept');
  expect(drawn(pressed(unfinished, 't').ui, unfinished, small)).toContain('Accept hello as it is (');
  const takes = [{ request: 'act', act: { act: 'accept', task: hello, snapshot: snapshot.commit } }];
  expect(pressed(unfinished, 't', 'y').requests).toEqual(takes);
  expect(pressed(unfinished, 't', 'n').requests).toEqual([]);
  expect(pressed(unfinished, 't', 'd').ui.pane).toMatchObject({ kind: 'diff', task: hello });
  expect(pressed(heldRun, 't')).toMatchObject({ ui: { question: null }, requests: [] });
});

test('a limit of money that is in the way is raised by its key: of the task that is selected, else of the run', () => {
  const over = spent(atWork, hello, 60);
  expect(drawn(pressed(over).ui, over, small)).toContain('\n$ raise  ');
  expect(drawn(pressed(over, '$').ui, over, small)).toContain('Raise the budget of the run by $50? [y/N]');
  expect(pressed(over, '$', 'y').requests).toEqual([{ request: 'act', act: { act: 'raise', task: null, usd: 50 } }]);
  expect(pressed(over, '$', 'n').requests).toEqual([]);

  const ownLimit = spent(over, reply, 60);
  expect(pressed(ownLimit, '$', 'y').requests).toEqual([
    { request: 'act', act: { act: 'raise', task: reply, usd: 10 } },
  ]);
  expect(pressed(atWork, '$')).toMatchObject({ ui: { question: null }, requests: [] });
});

const asksPerson: RunEvent = {
  type: 'attempt-noted',
  ...{ task: hello, attempt: attemptId(run, hello, 1), number: 2 },
  note: { note: 'posted', post: 1, kind: 'question', target: 'person', text: 'which\n\u001b[2Jtable?' },
  place: { id: '1', to: 'person', status: 'open' },
};

test('m answers a record that waits for a person, and dismisses it after tab; it is offered only then', () => {
  const asked = viewed(...begun(), ...approved, ...started, asksPerson);
  expect(drawn(pressed(asked).ui, asked, small)).toMatch(/\n {4}m answer {2}|\nm answer {2}/);
  expect(drawn(pressed(atWork).ui, atWork, small)).not.toContain('m answer');
  expect(drawn(pressed(atWork, 'm').ui, atWork, small)).toContain('no record of the board is waiting for you');
  const typed = pressed(asked, 'm', 'b');
  expect(drawn(typed.ui, asked, small)).toContain('Record 1 "which table?" (tab: dismiss). Answer: b█');
  const does = (...keys: readonly (Key | string)[]) => pressed(asked, 'm', ...keys).requests;
  expect(does('b', enter)).toEqual([
    { request: 'act', act: { act: 'record', record: '1', does: 'answer', text: 'b' } },
  ]);
  expect(does({ key: 'tab' }, 'no need', enter)).toEqual([
    { request: 'act', act: { act: 'record', record: '1', does: 'dismiss', text: 'no need' } },
  ]);
  expect([does('b', esc), does(enter)]).toEqual([[], []]);
});

test('rework takes a text, typed and pasted', () => {
  const typed = pressed(
    heldRun,
    'r',
    ' ',
    'n',
    'o',
    'x',
    { key: 'backspace' },
    { key: 'pasted', text: 'pe\nat all' },
    enter,
  );
  expect(typed.requests).toEqual([{ request: 'act', act: { act: 'rework', task: hello, message: 'nope at all' } }]);
  expect(pressed(heldRun, 'r', enter).requests).toEqual([]);
});

test('an open tap is asked about by itself, once', () => {
  const waiting = viewed(...begun());
  expect(pressed(waiting).ui.question).toEqual({ asks: 'approve', tap: 'start' });
  expect(pressed(waiting, 'e').requests).toEqual([{ request: 'edit' }]);
  expect(pressed(waiting, 'y').requests).toEqual([{ request: 'act', act: { act: 'approve' } }]);
  expect(pressed(waiting, 'n').requests).toEqual([{ request: 'act', act: { act: 'reject' } }]);
  const later = { key: 'escape' } as const;
  expect(pressed(waiting, later).ui.question).toBeNull();
  expect(pressed(waiting, later, 'a').ui.question).toEqual({ asks: 'approve', tap: 'start' });
});

test('Ctrl-C asks who hosts the run, and detaches whoever presses it twice', () => {
  const interrupt: Key = { key: 'interrupt' };
  expect(pressed(atWork, interrupt).ui.question).toMatchObject({ asks: 'leave' });
  expect(pressed(atWork, interrupt, interrupt).requests).toEqual([{ request: 'leave', by: 'interrupt' }]);
  expect(pressed(atWork, interrupt, 'd').requests).toEqual([{ request: 'leave', by: 'interrupt' }]);
  expect(pressed(atWork, interrupt, 's').requests).toEqual([{ request: 'stop' }]);
  expect(pressed(atWork, interrupt, esc)).toMatchObject({ ui: { question: null }, requests: [] });
  expect(pressed(atWork, 'q').requests).toEqual([{ request: 'leave', by: 'key' }]);
  expect(pressed(atWork, enter, 'q').requests).toEqual([]);
});
