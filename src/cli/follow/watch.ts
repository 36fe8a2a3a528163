import type { RunId } from '../../domain/base/ids.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import { isInQueue, openUndo } from '../../domain/landing/landing-queue.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { RunState } from '../../domain/run/run.ts';
import { knownRuns, landsBefore } from '../../engine/orders/find-run.ts';
import { isAttended } from '../../engine/orders/rehearse.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { eventTeller } from '../../view/event-line.ts';
import type { RunView } from '../../view/run-view.ts';
import { type Context, done, exitCodes, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { subjectOf } from '../frame/subject.ts';
import { withRepository } from '../frame/with-repository.ts';
import { openDisplay } from '../tui/display.ts';
import { editAside } from '../tui/edit-aside.ts';
import { activityReader } from './activity.ts';
import { copyingLines } from './copying.ts';
import { followRun } from './follow.ts';
import { never, ticker } from './foreground.ts';
import { settledOutcome } from './settled.ts';

/** `tidegate watch [run]`: the live view of a run until it ends, without taking part in it. */
export const watchRun = (
  { run }: { readonly run: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, context.terminal.interactive ? 'ask' : 'look', async (repo) => {
    const found = await subjectOf(repo, 'watch', run, 'newest');
    return found.ok ? await lookOn(repo, context, found.value.run) : found.error;
  });

async function lookOn(repo: RepositoryHandle, context: Context, run: RunId): Promise<Outcome> {
  const { terminal, json } = context;
  const textOf = eventTeller();
  await using following = await followRun(repo, run, (stored) => {
    const line = textOf(stored.event);
    if (json) terminal.json(stored);
    else if (line !== null && !terminal.interactive) terminal.line(line);
  });
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using display = openDisplay(repo, context, { isBrief: false, opensAt: () => true, hosts: () => false });
  using ticks = ticker(1000);
  const tellActivity = json ? activityLines(repo, context) : null;
  const tellWaits = json || terminal.interactive ? null : waitLines(repo, context);
  for (;;) {
    const view = following.view();
    if (view !== null) await tellActivity?.(view);
    if (view !== null) await tellWaits?.(view);
    const isOver = view !== null && view.state.ended !== null && !isUndoAtWork(view.state);
    if (isOver && display.live()?.isFree() !== false) {
      display.clear();
      return settledOutcome(view, context);
    }
    if (view !== null) {
      const copying = await copyingLines(repo, view.state);
      const ahead = isInQueue(view.state) ? landsBefore(await knownRuns(repo.ledger), view.state) : null;
      await display.show(view, { ahead, attended: await isAttended(repo, view), copying });
    } else display.tell(`${run} is ordered; no coordinator has begun it yet`);
    const pressed = display.live()?.next() ?? never();
    const woken = await Promise.race([following.changed(), ticks.next(), left.promise, pressed]);
    const wish = display.live()?.takeWish() ?? null;
    if (wish?.wish === 'edit' && view !== null) {
      await editAside(repo, context, display, view);
      continue;
    }
    if (wish?.wish === 'leave' && wish.by === 'key') return { ...done([], { run }), reason: 'left' };
    if (woken === 'left' || wish !== null) return { exit: exitCodes.interrupted, reason: 'interrupted', data: { run } };
  }
}

/** Between the events one line for each task that does something else now, or whose snapshot was taken. */
function activityLines(repo: RepositoryHandle, { terminal }: Context): (view: RunView) => Promise<void> {
  const read = activityReader(repo);
  const told = new Map<string, string>();
  return async ({ state }) => {
    for (const [task, activity] of await read(state)) {
      const line = canonicalJson(activity);
      const isNews = told.has(task) ? told.get(task) !== line : activity.doing !== null || activity.changes !== null;
      told.set(task, line);
      if (isNews) terminal.json({ run: state.run, task, ...activity });
    }
  };
}

/** Where nobody sees a screen: once for each thing that the run waits for, what ends the wait. */
function waitLines(repo: RepositoryHandle, { terminal }: Context): (view: RunView) => Promise<void> {
  let told: readonly string[] = [];
  return async (view) => {
    const { run } = view.state;
    const isAlone = !(await isAttended(repo, view));
    const lines = [
      ...needsOf(view.state).map(({ message, first, command }) => `waits for you: ${message}: ${first ?? command}`),
      ...(isAlone ? [`no coordinator is alive, so nothing goes on: tidegate resume ${run}`] : []),
    ];
    for (const line of lines) if (!told.includes(line)) terminal.line(line);
    told = lines;
  };
}

const isUndoAtWork = (state: RunState): boolean => state.mode.mode !== 'halted' && openUndo(state) !== null;
