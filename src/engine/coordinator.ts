import { answersInLine } from '../domain/answer-in-line.ts';
import { isRequest } from '../domain/events.ts';
import { type RunId, runId } from '../domain/ids.ts';
import { type Notice, noticesOf } from '../domain/notices.ts';
import { foldRun, type RunState } from '../domain/run.ts';
import { postsOf } from '../domain/thread-posts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import { isRunStream, type Ledger, type Stored } from '../ports/ledger.ts';
import { createRun, openWaves } from './create-run.ts';
import { keepDisk } from './disk-keeper.ts';
import { type Driver, driveRun } from './driver.ts';
import { landedRequest } from './landed-request.ts';
import { keepNews } from './notice-keeper.ts';
import { performer } from './perform.ts';
import { openRunLog, type RunLog } from './run-log.ts';
import type { World } from './world.ts';

/**
 * Drives every run of one repository under one epoch. Of the runs that aim at one branch only the oldest is driven;
 * the others wait in line, where people are still answered.
 */
export async function coordinate(ledger: Ledger, world: World, clock: Clock): Promise<Engine> {
  const runs = new Map<RunId, { readonly log: RunLog; driver: Driver | null }>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const logs = (): readonly RunLog[] => [...runs.values()].map((entry) => entry.log);
  const states = (): readonly (RunState | null)[] => logs().map((log) => log.state());

  const keeper = keepDisk({
    disk: world.disk,
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
    ...(world.webhooks === undefined ? [] : [keepNews({ ...told, ways: world.webhooks, newsOf: dated })]),
    ...(world.notices === undefined ? [] : [keepNews({ ...told, ways: world.notices, newsOf: noticesOf })]),
    ...(world.threads === undefined ? [] : [keepNews({ ...told, ways: world.threads, newsOf: postsOf })]),
  ];

  /** One look at the whole repository at a time; a wake during a look asks for another. */
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(admit);
    looking.catch((cause: unknown) => failed.reject(cause));
    return looking;
  };

  const entryOf = (run: RunId) => {
    const entry = runs.get(run) ?? { log: openRunLog(ledger, run, world.epoch), driver: null };
    runs.set(run, entry);
    return entry;
  };

  /** Knows what is in the ledger, also what no subscription has told yet. */
  const admit = async (): Promise<void> => {
    for (const stream of await ledger.streams()) if (isRunStream(stream)) entryOf(runId(stream));
    for (const entry of runs.values()) {
      await entry.log.catchUp();
      await make(entry.log);
      if (entry.driver !== null || entry.log.state() === null) continue;
      const before = firstBefore(entry.log, logs());
      if (before !== undefined) {
        await entry.log.record((state) => (state === null ? null : answersInLine(state, state.pending, before.run)));
        continue;
      }
      entry.driver = driveRun(entry.log, performer(world, entry.log), clock, keeper.shortage);
      entry.driver.failed.catch(failed.reject);
    }
  };

  /** Turns an order into a run. */
  const make = async (log: RunLog): Promise<void> => {
    const order = log.order();
    if (order === null) return;
    await observeRequests();
    const seen = {
      openWaves: openWaves(order, states()),
      actual: { rootCommit: await world.git.rootCommit(), remote: await world.git.remote() },
    };
    const { type: _, by, ...rest } = order;
    await log.record((state) => {
      if (state !== null) return null;
      const created = createRun(rest, by, seen);
      const made = foldRun(created.map((event) => ({ seq: 0, event })));
      return made === null ? created : [...created, ...answersInLine(made, requestsBefore(log), null)];
    });
  };

  /** Pull requests are merged elsewhere: what the person's branch has by now is recorded before anything counts on it. */
  const observeRequests = async (): Promise<void> => {
    for (const { log } of runs.values()) {
      const seen = await landedRequest(log.state(), world.git);
      await log.record((state) => (state?.landing.status === 'offered' && state.ended === 'done' ? seen : null));
    }
  };

  const notice = (stored: Stored): void => {
    const { stream, event } = stored;
    if (!isRunStream(stream)) return;
    if (leavesRoom.has(event.type)) keeper.look();
    const entry = entryOf(runId(stream));
    entry.driver?.wake();
    for (const teller of tellers) teller.look();
    // the end of a run lets the next in line start
    if (entry.driver === null || event.type === 'run-ended') void look();
  };

  // what is there before anything is driven is no news
  if (tellers.length > 0)
    for (const stream of await ledger.streams()) if (isRunStream(stream)) await entryOf(runId(stream)).log.catchUp();
  for (const teller of tellers) teller.begin();
  await look();
  await observeRequests();
  await world.supervisors.release(logs().flatMap((log) => log.stored().flatMap(jobRecorded)));
  const subscription = ledger.subscribe(0, notice);
  keeper.look();
  for (const teller of tellers) teller.look();

  const settled = async (run: RunId): Promise<RunState | null> => {
    for (;;) {
      await look();
      const entry = runs.get(run);
      if (entry === undefined) return null;
      await Promise.race([entry.driver?.idle(), failed.promise]);
      if (entry.driver !== null) return entry.log.state();
      const before = firstBefore(entry.log, logs());
      if (before === undefined || (await settled(before.run))?.ended === null) return entry.log.state();
    }
  };

  return {
    settled,
    failed: failed.promise,
    idle: async () => {
      await look();
      const driven = () => [...runs.values()].filter((entry) => entry.driver !== null).length;
      for (let before = -1; before !== driven(); ) {
        before = driven();
        await Promise.all([...runs.keys()].map(settled));
      }
    },
    stop: async () => {
      await subscription[Symbol.asyncDispose]();
      keeper.stop();
      await looking;
      await world.supervisors.detach();
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

/** The run that this one waits for. */
function firstBefore(log: RunLog, all: readonly RunLog[]): RunLog | undefined {
  const branch = log.state()?.target.branch;
  const born = log.stored()[0]?.seq ?? 0;
  return all.find((other) => {
    const rival = other.state();
    return rival?.ended === null && rival.target.branch === branch && (other.stored()[0]?.seq ?? 0) < born;
  });
}
