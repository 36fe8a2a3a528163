import { memoryLedger } from '../../src/adapters/ledger/memory/index.ts';
import { type CommitId, type RunId, runId } from '../../src/domain/base/ids.ts';
import { needsOf } from '../../src/domain/explain/needs.ts';
import { aheadInQueue } from '../../src/domain/landing/landing-queue.ts';
import { leftToLand } from '../../src/domain/landing/undo.ts';
import { refs, stateDir } from '../../src/domain/ledger/state-dir.ts';
import type { FrozenPlan } from '../../src/domain/plan/plan.ts';
import { bundlesOf } from '../../src/domain/proofs/bundle.ts';
import { foldRun, type RunState } from '../../src/domain/run/run.ts';
import { coordinate } from '../../src/engine/coordinator.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Engine } from '../../src/ports/engine.ts';
import type { Ledger, Stored } from '../../src/ports/ledger.ts';
import type { FoundFiles, GitReader, Merger } from '../../src/ports/merger.ts';
import { me, order, theRun } from '../support/plans.ts';
import { type Chaos, chaos } from './chaos.ts';
import { dependencyWhim, obedientPerson, repositoryWhim, whim } from './person.ts';
import { type Random, random } from './random.ts';
import { matrixFile } from './random-contracts.ts';
import { randomPlan } from './random-plan.ts';
import { type Life, type Schedule, schedule } from './schedule.ts';
import { simulatedDisk } from './simulated-disk.ts';
import { type Files, type SimulatedGit, simulatedGit } from './simulated-git.ts';
import { simulatedMerger, targetRef } from './simulated-merger.ts';
import { type SupervisorWorld, simulatedSupervisors } from './simulated-supervisors.ts';

export type Simulation = {
  readonly plan: FrozenPlan;
  readonly stored: readonly Stored[];
  readonly state: RunState;
  readonly git: SimulatedGit;
  readonly ledger: Ledger;
  readonly living: readonly string[];
  readonly crashes: number;
  readonly steps: number;
};

export type Weather = {
  /** How much may go wrong before the world behaves. */
  readonly misfortunes: number;
  readonly whims: number;
  readonly crashes: number;
  /** How often the disk is full. */
  readonly fullDisks?: number;
  /** How many runs aim at the branch at once; one of several waits for a person all the time. */
  readonly runs?: number;
  /** How often somebody makes a run depend on another one. */
  readonly dependencies?: number;
  /** Agents ask each other a lot, and time passes while they work. */
  readonly clocks?: true;
  /** Every plan has a resident orchestrator, which may die at any moment. */
  readonly orchestrator?: true;
};

/** The run hangs: nothing is to come, and neither has it ended nor does it tell a person what to do. */
class Stuck extends Error {
  override readonly name = 'Stuck';
}

type Stage = {
  readonly random: Random;
  readonly chaos: Chaos;
  readonly schedule: Schedule;
  readonly ledger: Ledger;
  readonly git: SimulatedGit;
  readonly supervisors: SupervisorWorld;
  readonly disk: ReturnType<typeof simulatedDisk>;
  readonly clock: Clock & { advance(minutes: number): void };
  /** Decides when a minute passes; null where time passes only between things. */
  readonly time: Random | null;
  /** Events in the ledger, as far as subscribers were told. */
  readonly grown: () => number;
  /** Runs that people bring on. */
  readonly runs: readonly RunId[];
};

/** One run from its order to its end under the real coordinator, through crashes, misfortune and people's whims. */
export async function simulate(seed: number, weather: Weather): Promise<Simulation> {
  const stage = await setUp(seed, weather);
  try {
    return await runThrough(stage, weather);
  } catch (cause) {
    throw new Failed(cause, await stage.ledger.readAll());
  }
}

/** What went wrong, with the history up to then. */
class Failed extends Error {
  override readonly name = 'Failed';
  readonly history: readonly Stored[];
  constructor(cause: unknown, history: readonly Stored[]) {
    super(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), { cause });
    this.history = history;
  }
}

async function runThrough(stage: Stage & { readonly plan: FrozenPlan }, weather: Weather): Promise<Simulation> {
  const person = obedientPerson(stage.random.fork());
  const mood = stage.random.fork();
  let { whims, crashes, dependencies = 0 } = weather;
  let crashed = 0;
  /** Of runs that have landed, others still at work or not. */
  let undos = stage.runs.length > 1 ? 3 : 1;
  let revokes = 2;
  let incarnation = await start(stage);
  for (let rounds = 0; ; rounds += 1) {
    if (rounds > 600 * stage.runs.length) throw new Stuck(`not through after ${rounds} answers`);
    const run = mood.pick(stage.runs);
    const outcome = await play(stage, incarnation, run, () => {
      if (whims > 0 && mood.chance(0.03)) {
        whims -= 1;
        return 'whim';
      }
      if (crashes > 0 && mood.chance(0.02)) {
        crashes -= 1;
        return 'crash';
      }
      return 'go-on';
    });
    const state = foldRun(await stage.ledger.read(run));
    if (outcome === 'crash') {
      crashed += 1;
      // a coordinator that hangs instead of dying goes on beside its successor
      if (mood.chance(0.7)) incarnation.life.alive = false;
      incarnation = await start(stage);
      continue;
    }
    if (state === null && outcome === 'whim') continue;
    if (state === null) throw new Stuck('the order was not made a run');
    if (outcome === 'whim') {
      if (mood.chance(0.05)) stage.clock.advance(25 * 60);
      if (mood.chance(0.2)) commitByHand(stage);
      // in the middle of things, a merge for example
      const isLinking = dependencies > 0 && mood.chance(0.6);
      if (isLinking) dependencies -= 1;
      if (isLinking) await link(stage, mood, state);
      else await stage.ledger.request(run, whim(mood, state));
      continue;
    }
    if (dependencies > 0 && mood.chance(0.2)) {
      dependencies -= 1;
      await link(stage, mood, state);
      continue;
    }
    const isOver = state.ended !== null && state.pending.length === 0;
    if (isOver && undos > 0 && state.undo.status === 'landed' && mood.chance(0.3)) {
      undos -= 1;
      await stage.ledger.request(run, { type: 'requested-undo', task: null, by: me });
      continue;
    }
    if (isOver && (whims === 0 || mood.chance(0.5)) && (await areOver(stage))) break;
    if (isOver && stage.runs.length > 1) continue;
    if (whims > 0 && mood.chance(0.3)) {
      whims -= 1;
      if (state.ended !== null && mood.chance(0.5)) commitByHand(stage);
      await stage.ledger.request(run, whim(mood, state));
      continue;
    }
    // an undo that the machine got in the way of waits for somebody to type resume
    if (state.ended !== null && state.mode.mode !== 'halted') continue;
    if (state.ended === null && state.shortage !== null) {
      stage.disk.makeRoom();
      stage.clock.advance(1);
      continue;
    }
    // somebody finds out that what a merged task was proven with is wrong
    const proven = bundlesOf(state).find(
      ({ state: one, task }) => one === 'active' && leftToLand(state).includes(task),
    );
    if (proven !== undefined && revokes > 0 && mood.chance(0.4)) {
      revokes -= 1;
      await stage.ledger.request(run, { type: 'requested-proof-revoke', bundle: proven.id, reason: 'wrong', by: me });
      continue;
    }
    const asked = person.answer(state);
    if (asked === null && isAheadOfIt(await states(stage), state)) continue;
    if (asked === null && needsOf(state).some(({ kind }) => kind === 'requires')) continue;
    if (asked === null) throw new Stuck(`idle, not ended and nobody is told what to do`);
    await stage.ledger.request(asked.run, asked.request);
  }
  return finish(stage, incarnation, crashed);
}

/** Somebody lets runs wait, or tells all of them something. */
async function link({ ledger, runs }: Stage, mood: Random, state: RunState): Promise<void> {
  if (mood.chance(0.4)) await ledger.request('repo', repositoryWhim(mood, runs));
  else await ledger.request(state.run, dependencyWhim(mood, state, runs));
}

const states = async ({ ledger, runs }: Stage): Promise<readonly RunState[]> =>
  (await Promise.all(runs.map(async (run) => foldRun(await ledger.read(run))))).flatMap((state) => state ?? []);

const areOver = async (stage: Stage): Promise<boolean> =>
  (await states(stage)).every((state) => state.ended !== null && state.pending.length === 0);

/** It waits for its turn: the run before it waits for somebody to look. */
const isAheadOfIt = (all: readonly RunState[], state: RunState): boolean => aheadInQueue(all, state) !== null;

async function setUp(seed: number, weather: Weather): Promise<Stage & { readonly plan: FrozenPlan }> {
  const chance = random(seed);
  const misfortune = chaos(chance.fork(), weather.misfortunes);
  const turns = schedule(chance.fork());
  const clock = simulatedClock(chance.fork());
  const ledger = memoryLedger({ now: () => new Date(clock.now()) });
  const git = simulatedGit();
  const clocks = { acknowledgeSeconds: 60, staleSeconds: 900, answerSeconds: 600 };
  const guided = (plan: FrozenPlan): FrozenPlan =>
    weather.orchestrator === undefined ? plan : { ...plan, orchestrator: resident };
  const made = guided(randomPlan(chance.fork()));
  const plan = weather.clocks === true ? { ...made, board: clocks } : made;
  const plans = new Map([[theRun, plan]]);
  for (let number = 1; number < (weather.runs ?? 1); number += 1)
    plans.set(runId(`demo-run${number}`), guided(randomPlan(chance.fork(), chance.chance(0.7) ? `${number}` : '')));
  const idle = weather.runs === undefined ? null : runId('demo-idle');
  if (idle !== null) plans.set(idle, guided(randomPlan(chance.fork())));
  const isCompared = [...plans.values()].every(({ checks }) => checks.every(({ policy }) => policy === 'ratchet'));
  const files = {
    'readme.md': misfortune.strikes(0.02) ? 'breaks test' : 'hello',
    'shared.txt': 'shared',
    // the tests are red from the beginning, and now and then the check without a report
    ...(isCompared ? { 'red.txt': seed % 3 === 0 ? 'breaks test, breaks lint' : 'breaks test' } : {}),
  };
  const base = git.write(Object.assign(files, ...[...plans.values()].map(matrixFile)), [], 'first');
  git.move(targetRef('main'), null, base);
  for (const [run, one] of plans) {
    const asked = { ...order(one), run, target: { branch: 'main', commit: base } };
    await ledger.request(run, { type: 'requested-run', by: me, ...asked });
  }
  let grown = 0;
  ledger.subscribe(0, ({ seq }) => {
    grown = seq;
  });
  const tools = {
    random: chance.fork(),
    schedule: turns,
    git,
    chaos: misfortune,
    planOf: (run: string) => plans.get(runId(run)) ?? plan,
  };
  return {
    random: chance,
    chaos: misfortune,
    schedule: turns,
    ledger,
    git,
    supervisors: simulatedSupervisors(tools),
    disk: simulatedDisk(random(seed + 1), weather.fullDisks ?? 0, turns),
    clock,
    time: weather.clocks === true ? random(seed + 2) : null,
    grown: () => grown,
    runs: [...plans.keys()].filter((run) => run !== idle),
    plan,
  };
}

type Incarnation = { readonly life: Life; readonly merger: Merger; readonly coordinator: Promise<Engine> };

const mergers: WeakMap<Stage, Merger> = new WeakMap();

/** A new coordinator on what the last one left: the next epoch, a merger of its own, nothing in memory. */
async function start(stage: Stage): Promise<Incarnation> {
  const life: Life = { alive: true };
  const holder = { pid: 1, startTime: '1', bootId: 'b', socket: '' };
  const taken = await stage.ledger.takeEpoch(holder, () => false);
  await mergers.get(stage)?.[Symbol.asyncDispose]();
  const merger = simulatedMerger(stage, life);
  mergers.set(stage, merger);
  const world = {
    merger,
    supervisors: stage.supervisors.port(life),
    git: reader(stage, life),
    places: { state: stateDir('/state'), checkout: '/checkout', runDirectory: '/run' },
    disk: stage.disk,
    epoch: taken.epoch,
  };
  const coordinator = coordinate(mortal(stage, life), world, stage.clock);
  coordinator.catch(() => undefined);
  return { life, merger, coordinator };
}

/** Lets the world go on until the run waits for a person, or `decide` interrupts. */
async function play(
  stage: Stage,
  { coordinator }: Incarnation,
  run: RunId,
  decide: () => 'go-on' | 'whim' | 'crash',
): Promise<'settled' | 'whim' | 'crash'> {
  let settled: 'no' | 'yes' | { readonly cause: unknown } = 'no';
  coordinator
    .then((started) => started.settled(run))
    .then(
      () => {
        settled = 'yes';
      },
      (cause: unknown) => {
        settled = { cause };
      },
    );
  for (let idle = 0; idle < 50; ) {
    const moved = await stage.schedule.step();
    idle = moved ? 0 : idle + 1;
    // nothing is to come but time: a provider that asked to be left alone
    if (idle === 10) stage.clock.advance(61);
    if (stage.time?.chance(0.15) === true) stage.clock.advance(1);
    const now = settled as 'no' | 'yes' | { readonly cause: unknown };
    if (typeof now === 'object') throw now.cause;
    if (now === 'yes') return 'settled';
    const decision = decide();
    if (decision !== 'go-on') return decision;
    if (stage.schedule.steps() > 40_000 * stage.runs.length) throw new Stuck('the run goes round and round');
    if (stage.grown() > 4_000 * stage.runs.length) throw new Stuck('the ledger grows without end');
  }
  throw new Stuck('nothing is to come, and the coordinator does not say that it is idle');
}

async function finish(
  stage: Stage & { readonly plan: FrozenPlan },
  last: Incarnation,
  crashes: number,
): Promise<Simulation> {
  // stopped agents may need a moment to be gone
  for (let quiet = 0, turns = 0; quiet < 5 && turns < 500; turns += 1)
    quiet = (await stage.schedule.step()) ? 0 : quiet + 1;
  const stored = await stage.ledger.readAll();
  const state = foldRun(await stage.ledger.read(theRun));
  if (state === null) throw new Stuck('no run');
  void last;
  return {
    plan: stage.plan,
    stored,
    state,
    git: stage.git,
    ledger: stage.ledger,
    living: stage.supervisors.living(),
    crashes,
    steps: stage.schedule.steps(),
  };
}

/** The person's own commit on their branch, made while the run goes on. */
function commitByHand({ git, random }: Stage): void {
  const name = targetRef('main');
  const tip = git.ref(name);
  if (tip === null) return;
  const files = { ...git.read(tip).files, 'by-hand.txt': random.chance(0.1) ? 'breaks test' : `${random.below(1000)}` };
  git.move(name, tip, git.write(files, [tip], 'by hand'));
}

/** The ledger as a process sees it that may die before or after every call. */
function mortal({ ledger, schedule }: Stage, life: Life): Ledger {
  const call = async <T>(operation: () => Promise<T>): Promise<T> => {
    await schedule.turn(life);
    const result = await operation();
    await schedule.turn(life);
    return result;
  };
  return {
    ...ledger,
    read: (stream, after) => call(() => ledger.read(stream, after)),
    readAll: (after, limit) => call(() => ledger.readAll(after, limit)),
    streams: () => call(() => ledger.streams()),
    append: (stream, expected, events, epoch) => call(() => ledger.append(stream, expected, events, epoch)),
    subscribe: (after, listener) => ledger.subscribe(after, (stored) => (life.alive ? listener(stored) : undefined)),
  };
}

function reader({ git, schedule, chaos: _ }: Stage, life: Life): GitReader {
  const say = async <T>(value: () => T): Promise<T> => {
    await schedule.turn(life);
    return value();
  };
  return {
    toplevel: () => say(() => '/checkout'),
    rootCommit: () => say(() => order(emptyPlan).repo.rootCommit),
    remotes: () => say(() => []),
    isAncestor: (ancestor, of) => say(() => isAncestor(git, ancestor, of)),
    branchTip: (branch) => say(() => git.ref(targetRef(branch))),
    runBranchTip: (run) => say(() => git.ref(refs.runBranch(run))),
    currentBranch: () => say(() => 'main'),
    files: (commit, { matches, most }) => say(() => filesOf(git.read(commit).files, matches, most)),
    diff: (from, to) => say(() => git.diff(from, to)),
  };
}

const isAncestor = (git: Stage['git'], ancestor: CommitId, of: CommitId): boolean =>
  ancestor === of || git.read(of).parents.some((parent) => isAncestor(git, ancestor, parent));

function filesOf(all: Files, matches: (path: string) => boolean, most: number): FoundFiles {
  const found = Object.keys(all).filter(matches).toSorted();
  return {
    total: found.length,
    files: found.slice(0, most).map((path) => ({ path, bytes: Buffer.byteLength(all[path] ?? '') })),
  };
}

const resident = { agent: 'command', command: ['guide'], model: null, text: '', usd: 1, minutes: 60 } as const;

const emptyPlan = randomPlan(random(0));

function simulatedClock(chance: Random): Clock & { advance(minutes: number): void } {
  let now = Date.parse('2026-01-01T00:00:00Z');
  let sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const wakeUp = (): void => {
    const due = sleeping.filter(({ until }) => until <= now);
    sleeping = sleeping.filter(({ until }) => until > now);
    for (const { wake } of due) wake();
  };
  return {
    now: () => new Date(now).toISOString(),
    sleep: (ms, signal) =>
      new Promise((wake) => {
        const sleeper = { until: now + ms, wake };
        sleeping.push(sleeper);
        signal.addEventListener('abort', () => {
          sleeping = sleeping.filter((other) => other !== sleeper);
          wake();
        });
      }),
    nonce: () =>
      Array.from({ length: 4 }, () =>
        chance
          .below(2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      ).join(''),
    advance: (minutes) => {
      now += minutes * 60_000;
      wakeUp();
    },
  };
}
