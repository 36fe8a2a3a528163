import { describe, expect, test } from 'vitest';
import type { TaskId } from '../../src/domain/base/ids.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { canonicalJson } from '../../src/domain/plan/plan.ts';
import { relaunchOf } from '../../src/domain/relaunch/relaunch.ts';
import { evolveRun, foldRun, type RunState } from '../../src/domain/run/run.ts';
import { isLive } from '../../src/domain/run/schedule.ts';
import { obstacleTo } from '../../src/domain/run/waiting.ts';
import { replayRun } from '../../src/engine/replay.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { checkWithoutOrchestrator } from '../support/check-orchestrator.ts';
import { checkHistory, type Violation } from '../support/checker.ts';
import { theRun } from '../support/plans.ts';
import { type Simulation, simulate, type Weather } from './simulate.ts';

/**
 * Whole runs under the real coordinator in a world that fails on purpose. Everything follows from the seed:
 * `SEED=123 npx vitest run test/simulation` plays that one again; `SEEDS=5000` plays more than the usual number.
 */
const one = process.env['SEED'];
const count = Number(process.env['SEEDS'] ?? 400);
const storm: Weather = { misfortunes: 12, whims: 8, crashes: 4 };
/** Beyond the usual number; each found a bug once. */
const remembered = [972, 1225, 1286, 1620, 2410, 3152, 3528, 5917, 6845, 7224, 7797, 8934];
const seeds =
  one === undefined
    ? [...new Set([...Array.from({ length: count }, (_, index) => index + 1), ...remembered])]
    : [Number(one)];
const batch = 25;
const happened = new Set<string>();

describe('every run ends, and its ledger keeps I1 to I10', () => {
  for (let from = 0; from < seeds.length; from += batch) {
    const some = seeds.slice(from, from + batch);
    test(`seeds ${some[0]} to ${some.at(-1)}`, { timeout: 120_000 }, async () => {
      for (const seed of some) {
        const played = await simulate(seed, storm).catch((cause: unknown) => {
          throw new Error(`SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
        });
        for (const { event } of played.stored) happened.add(event.type);
        expect({ seed, wrong: await wrongWith(played) }).toEqual({ seed, wrong: [] });
      }
    });
  }

  test.runIf(seeds.length >= 600)('and everything that can happen to a run has happened', () => {
    expect(everything.filter((type) => !happened.has(type))).toEqual([]);
  });

  test('and the same seed plays the same history', async () => {
    const [first, second] = [await simulate(7, storm), await simulate(7, storm)];
    expect(second.stored).toEqual(first.stored);
  });

  test('on a disk that is full now and then, too', { timeout: 120_000 }, async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 25; seed += 1) {
      const played = await simulate(seed, { ...storm, fullDisks: 2 });
      for (const { event } of played.stored) seen.add(event.type);
      expect({ seed, wrong: await wrongWith(played) }).toEqual({ seed, wrong: [] });
    }
    expect([seen.has('starts-suspended'), seen.has('starts-allowed')]).toEqual([true, true]);
  });

  test('with dependencies between runs: each is settled, and nothing gets past one', { timeout: 300_000 }, async () => {
    const linked = { misfortunes: 12, whims: 40, crashes: 5, runs: 5, dependencies: 24 };
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= Number(process.env['LINKED'] ?? 8); seed += 1) {
      const played = await simulate(seed, linked).catch((cause: unknown) => {
        throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      for (const { event } of played.stored) {
        const landed = event.type === 'dependency-resolved' && event.landed !== undefined ? ' by a landing' : '';
        const branch = event.type === 'dependency-added' && event.branch !== undefined ? ' of a branch' : '';
        const taken = event.type === 'record-posted' && event.repository !== undefined ? ' in the repository' : '';
        const name = `${event.type}${landed}${branch}${taken}`;
        seen.set(name, (seen.get(name) ?? 0) + 1);
      }
      expect({ seed, wrong: await wrongWith(played) }).toEqual({ seed, wrong: [] });
    }
    const types = ['added', 'added of a branch', 'owed', 'unmet', 'resolved', 'cancelled', 'resolved by a landing'];
    const names = [...types.map((type) => `dependency-${type}`), 'record-posted in the repository'];
    expect(names.filter((name) => !seen.has(name))).toEqual([]);
  });

  test('while time passes and agents ask each other: nothing is answered by it', { timeout: 300_000 }, async () => {
    const seen = { rerouted: 0, escalated: 0, told: 0 };
    for (let seed = 1; seed <= Number(process.env['CLOCKS'] ?? 40); seed += 1) {
      const played = await simulate(seed, { ...storm, clocks: true }).catch((cause: unknown) => {
        throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      for (const { event } of played.stored) {
        if (event.type === 'record-changed' && event.route !== undefined) seen.rerouted += 1;
        if (event.type === 'record-posted' && event.place.route?.reason === 'escalated') seen.escalated += 1;
        if (event.type === 'records-overdue') seen.told += 1;
      }
      expect({ seed, wrong: await wrongWith(played) }).toEqual({ seed, wrong: [] });
    }
    for (const [what, times] of Object.entries(seen)) expect({ what, times: times > 0 }).toEqual({ what, times: true });
  });

  test('ten at once on one branch, and one more that waits for a person all the time', {
    timeout: 300_000,
  }, async () => {
    const crowd = { misfortunes: 30, whims: 20, crashes: 6, runs: 10 };
    const seen = { landed: 0, rebuilt: 0, refused: 0, undone: 0 };
    for (let seed = 1; seed <= Number(process.env['CROWDS'] ?? 6); seed += 1) {
      const played = await simulate(seed, crowd).catch((cause: unknown) => {
        throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      const events = played.stored.map(({ event }) => event.type);
      seen.landed += events.filter((type) => type === 'landed').length;
      seen.rebuilt += events.filter((type) => type === 'landing-rebuilt').length;
      seen.refused += events.filter((type) => type === 'landing-refused').length;
      seen.undone += events.filter((type) => type === 'undone').length;
      expect({ seed, wrong: await wrongWith(played) }).toEqual({ seed, wrong: [] });
      const idle = foldRun(await played.ledger.read('demo-idle'));
      expect({ seed, begun: idle?.branch, taps: Object.values(idle?.taps ?? {}).map((tap) => tap?.status) }).toEqual({
        seed,
        begun: null,
        // a day may have passed
        taps: [expect.stringMatching(/^(pending|expired)$/)],
      });
    }
    for (const [what, times] of Object.entries(seen)) expect({ what, times: times > 0 }).toEqual({ what, times: true });
  });

  test('with an orchestrator that dies at any moment: it starts, posts, is refused and ends, and nothing else differs', {
    timeout: 300_000,
  }, async () => {
    const seen = new Set<string>();
    const [alone, several] = [storm, { misfortunes: 12, whims: 40, crashes: 5, runs: 5, dependencies: 24 }];
    for (let seed = 1; seed <= Number(process.env['GUIDED'] ?? 70); seed += 1) {
      const weather: Weather = { ...(seed % 10 === 3 ? several : alone), orchestrator: true };
      const played = await simulate(seed, weather).catch((cause: unknown) => {
        throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      for (const { event } of played.stored) {
        if (event.type === 'orchestrator-ended') seen.add(event.ending.reason);
        if (event.type === 'orchestrator-noted')
          seen.add(event.refused === undefined ? (event.place === undefined ? 'noted' : 'guided') : 'refused');
      }
      expect({ seed, wrong: await wrongWith(played) }).toEqual({ seed, wrong: [] });
    }
    const ends = ['exited', 'launch-failed', 'lost', 'over-budget', 'stopped', 'timed-out'];
    expect([...seen].toSorted()).toEqual([...ends, 'guided', 'noted', 'refused'].toSorted());
  });

  test('in calm weather without a crash, too', async () => {
    const played = await simulate(3, { misfortunes: 0, whims: 0, crashes: 0 });
    expect(await wrongWith(played)).toEqual([]);
  });
});

/** A generator that is too tame proves nothing. */
const everything: readonly LedgerEvent['type'][] = [
  'agent-chosen',
  'attempt-ended',
  'attempt-intended',
  'attempt-noted',
  'attempt-settled',
  'attempt-started',
  'attempt-told',
  'barrier-resolved',
  'budget-near',
  'budget-raised',
  'candidate-built',
  'candidate-completed',
  'candidate-extended',
  'check-ended',
  'components-promoted',
  'culprit-found',
  'generator-ended',
  'helper-assigned',
  'kept-discarded',
  'landed',
  'landing-intended',
  'landing-queued',
  'landing-rebuilt',
  'landing-refused',
  'merge-intended',
  'merged',
  'message-sent',
  'paths-dropped',
  'phase-judged',
  'plan-replaced',
  'proof-registered',
  'proof-revoked',
  'record-answered',
  'record-changed',
  'record-closed',
  'record-posted',
  'request-accepted',
  'request-refused',
  'role-opened',
  'round-abandoned',
  'round-opened',
  'run-abandoned',
  'run-branch-made',
  'run-ended',
  'run-halted',
  'run-paused',
  'run-resumed',
  'run-stopped',
  'sides-compared',
  'tap-decided',
  'tap-opened',
  'target-observed',
  'task-base-made',
  'task-derived',
  'task-base-refused',
  'task-dropped',
  'task-granted',
  'task-held',
  'task-retried',
  'task-reworked',
  'undo-intended',
  'undo-prepared',
  'undo-refused',
  'undone',
  'wave-closed',
  'wave-relaunched',
];

async function wrongWith(played: Simulation): Promise<readonly (Violation | string)[]> {
  const { git, ledger, living, stored } = played;
  const facts = { refs: git.refs(), commit: (id: string) => git.find(id) };
  const verified = await ledger.verify();
  return [
    ...checkHistory(stored, { git: facts, processes: living }),
    ...(verified.ok ? [] : [verified.problem]),
    ...refold(stored.filter(({ stream }) => stream === theRun)),
    ...[...Map.groupBy(stored, ({ stream }) => stream).values()].flatMap(checkWithoutOrchestrator),
    ...unannounced(stored.filter(({ stream }) => stream === theRun)),
  ];
}

/** Every launch, and every task that starts again for records, was the first of the next launches that could start just before it. */
function unannounced(stored: readonly Stored[]): readonly string[] {
  let state: RunState | null = null;
  const wrong: string[] = [];
  for (const record of stored) {
    const { event } = record;
    if (state !== null && (event.type === 'attempt-intended' || event.type === 'helper-assigned')) {
      const now: RunState = state;
      const running = Object.values(now.tasks).filter(isLive);
      const isFree = (id: TaskId): boolean => {
        const task = now.tasks[id];
        return task !== undefined && task.base !== null && obstacleTo(now, task, running) === null;
      };
      const next = relaunchOf(now).map(({ task }) => task);
      const [first] = event.type === 'helper-assigned' ? next : next.filter(isFree);
      if (first !== event.task) wrong.push(`${record.seq}: ${event.task} starts, but ${first} comes first`);
    }
    state = evolveRun(state, record);
  }
  return wrong;
}

/** State and verdicts are functions of the events alone, from every prefix. */
function refold(stored: readonly Stored[]): readonly string[] {
  const { state, differences } = replayRun(stored);
  const wrong = differences.map(({ seq, detail }) => `${seq}: ${detail}`);
  const copy: readonly Stored[] = JSON.parse(JSON.stringify(stored));
  let [first, second]: [RunState | null, RunState | null] = [null, null];
  for (const [index, record] of stored.entries()) {
    first = evolveRun(first, record);
    second = evolveRun(second, copy[index] ?? record);
    if (index % 17 === 0 && canonicalJson(first) !== canonicalJson(second))
      wrong.push(`a second fold of the first ${index + 1} events differs`);
  }
  if (canonicalJson(second) !== canonicalJson(state)) wrong.push('a second fold differs');
  return wrong;
}
