import { type RunId, runId } from '../domain/ids.ts';
import type { RunState } from '../domain/run.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { Ledger, Stored } from '../ports/ledger.ts';
import { createRun } from './create-run.ts';
import { type Driver, driveRun } from './driver.ts';
import { performer, type World } from './perform.ts';
import { openRunLog, type RunLog } from './run-log.ts';

/**
 * Drives every run of one repository under one epoch. Of the runs that aim at one branch only the oldest is driven;
 * the others wait in line.
 */
export async function coordinate(ledger: Ledger, world: World, clock: Clock): Promise<Engine> {
  const runs = new Map<RunId, { readonly log: RunLog; driver: Driver | null }>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);

  /** One look at the whole repository at a time; a wake during a look asks for another. */
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(admit);
    looking.catch((cause: unknown) => failed.reject(cause));
    return looking;
  };

  const admit = async (): Promise<void> => {
    for (const entry of runs.values()) {
      await entry.log.catchUp();
      await make(entry.log);
      if (
        entry.driver !== null ||
        !isNextInLine(
          entry.log,
          [...runs.values()].map((other) => other.log),
        )
      )
        continue;
      entry.driver = driveRun(entry.log, performer(world, entry.log), clock);
    }
  };

  /** Turns an order into a run. */
  const make = async (log: RunLog): Promise<void> => {
    const order = log.order();
    if (order === null) return;
    const openWaves = openWavesOf(
      order.plan.waves.length,
      order.hash,
      [...runs.values()].map((entry) => entry.log),
    );
    const actual = { rootCommit: await world.git.rootCommit(), remote: await world.git.remote() };
    const { type: _, by, ...rest } = order;
    await log.record((state) => (state === null ? createRun(rest, by, { openWaves, actual }) : null));
  };

  const notice = ({ stream }: Stored): void => {
    if (stream === 'repo') return;
    const run = runId(stream);
    const entry = runs.get(run) ?? { log: openRunLog(ledger, run, world.epoch), driver: null };
    runs.set(run, entry);
    if (entry.driver === null) void look();
    else entry.driver.wake();
  };

  for (const stream of await ledger.streams())
    if (stream !== 'repo')
      runs.set(runId(stream), { log: openRunLog(ledger, runId(stream), world.epoch), driver: null });
  await look();
  const subscription = ledger.subscribe(0, notice);

  const settled = async (run: RunId): Promise<RunState | null> => {
    await look();
    const entry = runs.get(run);
    if (entry === undefined) return null;
    await Promise.race([entry.driver?.idle(), failed.promise]);
    // its end may be the turn of the next in line
    if (entry.log.state()?.ended) await look();
    return entry.log.state();
  };

  return {
    settled,
    idle: async () => {
      for (let before = -1; before !== runs.size; ) {
        before = runs.size;
        await Promise.all([...runs.keys()].map(settled));
      }
    },
    stop: async () => {
      await subscription[Symbol.asyncDispose]();
      await looking;
      await world.supervisors.detach();
      await Promise.all([...runs.values()].map((entry) => entry.driver?.stop()));
    },
  };
}

/** No older run that aims at the same branch is still open. */
function isNextInLine(log: RunLog, all: readonly RunLog[]): boolean {
  const state = log.state();
  if (state === null) return false;
  const born = log.stored()[0]?.seq ?? 0;
  return !all.some((other) => {
    const rival = other.state();
    return (
      rival !== null &&
      rival.ended === null &&
      rival.target.branch === state.target.branch &&
      (other.stored()[0]?.seq ?? 0) < born
    );
  });
}

/** Waves of this very plan that no earlier run has closed. */
function openWavesOf(waves: number, hash: string, logs: readonly RunLog[]): readonly number[] {
  const closed = new Set(
    logs.flatMap((log) => {
      const state = log.state();
      return state?.hash === hash ? state.waves.filter((wave) => wave.closed).map((wave) => wave.index) : [];
    }),
  );
  return Array.from({ length: waves }, (_, index) => index).filter((index) => !closed.has(index));
}
