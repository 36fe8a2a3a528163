import { type RunId, runId } from '../domain/base/ids.ts';
import { type Notice, noticesOf } from '../domain/board/notices.ts';
import { postsOf } from '../domain/board/thread-posts.ts';
import { answersBeforeMade } from '../domain/decide/answer-before-made.ts';
import { heldLanding, heldWave, isLinked } from '../domain/dependencies/blocks.ts';
import { otherRun } from '../domain/dependencies/dependency.ts';
import { aheadInQueue, isInQueue } from '../domain/landing/landing-queue.ts';
import { isRequest } from '../domain/ledger/events.ts';
import { currentWave, foldRun, type RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import type { PauseElsewhere } from '../pipeline/step.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { isRunStream, type Ledger, repositoryStream, type Stored } from '../ports/ledger.ts';
import { type Announcer, announcer } from './announce.ts';
import { type CoordinatorEffect, type CoordinatorInput, evolveCoordinator, noRuns } from './coordinator-state.ts';
import { type Driver, driveRun, type Neighbours, sharePlaces } from './driver.ts';
import type { EnginePorts } from './engine-ports.ts';
import { followLedger } from './follow-ledger.ts';
import { keepDisk } from './jobs/disk-keeper.ts';
import { attest, createRun, lookBack } from './orders/create-run.ts';
import { landedRequest } from './orders/current-run.ts';
import { performer } from './perform.ts';
import { type Attendant, linkedTo, repositoryAttendant } from './repository.ts';
import { openRunLog, type RunLog } from './run-log.ts';

/**
 * Drives every run of one repository under one epoch, side by side, by performing the effects of `evolveCoordinator`. The runs share
 * places for attempts, paused providers and the turn to move a branch.
 */
export async function coordinate(ledger: Ledger, ports: EnginePorts, clock: Clock): Promise<Engine> {
  const runs: Runs = new Map();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const logs = (): readonly RunLog[] => [...runs.values()].map((entry) => entry.log);
  const states = (): readonly (RunState | null)[] => logs().map((log) => log.state());
  const isOpenRun = (run: RunId): boolean => isOpen(runs.get(run)?.log.state() ?? null);
  let agentsAtOnce = Number.POSITIVE_INFINITY;
  let state = noRuns;

  const dispatch = (input: CoordinatorInput): void => {
    const next = evolveCoordinator(state, input, isOpenRun);
    state = next.state;
    next.effects.forEach(perform);
  };
  const perform = (effect: CoordinatorEffect): void => {
    switch (effect.do) {
      case 'admit':
        void admit();
        break;
      case 'wake':
        runs.get(effect.run)?.driver?.wake();
        break;
      case 'measure-disk':
        diskLimits.look();
        break;
      case 'announce':
        for (const announced of announcers) announced.look();
        break;
      case 'end-agents':
        void endAgents(runs, clock, idle).finally(() => dispatch({ type: 'agents-ended' }));
        break;
      case 'fail':
        failed.reject(new EnvironmentFailed({ rule: 'checkout-gone', checkout: ports.places.checkout }));
        break;
      case 'let-go':
        diskLimits.stop();
    }
  };

  const diskLimits = keepDisk({
    disk: ports.disk,
    clock,
    runs: states,
    changed: () => dispatch({ type: 'disk-changed' }),
    failed: failed.reject,
  });
  const announcers = announcersOf(
    ports,
    { clock, runs: states, failed: failed.reject },
    (run) => runs.get(run)?.log.stored().findLast(isEnd)?.at,
  );
  const repository = repositoryAttendant({ ledger, ports, clock, logs, failed: failed.reject });
  const neighbours = neighboursOf(logs, states, repository, diskLimits.shortage, () => agentsAtOnce);

  /** One admission at a time; a call during an admission asks for another. */
  let admitting: Promise<void> = Promise.resolve();
  const admit = (): Promise<void> => {
    admitting = admitting.then(admitAll);
    admitting.catch((cause: unknown) => failed.reject(cause));
    return admitting;
  };
  const entryOf = (run: RunId) => {
    const entry = runs.get(run) ?? { log: openRunLog(ledger, run, ports.epoch), driver: null };
    runs.set(run, entry);
    dispatch({ type: 'found', run });
    return entry;
  };
  const findRuns = async () => (await ledger.streams()).filter(isRunStream).map((stream) => entryOf(runId(stream)));

  /** Reads the ledger itself: the subscription may not have reported everything yet. */
  const admitAll = async (): Promise<void> => {
    agentsAtOnce = (await ports.agentsAtOnce?.()) ?? agentsAtOnce;
    await findRuns();
    // a run may depend on any other, so all are known before one is driven
    for (const { log } of runs.values()) await log.catchUp();
    await repository.attend();
    for (const [run, entry] of runs) {
      await createOrdered(ports, entry.log, logs());
      if (entry.driver !== null || entry.log.state() === null) continue;
      entry.driver = driveRun(entry.log, performer(ports, entry.log, { ...repository, clock }), clock, neighbours);
      entry.driver.failed.catch(failed.reject);
      dispatch({ type: 'admitted', run });
    }
  };

  const take = (stored: Stored): void => {
    const { stream, event } = stored;
    repository.take(stored);
    if (stream === repositoryStream) dispatch({ type: 'repository-changed' });
    if (isRunStream(stream)) dispatch({ type: 'committed', run: entryOf(runId(stream)).log.run, event });
  };

  // updates from before the first run is driven are not new
  if (announcers.length > 0) for (const { log } of await findRuns()) await log.catchUp();
  for (const announced of announcers) announced.begin();
  await admit();
  await observePullRequests(ports, logs());
  await ports.supervisors.release(logs().flatMap((log) => log.stored().flatMap(jobRecorded)));
  const subscription = followLedger(ledger, take).listen();
  perform({ do: 'measure-disk' });
  perform({ do: 'announce' });

  const { settled, idle } = waitsOf({ runs, admit, ahead: neighbours.ahead, failed: failed.promise });

  return {
    settled,
    failed: failed.promise,
    idle,
    leave: () => dispatch({ type: 'checkout-gone' }),
    stop: async () => {
      await subscription[Symbol.asyncDispose]();
      dispatch({ type: 'stopped' });
      await admitting;
      await ports.supervisors.detach();
      await Promise.all([...runs.values()].map((entry) => entry.driver?.stop()));
      await Promise.all(announcers.map((announced) => announced.stop()));
    },
  };
}

type Runs = Map<RunId, { readonly log: RunLog; driver: Driver | null }>;

/** Turns an order into a run. */
async function createOrdered(ports: EnginePorts, log: RunLog, logs: readonly RunLog[]): Promise<void> {
  const order = log.order();
  if (order === null) return;
  await observePullRequests(ports, logs);
  const states = logs.map((other) => other.state());
  const context = { earlier: await lookBack(ports.git, order, states), actual: await attest(ports.git) };
  const { type: _, by, ...rest } = order;
  await log.record((state) => {
    if (state !== null) return null;
    const created = createRun(rest, by, context);
    const begun = foldRun(created.map((event) => ({ seq: 0, event })));
    return begun === null ? created : [...created, ...answersBeforeMade(begun, requestsBefore(log))];
  });
}

/** Others merge pull requests, so the person's branch is looked at before anything depends on it. */
async function observePullRequests({ git }: EnginePorts, logs: readonly RunLog[]): Promise<void> {
  for (const log of logs) {
    const events = await landedRequest(log.state(), git);
    await log.record((state) => (state?.landing.status === 'offered' && state.ended === 'done' ? events : null));
  }
}

function waitsOf({
  runs,
  admit,
  ahead,
  failed,
}: Pick<Neighbours, 'ahead'> &
  Pick<Engine, 'failed'> & {
    readonly runs: Runs;
    admit(): Promise<void>;
  }): Pick<Engine, 'settled' | 'idle'> {
  const settled = async (run: RunId): Promise<RunState | null> => {
    const waited = new Set<RunId>([run]);
    for (;;) {
      await admit();
      const entry = runs.get(run);
      if (entry === undefined) return null;
      await Promise.race([entry.driver?.idle(), failed]);
      const state = entry.log.state();
      const before = state === null ? null : isInQueue(state) ? ahead(state) : owingRun(state, waited);
      if (before === null) return state;
      waited.add(before);
      // it lands when the run before it has landed, and closes its wave when the run that it depends on has
      await settled(before);
    }
  };
  const driven = () => [...runs.values()].filter((entry) => entry.driver !== null).length;
  return {
    settled,
    idle: async () => {
      await admit();
      for (let before = -1; before !== driven(); ) {
        before = driven();
        await Promise.all([...runs.keys()].map(settled));
      }
    },
  };
}

/** The run that this one waits for by a dependency; null when there is none, or it was waited for already. */
function owingRun(state: RunState, waited: ReadonlySet<RunId>): RunId | null {
  const wave = currentWave(state);
  const held = state.ended !== null ? [] : wave === undefined ? heldLanding(state) : heldWave(state, wave.index);
  return held.flatMap((one) => otherRun(one) ?? []).find((run) => !waited.has(run)) ?? null;
}

/** Resolves when all agents have ended or had enough time; whatever kept them from ending, the coordinator fails then. */
async function endAgents(runs: Runs, clock: Clock, idle: Engine['idle']): Promise<void> {
  const patience = new AbortController();
  const ended = stopRuns(runs).then(idle);
  await Promise.race([ended.catch(() => undefined), clock.sleep(leavePatienceMs, patience.signal)]);
  patience.abort();
}

async function stopRuns(runs: Runs): Promise<void> {
  const by = { who: 'tidegate', via: 'policy' } as const;
  for (const { log } of runs.values())
    await log.record((state) => (state !== null && hasRunningAgents(state) ? [{ type: 'run-stopped', by }] : null));
  for (const { driver } of runs.values()) driver?.wake();
}

/** Returns what the runs of a repository share. */
function neighboursOf(
  logs: () => readonly RunLog[],
  states: () => readonly (RunState | null)[],
  repository: Attendant,
  shortage: Neighbours['shortage'],
  agentsAtOnce: () => number,
): Neighbours {
  /** All runs, this one as it is about to be recorded. */
  const beside = (state: RunState): readonly RunState[] =>
    states().flatMap((other) => (other?.run === state.run ? state : (other ?? [])));
  const openStates = () => states().flatMap((state) => (state === null || state.ended !== null ? [] : [state]));
  return {
    shortage,
    catchUp: async (runs) => {
      const read = logs().filter((log) => (runs === undefined ? isOpen(log.state()) : runs.includes(log.run)));
      await Promise.all(read.map((log) => log.catchUp()));
    },
    ahead: (state) => aheadInQueue(beside(state), state),
    places: sharePlaces(openStates, agentsAtOnce),
    pausedElsewhere: (state) => pausesBeside(beside(state), state.run),
    linked: (state) => linkedTo(beside(state), state, repository.state().dependencies),
    repository: repository.state,
  };
}

/** `endOf` returns the time when a run ended. Only webhooks get it: they owe the end of a run for a day. */
function announcersOf(
  { webhooks, notices, threads }: EnginePorts,
  options: { readonly clock: Clock; readonly runs: () => readonly (RunState | null)[]; failed(cause: unknown): void },
  endOf: (run: RunId) => string | undefined,
): readonly Announcer[] {
  const dated = (state: RunState): readonly Notice[] =>
    noticesOf(state).map((notice) => {
      const end = notice.lasting ? endOf(state.run) : undefined;
      return end === undefined ? notice : { ...notice, since: end };
    });
  return [
    ...(webhooks === undefined ? [] : [announcer({ ...options, outbox: webhooks, updatesOf: dated })]),
    ...(notices === undefined ? [] : [announcer({ ...options, outbox: notices, updatesOf: noticesOf })]),
    ...(threads === undefined ? [] : [announcer({ ...options, outbox: threads, updatesOf: postsOf })]),
  ];
}

/** Tells whether something may still happen in a run: it has not ended, there was a request since, or it has an open dependency. */
const isOpen = (state: RunState | null): boolean =>
  state === null || state.ended === null || state.pending.length > 0 || isInQueue(state) || isLinked(state);

/**
 * Returns the pauses that other runs caused themselves. A missing login counts only while its run is active, because resuming that run
 * tries it again.
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

/** The time that agents have to end when their repository is gone. */
const leavePatienceMs = 30_000;

const hasRunningAgents = (state: RunState): boolean =>
  state.ended === null && state.mode.mode !== 'stopped' && Object.values(state.tasks).some(isLive);

const isEnd = ({ event }: Stored): boolean => event.type === 'run-ended';

/** Returns the job whose exit this event holds: its log lies in the directory of the job. */
function jobRecorded({ event }: Stored): readonly string[] {
  const log = event.type === 'check-ended' ? event.check.log : 'log' in event ? event.log : null;
  const job = log?.file.split('/')[0];
  return job === undefined || job === '' ? [] : [job];
}

/** Returns the requests between the order of a run and its creation. */
const requestsBefore = (log: RunLog): RunState['pending'] =>
  log
    .stored()
    .flatMap(({ seq, event }) => (isRequest(event) && event.type !== 'requested-run' ? [{ seq, request: event }] : []));
