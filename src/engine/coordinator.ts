import { type RunId, runId } from '../domain/base/ids.ts';
import { isCritical } from '../domain/board/board-requests.ts';
import { type Notice, noticesOf } from '../domain/board/notices.ts';
import { postsOf } from '../domain/board/thread-posts.ts';
import { answersBeforeMade } from '../domain/decide/answer-before-made.ts';
import { aheadInQueue, isInQueue } from '../domain/landing/landing-queue.ts';
import { isRequest, type LedgerEvent, type RunEvent } from '../domain/ledger/events.ts';
import { foldRun, type RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import type { PauseElsewhere } from '../pipeline/step.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { isRunStream, type Ledger, type Stored } from '../ports/ledger.ts';
import { announcer } from './announce.ts';
import { type Driver, driveRun } from './driver.ts';
import type { EnginePorts } from './engine-ports.ts';
import { followLedger } from './follow-ledger.ts';
import { keepDisk } from './jobs/disk-keeper.ts';
import { createRun } from './orders/create-run.ts';
import { attest, landedRequest, lookBack } from './orders/look-back.ts';
import { performer } from './perform.ts';
import { sharePlaces } from './places.ts';
import { openRunLog, type RunLog } from './run-log.ts';

/**
 * Drives every run of one repository under one epoch, side by side. What they share is shared out here: places for attempts,
 * providers that want to be left alone, and the turn to move a branch.
 */
export async function coordinate(ledger: Ledger, ports: EnginePorts, clock: Clock): Promise<Engine> {
  const runs = new Map<RunId, { readonly log: RunLog; driver: Driver | null }>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const logs = (): readonly RunLog[] => [...runs.values()].map((entry) => entry.log);
  const states = (): readonly (RunState | null)[] => logs().map((log) => log.state());
  /** All runs, this one as it is about to be. */
  const beside = (state: RunState): readonly RunState[] =>
    states().flatMap((other) => (other?.run === state.run ? state : (other ?? [])));
  let agentsAtOnce = Number.POSITIVE_INFINITY;
  const neighbours = {
    shortage: () => keeper.shortage(),
    catchUp: async () => {
      await Promise.all(logs().map((log) => (isOpen(log.state()) ? log.catchUp() : undefined)));
    },
    ahead: (state: RunState) => aheadInQueue(beside(state), state),
    places: sharePlaces(
      () =>
        states()
          .filter((state) => state !== null)
          .filter(({ ended }) => ended === null),
      () => agentsAtOnce,
    ),
    pausedElsewhere: (state: RunState) => pausesBeside(beside(state), state.run),
  };

  const keeper = keepDisk({
    disk: ports.disk,
    clock,
    runs: states,
    changed: () => {
      for (const entry of runs.values()) entry.driver?.wake();
    },
    failed: failed.reject,
  });

  const told = { clock, runs: states, failed: failed.reject };
  /** With the time since when it lasts: nothing is decided by it but whether anybody still wants to know. */
  const dated = (state: RunState): readonly Notice[] =>
    noticesOf(state).map((notice) => {
      const end = notice.lasting ? runs.get(state.run)?.log.stored().findLast(isEnd)?.at : undefined;
      return end === undefined ? notice : { ...notice, since: end };
    });
  const tellers = [
    ...(ports.webhooks === undefined ? [] : [announcer({ ...told, outbox: ports.webhooks, updatesOf: dated })]),
    ...(ports.notices === undefined ? [] : [announcer({ ...told, outbox: ports.notices, updatesOf: noticesOf })]),
    ...(ports.threads === undefined ? [] : [announcer({ ...told, outbox: ports.threads, updatesOf: postsOf })]),
  ];

  /** One look at the whole repository at a time; a wake during a look asks for another. */
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(admit);
    looking.catch((cause: unknown) => failed.reject(cause));
    return looking;
  };

  const entryOf = (run: RunId) => {
    const entry = runs.get(run) ?? { log: openRunLog(ledger, run, ports.epoch), driver: null };
    runs.set(run, entry);
    return entry;
  };

  /** Knows what is in the ledger, also what no subscription has told yet. */
  const admit = async (): Promise<void> => {
    agentsAtOnce = (await ports.agentsAtOnce?.()) ?? agentsAtOnce;
    for (const stream of await ledger.streams()) if (isRunStream(stream)) entryOf(runId(stream));
    for (const entry of runs.values()) {
      await entry.log.catchUp();
      await make(entry.log);
      if (entry.driver !== null || entry.log.state() === null) continue;
      entry.driver = driveRun(entry.log, performer(ports, entry.log), clock, neighbours);
      entry.driver.failed.catch(failed.reject);
    }
  };

  /** Turns an order into a run. */
  const make = async (log: RunLog): Promise<void> => {
    const order = log.order();
    if (order === null) return;
    await observeRequests();
    const seen = {
      earlier: await lookBack(ports.git, order, states()),
      actual: await attest(ports.git),
    };
    const { type: _, by, ...rest } = order;
    await log.record((state) => {
      if (state !== null) return null;
      const created = createRun(rest, by, seen);
      const begun = foldRun(created.map((event) => ({ seq: 0, event })));
      return begun === null ? created : [...created, ...answersBeforeMade(begun, requestsBefore(log))];
    });
  };

  /** Pull requests are merged elsewhere: what the person's branch has by now is recorded before anything counts on it. */
  const observeRequests = async (): Promise<void> => {
    for (const { log } of runs.values()) {
      const seen = await landedRequest(log.state(), ports.git);
      await log.record((state) => (state?.landing.status === 'offered' && state.ended === 'done' ? seen : null));
    }
  };

  const notice = (stored: Stored): void => {
    const { stream, event } = stored;
    if (!isRunStream(stream)) return;
    if (leavesRoom.has(event.type)) keeper.look();
    const entry = entryOf(runId(stream));
    entry.driver?.wake();
    if (concernsOthers(event))
      for (const other of runs.values()) if (other !== entry && isOpen(other.log.state())) other.driver?.wake();
    for (const teller of tellers) teller.look();
    if (entry.driver === null) void look();
  };

  // what is there before anything is driven is no news
  if (tellers.length > 0)
    for (const stream of await ledger.streams()) if (isRunStream(stream)) await entryOf(runId(stream)).log.catchUp();
  for (const teller of tellers) teller.begin();
  await look();
  await observeRequests();
  await ports.supervisors.release(logs().flatMap((log) => log.stored().flatMap(jobRecorded)));
  const subscription = followLedger(ledger, notice).listen();
  keeper.look();
  for (const teller of tellers) teller.look();

  const settled = async (run: RunId): Promise<RunState | null> => {
    for (;;) {
      await look();
      const entry = runs.get(run);
      if (entry === undefined) return null;
      await Promise.race([entry.driver?.idle(), failed.promise]);
      const state = entry.log.state();
      const ahead = state !== null && isInQueue(state) ? neighbours.ahead(state) : null;
      if (ahead === null) return state;
      // it lands when the one before it has
      await settled(ahead);
    }
  };

  const idle = async (): Promise<void> => {
    await look();
    const driven = () => [...runs.values()].filter((entry) => entry.driver !== null).length;
    for (let before = -1; before !== driven(); ) {
      before = driven();
      await Promise.all([...runs.keys()].map(settled));
    }
  };

  const endAgents = async (): Promise<void> => {
    const by = { who: 'tidegate', via: 'policy' } as const;
    for (const { log } of runs.values())
      await log.record((state) => (state !== null && isAtWork(state) ? [{ type: 'run-stopped', by }] : null));
    for (const { driver } of runs.values()) driver?.wake();
    await idle();
  };

  return {
    settled,
    failed: failed.promise,
    idle,
    leave: () => {
      const gone = () =>
        failed.reject(new EnvironmentFailed({ rule: 'checkout-gone', checkout: ports.places.checkout }));
      const patience = new AbortController();
      void Promise.race([endAgents(), clock.sleep(leavePatienceMs, patience.signal)])
        .finally(() => patience.abort())
        .then(gone, gone);
    },
    stop: async () => {
      await subscription[Symbol.asyncDispose]();
      keeper.stop();
      await looking;
      await ports.supervisors.detach();
      await Promise.all([...runs.values()].map((entry) => entry.driver?.stop()));
      await Promise.all(tellers.map((teller) => teller.stop()));
    },
  };
}

/** After these a workspace has grown for the last time, or may go. */
const leavesRoom: ReadonlySet<string> = new Set([
  'attempt-ended',
  'task-dropped',
  'landed',
  'pull-request-landed',
  'run-ended',
]);

/** Whether another run may now have its turn, a place or its provider. A critical question takes its run out of the queue. */
const concernsOthers = (event: LedgerEvent): boolean =>
  freesSomething.has(event.type) ||
  (event.type === 'attempt-noted' && event.note.note === 'posted' && isCritical(event.note));

const freesSomething: ReadonlySet<LedgerEvent['type']> = new Set<RunEvent['type']>([
  'attempt-ended',
  'attempt-intended',
  'attempt-settled',
  'landed',
  'landing-refused',
  'plan-replaced',
  'provider-paused',
  'provider-resumed',
  'request-refused',
  'run-abandoned',
  'run-ended',
  'run-halted',
  'run-paused',
  'run-resumed',
  'run-stopped',
  'task-base-refused',
  'task-dropped',
  'task-retried',
  'task-reworked',
  'undone',
  'undo-refused',
]);

/** Something may still happen in it: it has not ended, or somebody asked something of it since. */
const isOpen = (state: RunState | null): boolean =>
  state === null || state.ended === null || state.pending.length > 0 || isInQueue(state);

/**
 * Pauses that the other runs ran into themselves. A missing login is tried again when its run is resumed, which nobody has to do for
 * a run that stands.
 */
const pausesBeside = (runs: readonly RunState[], run: RunId): readonly PauseElsewhere[] =>
  runs
    .filter((other) => other.run !== run && other.ended === null)
    .flatMap((other) =>
      Object.entries(other.providers).flatMap(([provider, pause]) => {
        if (pause.status !== 'paused' || pause.of !== undefined) return [];
        const { until, trouble, tries } = pause;
        if (until === null && other.mode.mode !== 'active') return [];
        return [{ provider, until, trouble, tries, of: other.run }];
      }),
    );

/** How long agents may take to end when their repository is gone. */
const leavePatienceMs = 30_000;

const isAtWork = (state: RunState): boolean =>
  state.ended === null && state.mode.mode !== 'stopped' && Object.values(state.tasks).some(isLive);

const isEnd = ({ event }: Stored): boolean => event.type === 'run-ended';

/** The job whose exit this event holds: its log lies in the job's own directory. */
function jobRecorded({ event }: Stored): readonly string[] {
  const log = event.type === 'check-ended' ? event.check.log : 'log' in event ? event.log : null;
  const job = log?.file.split('/')[0];
  return job === undefined || job === '' ? [] : [job];
}

/** What was asked of a run between its order and its making. */
const requestsBefore = (log: RunLog): RunState['pending'] =>
  log
    .stored()
    .flatMap(({ seq, event }) => (isRequest(event) && event.type !== 'requested-run' ? [{ seq, request: event }] : []));
