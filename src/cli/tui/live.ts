import type { RunId } from '../../domain/base/ids.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Key, Size, Text } from '../../ports/terminal.ts';
import type { RunView } from '../../view/run-view.ts';
import type { Activity } from '../../view/task-view.ts';
import type { WhyContext } from '../../view/why.ts';
import { activityReader } from '../follow/activity.ts';
import { resumeRun } from '../follow/replan.ts';
import { act } from '../frame/act.ts';
import { type Context, exitCodes, type Outcome } from '../frame/command.ts';
import { frameOf } from './frame.ts';
import { type PaneText, paneText } from './pane-texts.ts';
import { type Act, initialUi, press, settle, type Ui, type UiRequest } from './ui.ts';

/** A run on a screen of its own, with keys. */
export interface Live extends Disposable {
  /** Draws the run. Called at least once a second, because it also advances the clocks. */
  show(view: RunView, around: WhyContext): void;
  /** Resolves when a key asks something of the command around the screen; rejects when doing it failed. */
  next(): Promise<void>;
  takeRequest(): Exclude<UiRequest, { readonly request: 'act' }> | null;
  /** Handles Ctrl-C that came as a signal. */
  interrupt(): void;
  /** True when the person is neither reading a pane nor answering a question. */
  isFree(): boolean;
}

/** Null when there is no terminal to take over. */
export async function openLive(repo: RepositoryHandle, context: Context, hosts: () => boolean): Promise<Live | null> {
  let ui: Ui = initialUi;
  let current: { readonly view: RunView; readonly around: WhyContext } | null = null;
  let request: ReturnType<Live['takeRequest']> = null;
  let woken = Promise.withResolvers<void>();
  const readActivity = activityReader(repo);
  let activity: Activity = new Map();
  let isReading = false;
  let isClosed = false;
  let reading: { readonly subject: string; readonly text: PaneText } | null = null;
  const opened = await context.terminal.screen({ onKey: (key) => handle(key), onResize: () => draw() });
  if (opened === null) return null;
  const screen = opened;

  function draw(): void {
    if (current === null || isClosed) return;
    ui = settle(ui, current.view);
    const view = { ...current.view, activity };
    screen.draw(frameOf(ui, { ...current, view, size: usableSize(screen.size()) }));
  }

  /** One read at a time: a slow disk must not pile them up. */
  function refresh({ state }: RunView): void {
    if (isReading) return;
    isReading = true;
    readActivity(state).then((next) => {
      isReading = false;
      activity = next;
      draw();
    }, woken.reject);
  }

  function handle(key: Key): void {
    if (current === null) return;
    const now = { ...current.view, now: repo.clock.now() };
    const result = press(ui, key, { view: now, size: usableSize(screen.size()), hosts: hosts() });
    ui = result.ui;
    if (result.request?.request === 'act') perform(result.request.act, now);
    else if (result.request !== null) forward(result.request);
    readPane();
    draw();
  }

  function forward(next: NonNullable<typeof request>): void {
    request = next;
    woken.resolve();
  }

  function perform(act: Act, { state }: RunView): void {
    ui = { ...ui, notice: [{ text: `${act.act}: waiting for the answer …`, tone: 'waiting' }] };
    performAct(repo, state.run, act).then((outcome) => {
      ui = { ...ui, notice: noticeOf(outcome) };
      draw();
    }, woken.reject);
  }

  function readPane(): void {
    const { pane } = ui;
    if (pane === null || current === null) return;
    const subject = `${pane.kind} ${pane.task}`;
    if (pane.lines === null || reading?.subject !== subject) reading = { subject, text: paneText(repo, pane) };
    const { text } = reading;
    text(current.view, current.around).then((lines) => {
      const open = ui.pane;
      if (open === null || reading?.text !== text || open.lines === lines) return;
      ui = { ...ui, pane: { ...open, lines } };
      draw();
    }, woken.reject);
  }

  return {
    show: (view, around) => {
      current = { view, around };
      const { question } = ui;
      if (question?.asks === 'leave' && view.now >= question.until) forward({ request: 'leave', by: 'interrupt' });
      readPane();
      refresh(view);
      draw();
    },
    next: async () => {
      if (request === null) await woken.promise;
      woken = Promise.withResolvers();
    },
    takeRequest: () => {
      const taken = request;
      request = null;
      return taken;
    },
    interrupt: () => handle({ key: 'interrupt' }),
    isFree: () => ui.pane === null && ui.question === null,
    [Symbol.dispose]: () => {
      isClosed = true;
      screen[Symbol.dispose]();
    },
  };
}

/** A smaller frame is cut, not squeezed. */
const usableSize = ({ columns, rows }: Size): Size => ({ columns: Math.max(20, columns), rows: Math.max(10, rows) });

/** Performs the action of a key, with the same refusals as the command of that name. */
async function performAct(repo: RepositoryHandle, run: RunId, key: Act): Promise<Outcome> {
  const task = `${run}/${'task' in key ? key.task : ''}`;
  switch (key.act) {
    case 'approve':
    case 'reject':
      return await act(repo, { action: key.act, subject: run, input: { hash: undefined } });
    case 'land':
    case 'pause':
    case 'stop':
    case 'abandon':
      return await act(repo, { action: key.act, subject: run, input: {} });
    case 'resume':
      return await resumeRun(repo, run);
    case 'grant':
      return await act(repo, { action: 'grant', subject: task, input: { paths: key.paths } });
    case 'raise':
      return await act(repo, { action: 'raise', subject: key.task === null ? run : task, input: { usd: key.usd } });
    case 'drop':
      return await act(repo, { action: 'drop', subject: task, input: { paths: [] } });
    case 'accept':
      return await act(repo, { action: 'accept', subject: task, input: { snapshot: key.snapshot } });
    case 'rework':
      return await act(repo, { action: 'rework', subject: task, input: { message: key.message } });
    case 'record': {
      const { record, does, text } = key;
      return await act(repo, { action: 'record', subject: run, input: { record, act: does, text } });
    }
  }
}

/** Returns the first line that the command would have printed. */
function noticeOf({ exit, lines = [], problems = [] }: Outcome): Text {
  const [first = 'done'] = exit === exitCodes.done ? lines : problems;
  const text =
    typeof first === 'string' ? first : first.map((part) => (typeof part === 'string' ? part : part.text)).join('');
  return [{ text, tone: exit === exitCodes.done ? 'good' : 'bad' }];
}
