import type { RunId } from '../domain/ids.ts';
import type { Finding } from '../domain/verdict.ts';
import { knownRuns } from '../engine/find-run.ts';
import { isAtRest } from '../engine/rehearse.ts';
import type { LiveRegion } from '../ports/terminal.ts';
import { inLineBehind } from './ask-coordinator.ts';
import { type Context, exitCodes, type Outcome, type Signal } from './command.ts';
import type { Desk, Hosting } from './desk.ts';
import { type Following, followRun } from './follow.ts';
import { eventLine } from './render/event-line.ts';
import { runView } from './render/run-view.ts';
import { settledOutcome } from './settled.ts';
import { decideTap, openTap, type TapFlags } from './taps.ts';

export type Foreground = TapFlags & {
  readonly warnings: readonly Finding[];
  /** In a pipe, also tell what happened before; for a run that has just been ordered. */
  readonly fromStart?: boolean;
};

/**
 * Brings a run to rest while a person looks on: hosts the coordinator, or follows the living one, shows progress and asks at
 * taps. Leaving early never costs an agent: what is under way goes on in the background.
 */
export async function inForeground(desk: Desk, context: Context, run: RunId, how: Foreground): Promise<Outcome> {
  let hosting = await desk.host();
  const signals = listen(context);
  let after: 'background' | 'nothing' = 'background';
  try {
    await using following = await followRun(desk, run, ({ event }, isNew) => {
      const line = isNew || how.fromStart === true ? eventLine(event) : null;
      if (line !== null && !context.json && !context.terminal.interactive) context.terminal.line(line);
    });
    using region = context.json ? null : context.terminal.region();
    using ticks = ticker(1000);
    for (;;) {
      const signal = signals.take();
      if (signal !== null) {
        region?.draw([]);
        const left = await leave(context, run, hosting.role, signal);
        if (left === 'stop') await desk.ledger.request(run, { type: 'requested-stop', by: desk.caller.by });
        else if (left !== 'go-on') return left;
      }
      const outcome = await step(desk, context, following, region, how);
      if (outcome !== null) {
        after = (await othersAtWork(desk, run)) ? 'background' : 'nothing';
        return outcome;
      }
      await Promise.race([following.changed(), ticks.next(), signals.next(), hosting.failed]);
      if (hosting.role === 'guest' && !(await desk.isCoordinated())) hosting = await desk.host();
    }
  } finally {
    signals[Symbol.dispose]();
    await hosting.stop(after);
  }
}

/** One look at the run: a tap is decided, rest is the end, anything else is shown. */
async function step(
  desk: Desk,
  context: Context,
  following: Following,
  region: LiveRegion | null,
  how: Foreground,
): Promise<Outcome | null> {
  const view = following.view();
  if (view === null) return null;
  const tap = openTap(view);
  if (tap !== null && view.state.pending.length === 0) {
    region?.draw([]);
    return await decideTap(desk, context, view, tap, how);
  }
  if (isAtRest(view.state, { now: view.now, nonce: () => '' })) {
    region?.draw([]);
    return settledOutcome(view, context);
  }
  // whatever is judged is driven: the line is behind it
  const driven = view.state.waves.some((wave) => wave.thread !== null);
  const behind = driven ? null : await inLineBehind(desk, view.state.run);
  region?.draw(behind === null ? runView(view) : [...runView(view), '', `waits in line behind ${behind}`]);
  return null;
}

async function othersAtWork(desk: Desk, run: RunId): Promise<boolean> {
  const given = { now: desk.clock.now(), nonce: () => '' };
  const others = (await knownRuns(desk.ledger)).filter((known) => known.run !== run);
  return others.some(({ state }) => state === null || (state.ended === null && !isAtRest(state, given)));
}

async function leave(
  context: Context,
  run: RunId,
  role: Hosting['role'],
  signal: Signal,
): Promise<'go-on' | 'stop' | Outcome> {
  const detached: Outcome = {
    exit: exitCodes.interrupted,
    reason: 'detached',
    lines: [`Detached; ${run} goes on in the background: tidegate watch ${run}`],
    data: { run },
  };
  if (role === 'guest' || signal !== 'SIGINT' || !context.terminal.interactive) return detached;
  const said = await context.terminal.ask('Detach and let it go on, stop the run, or keep watching? [d/s/K]');
  const first = said?.trim().toLowerCase()[0];
  if (said === null || first === 'd') return detached;
  return first === 's' ? 'stop' : 'go-on';
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
