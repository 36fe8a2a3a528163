import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Key, Size } from '../../ports/screen.ts';
import type { Activity } from '../../view/activity.ts';
import type { RunView } from '../../view/run-view.ts';
import type { Around } from '../../view/why.ts';
import { activityReader } from '../follow/activity.ts';
import type { Context } from '../frame/command.ts';
import { noticeOf, performAct } from './acts.ts';
import { frameOf } from './frame.ts';
import { type PaneText, paneText } from './pane-texts.ts';
import { type Act, firstUi, press, settle, type Ui, type Wish } from './ui.ts';

/** A run on a screen of its own, with keys. */
export interface Live extends Disposable {
  /** The run as it is now. Also the clock of everything that is drawn: called at least once in a second. */
  show(view: RunView, around: Around): void;
  /** Resolves when a key asks something of the command around the screen; rejects when doing it failed. */
  next(): Promise<void>;
  takeWish(): Exclude<Wish, { readonly wish: 'act' }> | null;
  /** Ctrl-C by signal. */
  interrupt(): void;
  /** Nothing is open that a person reads or answers. */
  isFree(): boolean;
}

/** Null where there is no terminal to take over. */
export async function openLive(repo: RepositoryHandle, context: Context, hosts: () => boolean): Promise<Live | null> {
  let ui: Ui = firstUi;
  let seen: { readonly view: RunView; readonly around: Around } | null = null;
  let wish: ReturnType<Live['takeWish']> = null;
  let woken = Promise.withResolvers<void>();
  const readActivity = activityReader(repo);
  let activity: Activity = new Map();
  let isLooking = false;
  let isClosed = false;
  let reading: { readonly subject: string; readonly text: PaneText } | null = null;
  const opened = await context.terminal.screen({ onKey: (key) => hear(key), onResize: () => draw() });
  if (opened === null) return null;
  const screen = opened;

  function draw(): void {
    if (seen === null || isClosed) return;
    ui = settle(ui, seen.view);
    const view = { ...seen.view, activity };
    screen.draw(frameOf(ui, { ...seen, view, size: sane(screen.size()) }));
  }

  /** One look at a time: a slow disk must not pile them up. */
  function look({ state }: RunView): void {
    if (isLooking) return;
    isLooking = true;
    readActivity(state).then((found) => {
      isLooking = false;
      activity = found;
      draw();
    }, woken.reject);
  }

  function hear(key: Key): void {
    if (seen === null) return;
    const now = { ...seen.view, now: repo.clock.now() };
    const pressed = press(ui, key, { view: now, size: sane(screen.size()), hosts: hosts() });
    ui = pressed.ui;
    if (pressed.wish?.wish === 'act') ask(pressed.wish.act, now);
    else if (pressed.wish !== null) wishes(pressed.wish);
    readPane();
    draw();
  }

  function wishes(next: NonNullable<typeof wish>): void {
    wish = next;
    woken.resolve();
  }

  function ask(act: Act, { state }: RunView): void {
    ui = { ...ui, notice: [{ text: `${act.act}: asked, waiting for the answer …`, tone: 'waiting' }] };
    performAct(repo, state.run, act).then((outcome) => {
      ui = { ...ui, notice: noticeOf(outcome) };
      draw();
    }, woken.reject);
  }

  function readPane(): void {
    const { pane } = ui;
    if (pane === null || seen === null) return;
    const subject = `${pane.kind} ${pane.task}`;
    if (pane.lines === null || reading?.subject !== subject) reading = { subject, text: paneText(repo, pane) };
    const { text } = reading;
    text(seen.view, seen.around).then((lines) => {
      const open = ui.pane;
      if (open === null || reading?.text !== text || open.lines === lines) return;
      ui = { ...ui, pane: { ...open, lines } };
      draw();
    }, woken.reject);
  }

  return {
    show: (view, around) => {
      seen = { view, around };
      const { question } = ui;
      if (question?.asks === 'leave' && view.now >= question.until) wishes({ wish: 'leave', by: 'interrupt' });
      readPane();
      look(view);
      draw();
    },
    next: async () => {
      if (wish === null) await woken.promise;
      woken = Promise.withResolvers();
    },
    takeWish: () => {
      const taken = wish;
      wish = null;
      return taken;
    },
    interrupt: () => hear({ key: 'interrupt' }),
    isFree: () => ui.pane === null && ui.question === null,
    [Symbol.dispose]: () => {
      isClosed = true;
      screen[Symbol.dispose]();
    },
  };
}

/** Below this a frame is cut rather than squeezed. */
const sane = ({ columns, rows }: Size): Size => ({ columns: Math.max(20, columns), rows: Math.max(10, rows) });
