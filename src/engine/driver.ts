import { continuesByItself } from '../domain/agents/provider.ts';
import type { RunId } from '../domain/base/ids.ts';
import { nextTimer } from '../domain/board/clocks.ts';
import { linkedRuns } from '../domain/dependencies/blocks.ts';
import type { Shortage } from '../domain/kept/disk.ts';
import { isInQueue } from '../domain/landing/landing-queue.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { waitingForPlace } from '../pipeline/dispatch.ts';
import type { Effect, Step, StepInputs } from '../pipeline/step.ts';
import { steps } from '../pipeline/steps.ts';
import type { Clock } from '../ports/clock.ts';
import { failureOf, isEnvironmental } from '../ports/failures.ts';
import type { RunLog } from './run-log.ts';

export type Driver = {
  /** Looks again, because something happened. */
  wake(): void;
  /** Looks again, and resolves when no effect is in progress. Rejects when our epoch is over or the ledger is gone. */
  idle(): Promise<void>;
  /** Rejects in the same cases, whether or not anybody waits. Never resolves. */
  readonly failed: Promise<never>;
  /** Starts nothing new. Agents continue. */
  stop(): Promise<void>;
};

/** The resources that a run shares with the others of its repository. */
export type Neighbours = Required<
  Pick<StepInputs, 'ahead' | 'places' | 'pausedElsewhere' | 'linked' | 'repository'>
> & {
  shortage(): Shortage | null;
  /** Reads everything that the others, or these of them, have recorded so far. */
  catchUp(runs?: readonly RunId[]): Promise<void>;
};

/**
 * Drives one run: records the facts that follow from its state, starts the due effects, each key once, and waits. After a crash,
 * calling it again resumes the run: the ledger is the journal.
 */
export function driveRun(
  log: RunLog,
  perform: (effect: Effect) => Promise<void>,
  clock: Clock,
  neighbours: Neighbours,
): Driver {
  const { ahead, places } = neighbours;
  const inputs = (): StepInputs => ({
    now: clock.now(),
    nonce: () => clock.nonce(),
    shortage: neighbours.shortage(),
    ahead,
    places,
    pausedElsewhere: neighbours.pausedElsewhere,
    linked: neighbours.linked,
    repository: neighbours.repository,
  });
  const inFlight = new Map<string, Promise<void>>();
  /** Keys that failed since the run was halted: a halted run tries nothing twice. */
  const tried = new Set<string>();
  const stopped = new AbortController();
  const waiters: PromiseWithResolvers<void>[] = [];
  let woken = Promise.withResolvers<void>();
  let looksAgain = false;
  let failure: { readonly cause: unknown } | null = null;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const wake = (): void => {
    looksAgain = true;
    woken.resolve();
  };
  const fail = (cause: unknown): void => {
    failure = { cause };
    failed.reject(cause);
    stopped.abort();
    for (const waiter of waiters.splice(0)) waiter.reject(cause);
    wake();
  };

  const start = (key: string, effect: Effect): void => {
    const running = perform(effect)
      // after a stop, the next coordinator finds the failure
      .catch(async (cause: unknown) => {
        if (stopped.signal.aborted) return;
        tried.add(key);
        await halt(log, cause);
      })
      .catch(fail)
      .finally(() => {
        inFlight.delete(key);
        wake();
      });
    inFlight.set(key, running);
  };

  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      woken = Promise.withResolvers();
      looksAgain = false;
      const waitersBefore = waiters.length;
      await log.catchUp();
      const linked = linkedRuns(log.state());
      if (linked.length > 0) await neighbours.catchUp(linked);
      const now = inputs();
      await log.record((state) => facts(state, now));
      const state = log.state();
      // the turn follows from the order in the ledger, so the other runs must be read
      if (state !== null && isInQueue(state)) {
        await neighbours.catchUp();
        // an effect that ended meanwhile would be due again in the state before its record
        if (log.state() !== state) continue;
      }
      const due = state === null || stopped.signal.aborted ? [] : effects(state, now);
      if (state?.mode.mode !== 'halted') tried.clear();
      for (const { key, effect } of due) if (!inFlight.has(key) && !tried.has(key)) start(key, effect);
      // an effect may have recorded something during this look
      if (inFlight.size === 0 && !looksAgain && !continuesByItself(state))
        for (const waiter of waiters.splice(0, waitersBefore)) waiter.resolve();
      const waiting = new AbortController();
      await Promise.race([woken.promise, nextExpiry(state, clock, waiting.signal)]);
      waiting.abort('woken');
    }
  };
  const looping = loop().catch(fail);

  return {
    wake,
    idle: () => {
      if (failure !== null) return Promise.reject(failure.cause);
      const waiter = Promise.withResolvers<void>();
      waiters.push(waiter);
      wake();
      return waiter.promise;
    },
    failed: failed.promise,
    stop: async () => {
      stopped.abort();
      wake();
      await looping;
    },
  };
}

/** Returns the facts that follow one from the other, up to a bound. They are stored in one append. */
function facts(before: RunState | null, inputs: StepInputs): readonly RunEvent[] {
  const events: RunEvent[] = [];
  let state = before;
  while (state !== null && events.length < 256) {
    const next = steps(state, inputs).find((step) => step.kind === 'fact');
    if (next?.kind !== 'fact') break;
    events.push(...next.events);
    for (const event of next.events) state = evolveRun(state, { seq: 0, event });
  }
  return events;
}

/** A halted run starts nothing, but keeps supervising what is running. */
function effects(state: RunState, inputs: StepInputs): readonly (Step & { readonly kind: 'effect' })[] {
  const due = steps(state, inputs).filter((step) => step.kind === 'effect');
  return state.mode.mode === 'halted' ? due.filter(({ effect }) => whileHalted.has(effect.do)) : due;
}

const whileHalted: ReadonlySet<Effect['do']> = new Set<Effect['do']>([
  'supervise',
  'stop',
  'orchestrate',
  'stop-orchestrator',
  'tell-orchestrator',
  'discard',
  'add-dependency',
]);

async function halt(log: RunLog, cause: unknown): Promise<void> {
  if (!isEnvironmental(cause)) throw cause;
  const because = failureOf(cause);
  await log.record((state) => (state?.mode.mode === 'halted' ? null : [{ type: 'run-halted', because }]));
}

/** Resolves when an open tap expires, a provider's pause is over or the clock of a record runs out, so that it is recorded in time. */
async function nextExpiry(state: RunState | null, clock: Clock, signal: AbortSignal): Promise<void> {
  const open = Object.values(state?.taps ?? {}).flatMap((tap) =>
    tap !== undefined && 'expires' in tap && tap.expires !== null ? [tap.expires] : [],
  );
  const paused = Object.values(state?.providers ?? {}).flatMap((provider) =>
    provider.status === 'paused' && provider.until !== null ? [provider.until] : [],
  );
  const now = clock.now();
  const timer = state === null ? null : nextTimer(state, now);
  const [first] = [...open, ...paused, ...(timer === null ? [] : [timer.at])].toSorted();
  if (first === undefined || state?.ended !== null) return new Promise(() => undefined);
  const wait = Math.max(0, Date.parse(first) - Date.parse(now));
  await clock.sleep(Math.min(wait, 2 ** 31 - 1), signal);
}

/**
 * Distributes the places for attempts among all runs of a repository: the task that has waited longest starts first, of whatever
 * run. Only this process knows the waiting times: after a restart all tasks begin to wait anew, those of the older run first.
 *
 * `recorded` returns the runs as they are in the ledger. The calling run may be ahead of that by facts that it is about to record:
 * its tasks keep their turn until their start is in the ledger, so that no other task takes their place meanwhile.
 */
export function sharePlaces(recorded: () => readonly RunState[], most: () => number): (run: RunState) => number {
  const since = new Map<string, number>();
  let count = 0;
  return (run) => {
    const runs = recorded();
    const current = runs.map((one) => (one.run === run.run ? run : one));
    const waiting = current.flatMap(waitingIn);
    const known = new Set([...runs.flatMap(waitingIn), ...waiting].map(({ key }) => key));
    for (const key of since.keys()) if (!known.has(key)) since.delete(key);
    for (const key of known) if (!since.has(key)) since.set(key, count++);
    const liveTasks = current.reduce((sum, { tasks }) => sum + Object.values(tasks).filter(isLive).length, 0);
    return waiting
      .toSorted((a, b) => (since.get(a.key) ?? 0) - (since.get(b.key) ?? 0))
      .slice(0, Math.max(0, most() - liveTasks))
      .filter((one) => one.run === run.run).length;
  };
}

const waitingIn = (state: RunState) =>
  waitingForPlace(state).map(({ id }) => ({ run: state.run, key: `${state.run}/${id}` }));
