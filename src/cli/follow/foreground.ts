import type { RunId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { isInQueue } from '../../domain/landing/landing-queue.ts';
import { requestStop } from '../../engine/actions/perform.ts';
import { knownRuns, landsBefore } from '../../engine/orders/find-run.ts';
import { isAtRest } from '../../engine/orders/rehearse.ts';
import type { Hosting, RepositoryHandle } from '../../ports/repository-handle.ts';
import { eventTeller } from '../../view/event-line.ts';
import type { RunView } from '../../view/run-view.ts';
import { type Context, exitCodes, type Outcome, type Signal } from '../frame/command.ts';
import { stoppedNote } from '../frame/with-repository.ts';
import { type Display, openDisplay } from '../tui/display.ts';
import { editAside } from '../tui/edit-aside.ts';
import { copyingLines } from './copying.ts';
import { followRun } from './follow.ts';
import { isAnswered, isApproved, openTap, type TapFlags } from './open-tap.ts';
import { settledOutcome } from './settled.ts';
import { settleTap } from './taps.ts';

export type Foreground = TapFlags & {
  readonly warnings: readonly Finding[];
  /** In a pipe, also tell what happened before; for a run that has just been ordered. */
  readonly fromStart?: boolean;
  /** Ends when only a person can bring the run on, also at a terminal: no screen is opened to act on. */
  readonly isBrief?: boolean;
};

/**
 * Brings a run to rest while a person looks on: hosts the coordinator, or follows the living one, shows progress and asks at
 * taps. Leaving early never costs an agent: what is under way goes on in the background.
 */
export async function inForeground(
  repo: RepositoryHandle,
  context: Context,
  run: RunId,
  how: Foreground,
): Promise<Outcome> {
  // To the end: a shell that hangs up says so twice, and what hands the run over must not be cut short.
  using signals = listen(context);
  let hosting = await repo.host();
  let after: 'background' | 'nothing' = 'background';
  try {
    const textOf = eventTeller();
    await using following = await followRun(repo, run, ({ event }, isNew) => {
      const text = textOf(event);
      const line = isNew || how.fromStart === true ? text : null;
      if (line !== null && !context.json && !context.terminal.interactive) context.terminal.line(line);
    });
    using display = openDisplay(repo, context, {
      isBrief: how.isBrief === true,
      // the start is asked for inline, before there is a screen
      opensAt: isApproved,
      hosts: () => hosting.role === 'host',
    });
    using ticks = ticker(1000);
    let isStopping = false;
    const tell = tellNowAndThen(context);
    let stopped: number | null = null;
    for (;;) {
      const wish = await wishOf(context, display, signals.take(), hosting.role);
      if (wish === 'stop') await requestStop(repo, run);
      isStopping ||= wish === 'stop';
      const view = following.view();
      if (wish === 'detach') return left(context, run, view);
      if (wish === 'edit' && view !== null) await editAside(repo, context, display, view);
      const now = following.view();
      const outcome = now === null ? null : await step(repo, context, now, display, { ...how, tell }, isStopping);
      if (outcome !== null) {
        after = (await othersAtWork(repo, run)) ? 'background' : 'nothing';
        return outcome;
      }
      const pressed = display.live()?.next() ?? never();
      await Promise.race([following.changed(), ticks.next(), signals.next(), hosting.failed, pressed]);
      if (hosting.role === 'host') continue;
      if (!(await repo.isCoordinated())) hosting = await repo.host();
      const before: number | null = stopped;
      stopped = await repo.stoppedCoordinator();
      // At two looks in a row: somebody may just be continuing it.
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
    lines: [`${run} is recorded and goes on then: tidegate watch ${run}`],
    data: { run, coordinator },
  };
}

/** In a pipe a line says once which run lands first, and one every few seconds that a long copy goes on. */
function tellNowAndThen({ terminal, json }: Context): (ahead: string | null, copying: readonly string[]) => void {
  let told = performance.now();
  let named: string | null = null;
  return (ahead, copying) => {
    if (terminal.interactive || json) return;
    if (ahead !== named && ahead !== null) terminal.line(`waits to land: ${ahead} goes first: tidegate why ${ahead}`);
    named = ahead;
    if (copying.length === 0 || performance.now() - told < 5_000) return;
    told = performance.now();
    for (const line of copying) terminal.line(line);
  };
}

/** For a race in which one side is not there. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** One look at the run: a tap is decided, rest is the end, anything else is shown. */
async function step(
  repo: RepositoryHandle,
  context: Context,
  view: RunView,
  display: Display,
  how: Foreground & { tell?(ahead: string | null, copying: readonly string[]): void },
  isStopping: boolean,
): Promise<Outcome | null> {
  const { state } = view;
  const tap = openTap(view);
  const isAsked = tap !== null && state.pending.length === 0;
  // on a screen a person is asked there
  if (isAsked && (display.live() === null || isAnswered(tap, view, how))) {
    display.clear();
    return await settleTap(repo, context, view, tap, how);
  }
  if (isAtRest(state, { now: view.now, nonce: () => '' }) && isLookedAt(view, display, isStopping)) {
    display.clear();
    return settledOutcome(view, context);
  }
  const ahead = isInQueue(state) ? landsBefore(await knownRuns(repo.ledger), state) : null;
  // without a living coordinator this process is it
  const copying = await copyingLines(repo, state);
  await display.show(view, { ahead, attended: true, copying });
  how.tell?.(ahead, copying);
  return null;
}

/** Rest is the end, unless a person has keys to bring the run on, or reads something yet. */
function isLookedAt({ state }: RunView, display: Display, isStopping: boolean): boolean {
  if (!display.takesKeys || isStopping) return true;
  return state.ended !== null && display.live()?.isFree() !== false;
}

async function othersAtWork(repo: RepositoryHandle, run: RunId): Promise<boolean> {
  const given = { now: repo.clock.now(), nonce: () => '' };
  const others = (await knownRuns(repo.ledger)).filter((known) => known.run !== run);
  return others.some(({ state }) => state === null || (state.ended === null && !isAtRest(state, given)));
}

/** Leaving while nothing can go on by itself is an end; else the run goes on in the background. */
function left(context: Context, run: RunId, view: RunView | null): Outcome {
  if (view !== null && isAtRest(view.state, { now: view.now, nonce: () => '' })) return settledOutcome(view, context);
  return {
    exit: exitCodes.interrupted,
    reason: 'detached',
    lines: [`Detached; ${run} goes on in the background: tidegate watch ${run}`],
    data: { run },
  };
}

/** What a key or a signal asks for. A terminal that is gone, and a request to end, never cost an agent. */
async function wishOf(
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
  const wish = live?.takeWish() ?? null;
  return wish === null ? null : wish.wish === 'leave' ? 'detach' : wish.wish;
}

async function leave(context: Context, role: Hosting['role'], signal: Signal): Promise<'detach' | 'stop' | null> {
  if (role === 'guest' || signal !== 'SIGINT' || !context.terminal.interactive) return 'detach';
  const said = await context.terminal.ask('Detach and let it go on, stop the run, or keep watching? [d/s/K]');
  const first = said?.trim().toLowerCase()[0];
  if (said === null || first === 'd') return 'detach';
  return first === 's' ? 'stop' : null;
}

/** Signals, one at a time; a second one while the first is dealt with counts too. */
function listen(context: Context): Disposable & { take(): Signal | null; next(): Promise<void> } {
  const heard: Signal[] = [];
  let woken = Promise.withResolvers<void>();
  const listener = context.onSignal((signal) => {
    heard.push(signal);
    woken.resolve();
  });
  const onGone = (): void => {
    heard.push('SIGHUP');
    woken.resolve();
  };
  context.readerGone.addEventListener('abort', onGone);
  return {
    take: () => heard.shift() ?? null,
    next: async () => {
      if (heard.length > 0) return;
      await woken.promise;
      woken = Promise.withResolvers();
    },
    [Symbol.dispose]: () => {
      context.readerGone.removeEventListener('abort', onGone);
      listener[Symbol.dispose]();
    },
  };
}

/** Wakes a drawing so that clocks in it go on. */
export function ticker(ms: number): Disposable & { next(): Promise<void> } {
  let woken = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    woken.resolve();
    woken = Promise.withResolvers();
  }, ms);
  return { next: () => woken.promise, [Symbol.dispose]: () => clearInterval(timer) };
}
