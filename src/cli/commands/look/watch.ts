import type { RunId } from '../../../domain/base/ids.ts';
import { needsOf } from '../../../domain/explain/needs.ts';
import { isInQueue, openUndo } from '../../../domain/landing/landing-queue.ts';
import { canonicalJson } from '../../../domain/plan/plan.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { isAttended } from '../../../engine/orders/create-run.ts';
import { currentRuns } from '../../../engine/orders/current-run.ts';
import { landsBefore } from '../../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { eventDescriber } from '../../../view/event-line.ts';
import type { RunView } from '../../../view/run-view.ts';
import { activityReader, copyingLines } from '../../follow/activity.ts';
import { followRun, never, settledOutcome, ticker } from '../../follow/follow.ts';
import { aRun, type Context, command, done, exitCodes, type Outcome } from '../../frame/command.ts';
import { resolveSubject, withRepository } from '../../frame/subject.ts';
import { editOffScreen, openDisplay } from '../../tui/display.ts';

export const watchCommand = command({
  name: 'watch',
  group: 'look',
  summary: 'follow a run until it ends; on a terminal, with keys',
  arguments: { run: aRun },
  run: ({ run }, context, { ports }) =>
    withRepository(ports.openRepository, context, context.terminal.interactive ? 'ask' : 'look', async (repo) => {
      const subject = await resolveSubject(repo, 'watch', run, 'newest');
      return subject.ok ? await watch(repo, context, subject.value.run) : subject.error;
    }),
});

/** Shows the live view of a run until it ends, without taking part in it. */
async function watch(repo: RepositoryHandle, context: Context, run: RunId): Promise<Outcome> {
  const { terminal, json } = context;
  const textOf = eventDescriber();
  await using following = await followRun(repo, run, (stored) => {
    const line = textOf(stored.event);
    if (json) terminal.json(stored);
    else if (line !== null && !terminal.interactive) terminal.line(line);
  });
  const left = Promise.withResolvers<'left'>();
  using _signals = context.onSignal(() => left.resolve('left'));
  context.readerGone.addEventListener('abort', () => left.resolve('left'));
  using display = await openDisplay(repo, context, { isBrief: false, opensAt: () => true, hosts: () => false });
  using ticks = ticker(1000);
  const printActivity = json ? activityPrinter(repo, context) : null;
  const printWaits = json || terminal.interactive ? null : waitPrinter(repo, context);
  for (;;) {
    const view = await following.view();
    if (view !== null) await printActivity?.(view);
    if (view !== null) await printWaits?.(view);
    const isOver = view !== null && view.state.ended !== null && !isUndoing(view.state);
    if (isOver && display.live()?.isFree() !== false) {
      display.clear();
      return settledOutcome(view, context);
    }
    if (view !== null) {
      const copying = await copyingLines(repo, view.state);
      const ahead = isInQueue(view.state) ? landsBefore(await currentRuns(repo), view.state) : null;
      await display.show(view, { ahead, attended: await isAttended(repo, view), copying });
    } else display.showLine(`No coordinator has started ${run} yet.`);
    const pressed = display.live()?.next() ?? never();
    const woken = await Promise.race([following.changed(), ticks.next(), left.promise, pressed]);
    const request = display.live()?.takeRequest() ?? null;
    if (request?.request === 'edit' && view !== null) {
      await editOffScreen(repo, context, display, view);
      continue;
    }
    if (request?.request === 'leave' && request.by === 'key') return { ...done([], { run }), reason: 'left' };
    if (woken === 'left' || request !== null)
      return { exit: exitCodes.interrupted, reason: 'interrupted', data: { run } };
  }
}

/** Prints a line for each task that does something new, or has a new snapshot. */
function activityPrinter(repo: RepositoryHandle, { terminal }: Context): (view: RunView) => Promise<void> {
  const read = activityReader(repo);
  const printed = new Map<string, string>();
  return async ({ state }) => {
    for (const [task, activity] of await read(state)) {
      const line = canonicalJson(activity);
      const isNew = printed.has(task)
        ? printed.get(task) !== line
        : activity.doing !== null || activity.changes !== null;
      printed.set(task, line);
      if (isNew) terminal.json({ run: state.run, task, ...activity });
    }
  };
}

/** Prints, once for each thing that the run waits for, how to continue. For callers without a screen. */
function waitPrinter(repo: RepositoryHandle, { terminal }: Context): (view: RunView) => Promise<void> {
  let printed: readonly string[] = [];
  return async (view) => {
    const { run } = view.state;
    const isUnattended = !(await isAttended(repo, view));
    const lines = [
      ...needsOf(view.state).map(({ message, first, command }) => `waiting for you: ${message}: ${first ?? command}`),
      ...(isUnattended ? [`no coordinator is running, so nothing happens: tidegate resume ${run}`] : []),
    ];
    for (const line of lines) if (!printed.includes(line)) terminal.line(line);
    printed = lines;
  };
}

const isUndoing = (state: RunState): boolean => state.mode.mode !== 'halted' && openUndo(state) !== null;
