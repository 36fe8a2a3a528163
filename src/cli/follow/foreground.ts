import type { RunId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { isInQueue } from '../../domain/landing/landing-queue.ts';
import { requestStop } from '../../engine/actions/perform.ts';
import { isAtRest } from '../../engine/orders/create-run.ts';
import { currentRuns } from '../../engine/orders/current-run.ts';
import { knownRuns, landsBefore } from '../../engine/orders/find-run.ts';
import type { Hosting, RepositoryHandle } from '../../ports/repository-handle.ts';
import { eventDescriber } from '../../view/event-line.ts';
import type { RunView } from '../../view/run-view.ts';
import { type Context, exitCodes, type Outcome, type Signal } from '../frame/command.ts';
import { stoppedNote } from '../frame/subject.ts';
import { type Display, editOffScreen, openDisplay } from '../tui/display.ts';
import { copyingLines } from './activity.ts';
import {
  followRun,
  isApproved,
  isApprovedByFlag,
  never,
  openTap,
  settledOutcome,
  type TapFlags,
  ticker,
} from './follow.ts';
import { settleTap } from './taps.ts';

export type FollowOptions = TapFlags & {
  readonly warnings: readonly Finding[];
  /** In a pipe, also print earlier events; for a run that was just ordered. */
  readonly fromStart?: boolean;
  /** Returns when only a person can continue the run, also at a terminal: no screen is opened. */
  readonly isBrief?: boolean;
};

/**
 * Follows a run until it comes to rest: hosts the coordinator or follows the living one, shows progress, and asks at taps.
 * Leaving early never ends an agent: the run continues in the background.
 */
export async function inForeground(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  options: FollowOptions,
): Promise<Outcome> {
  // until the end: a shell that hangs up sends two signals, and the handover must not be cut short
  using signals = listen(context);
  let hosting = await repo.host();
  let after: 'background' | 'nothing' = 'background';
  try {
    const textOf = eventDescriber();
    await using following = await followRun(repo, run, ({ event }, isNew) => {
      const text = textOf(event);
      const line = isNew || options.fromStart === true ? text : null;
      if (line !== null && !context.json && !context.terminal.interactive) context.terminal.line(line);
    });
    using display = await openDisplay(repo, context, {
      isBrief: options.isBrief === true,
      // the start is approved inline, before there is a screen
      opensAt: isApproved,
      hosts: () => hosting.role === 'host',
    });
    using ticks = ticker(1000);
    let isStopping = false;
    const print = waitPrinter(context);
    let stopped: number | null = null;
    for (;;) {
      const request = await requestOf(context, display, signals.take(), hosting.role);
      if (request === 'stop') await requestStop(repo, run);
      isStopping ||= request === 'stop';
      const view = await following.view();
      if (request === 'detach') return detached(context, run, view);
      if (request === 'edit' && view !== null) await editOffScreen(repo, context, display, view);
      const now = await following.view();
      const outcome = now === null ? null : await step(repo, context, now, display, { ...options, print }, isStopping);
      if (outcome !== null) {
        after = (await isAnotherActive(repo, run)) ? 'background' : 'nothing';
        return outcome;
      }
      const pressed = display.live()?.next() ?? never();
      await Promise.race([following.changed(), ticks.next(), signals.next(), hosting.failed, pressed]);
      if (hosting.role === 'host') continue;
      if (!(await repo.isCoordinated())) hosting = await repo.host();
      const before: number | null = stopped;
      stopped = await repo.stoppedCoordinator();
      // twice in a row: somebody may just be continuing it
      if (stopped !== null && stopped === before) return unanswered(display, run, stopped);
    }
  } finally {
    await hosting.stop(after);
  }
}

function unanswered(display: Display, run: RunId, coordinator: number): Outcome {
  display.clear();
  return {
    exit: exitCodes.noAnswer,
    reason: 'no-answer',
    problems: [`tidegate: ${stoppedNote(coordinator)}`],
    lines: [`${run} is recorded and continues then. Follow it: tidegate watch ${run}`],
    data: { run, coordinator },
  };
}

/** In a pipe, prints once which run lands first, and every few seconds the progress of a long copy. */
function waitPrinter({ terminal, json }: Context): (ahead: string | null, copying: readonly string[]) => void {
  let printedAt = performance.now();
  let lastAhead: string | null = null;
  return (ahead, copying) => {
    if (terminal.interactive || json) return;
    if (ahead !== lastAhead && ahead !== null) terminal.line(`waiting to land after ${ahead}: tidegate why ${ahead}`);
    lastAhead = ahead;
    if (copying.length === 0 || performance.now() - printedAt < 5_000) return;
    printedAt = performance.now();
    for (const line of copying) terminal.line(line);
  };
}

/** Decides an open tap, ends when the run is at rest, and shows anything else. Null to go on. */
async function step(
  repo: RepositoryHandle,
  context: Context,
  view: RunView,
  display: Display,
  options: FollowOptions & { print?(ahead: string | null, copying: readonly string[]): void },
  isStopping: boolean,
): Promise<Outcome | null> {
  const { state } = view;
  const tap = openTap(view);
  const isAsked = tap !== null && state.pending.length === 0;
  // with a screen, the question is shown there
  if (isAsked && (display.live() === null || isApprovedByFlag(tap, view, options))) {
    display.clear();
    return await settleTap(repo, context, view, tap, options);
  }
  if (isAtRest(state, { now: view.now, nonce: () => '' }) && mayEnd(view, display, isStopping)) {
    display.clear();
    return settledOutcome(view, context);
  }
  const ahead = isInQueue(state) ? landsBefore(await currentRuns(repo), state) : null;
  // without another coordinator, this process is it
  const copying = await copyingLines(repo, state);
  await display.show(view, { ahead, attended: true, copying });
  options.print?.(ahead, copying);
  return null;
}

/** A run at rest ends the command, unless a person can continue it by keys or is still reading. */
function mayEnd({ state }: RunView, display: Display, isStopping: boolean): boolean {
  if (!display.takesKeys || isStopping) return true;
  return state.ended !== null && display.live()?.isFree() !== false;
}

async function isAnotherActive(repo: RepositoryHandle, run: RunId): Promise<boolean> {
  const time = { now: repo.clock.now(), nonce: () => '' };
  const others = (await knownRuns(repo.ledger)).filter((known) => known.run !== run);
  return others.some(({ state }) => state === null || (state.ended === null && !isAtRest(state, time)));
}

/** Leaving a run at rest ends the command; any other run continues in the background. */
function detached(context: Context, run: RunId, view: RunView | null): Outcome {
  if (view !== null && isAtRest(view.state, { now: view.now, nonce: () => '' })) return settledOutcome(view, context);
  return {
    exit: exitCodes.interrupted,
    reason: 'detached',
    lines: [`Detached. ${run} continues in the background. Follow it: tidegate watch ${run}`],
    data: { run },
  };
}

/** Returns what a key or a signal asks for. A lost terminal and SIGTERM never end an agent. */
async function requestOf(
  context: Context,
  display: Display,
  signal: Signal | null,
  role: Hosting['role'],
): Promise<'detach' | 'stop' | 'edit' | null> {
  const live = display.live();
  if (signal === 'SIGINT' && live !== null) live.interrupt();
  else if (signal !== null) {
    display.clear();
    return await leave(context, role, signal);
  }
  const request = live?.takeRequest() ?? null;
  return request === null ? null : request.request === 'leave' ? 'detach' : request.request;
}

async function leave(context: Context, role: Hosting['role'], signal: Signal): Promise<'detach' | 'stop' | null> {
  if (role === 'guest' || signal !== 'SIGINT' || !context.terminal.interactive) return 'detach';
  const answer = await context.terminal.ask('Detach and let it continue, stop the run, or keep watching? [d/s/K]');
  const first = answer?.trim().toLowerCase()[0];
  if (answer === null || first === 'd') return 'detach';
  return first === 's' ? 'stop' : null;
}

/** Queues signals, so that a second one counts while the first is handled. */
function listen(context: Context): Disposable & { take(): Signal | null; next(): Promise<void> } {
  const queue: Signal[] = [];
  let woken = Promise.withResolvers<void>();
  const listener = context.onSignal((signal) => {
    queue.push(signal);
    woken.resolve();
  });
  const onGone = (): void => {
    queue.push('SIGHUP');
    woken.resolve();
  };
  context.readerGone.addEventListener('abort', onGone);
  return {
    take: () => queue.shift() ?? null,
    next: async () => {
      if (queue.length > 0) return;
      await woken.promise;
      woken = Promise.withResolvers();
    },
    [Symbol.dispose]: () => {
      context.readerGone.removeEventListener('abort', onGone);
      listener[Symbol.dispose]();
    },
  };
}
