import { describe, expect, test } from 'vitest';
import { commit, me, order, plan, theRun, tree } from '../../test/support/plans.ts';
import { roomyDisk } from '../../test/support/roomy-disk.ts';
import { memoryLedger } from '../adapters/ledger/memory/index.ts';
import { type RunId, runId } from '../domain/base/ids.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { stateDir } from '../domain/ledger/state-dir.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { Ledger } from '../ports/ledger.ts';
import { type MergerAnswer, MergerFailed, type MergerRequest } from '../ports/merger.ts';
import { coordinate } from './coordinator.ts';
import type { EnginePorts } from './engine-ports.ts';
import { StaleEpoch } from './run-log.ts';

const frozen = plan([{ a: {} }]);
const other = runId('other-cd34');
const clock: Clock = {
  now: () => '2026-01-01T00:00:00.000Z',
  sleep: (_ms, signal) => new Promise((wake) => signal.addEventListener('abort', () => wake())),
  nonce: () => 'n',
};
const holder = { pid: 1, startTime: '1', bootId: 'b', socket: '' };

/** A coordinator whose ports answer only what a test sets. */
async function begin(
  ledger: Ledger,
  ask: (request: MergerRequest, epoch: number) => Promise<MergerAnswer> = async () => ({ outcome: 'done' }),
  more: Partial<EnginePorts> = {},
) {
  const { epoch } = await ledger.takeEpoch(holder, () => false);
  const ports: EnginePorts = {
    merger: { ask, [Symbol.asyncDispose]: async () => undefined },
    supervisors: {
      ensure: async () => undefined,
      stop: async () => undefined,
      tell: async () => true,
      send: async () => 'taken',
      acknowledge: async () => undefined,
      release: async () => undefined,
      detach: async () => undefined,
    },
    git: {
      toplevel: async () => '/checkout',
      rootCommit: async () => commit('root'),
      remotes: async () => [],
      isAncestor: async () => false,
      branchTip: async () => commit('base'),
      runBranchTip: async () => null,
      currentBranch: async () => 'main',
      files: async () => ({ total: 0, files: [] }),
      diff: async () => [],
    },
    places: { state: stateDir('/state'), checkout: '/checkout', runDirectory: '/run/t' },
    disk: roomyDisk,
    epoch,
    ...more,
  };
  return coordinate(ledger, ports, clock);
}

const ask = (ledger: Ledger, run: RunId, branch = 'main') =>
  ledger.request(run, {
    type: 'requested-run',
    by: me,
    ...order(frozen),
    run,
    target: { branch, commit: commit('base') },
  });
const decide = (ledger: Ledger, run: RunId, type: 'requested-approve' | 'requested-reject') =>
  ledger.request(run, { type, tap: 'start', hash: order(frozen).hash, at: clock.now(), by: me });
const waits = async (engine: Engine, run: RunId) => {
  const state = await engine.settled(run);
  return state === null ? null : { ended: state.ended, taps: Object.keys(state.taps) };
};

describe('runs that aim at one branch', () => {
  test('are driven side by side: the second does not wait for a person who has not answered the first', async () => {
    await using ledger = memoryLedger();
    await ask(ledger, theRun);
    await ask(ledger, other);
    const engine = await begin(ledger);
    expect(await waits(engine, theRun)).toEqual({ ended: null, taps: ['start'] });
    expect(await waits(engine, other)).toEqual({ ended: null, taps: ['start'] });
    await decide(ledger, other, 'requested-reject');
    expect(await waits(engine, other)).toEqual({ ended: 'rejected', taps: ['start'] });
    await engine.stop();
  });

  test('end when a person gives them up, whatever they wait for', async () => {
    await using ledger = memoryLedger();
    await ask(ledger, theRun);
    const engine = await begin(ledger);
    await engine.settled(theRun);
    await ledger.request(theRun, { type: 'requested-abandon', by: me });
    const state = await engine.settled(theRun);
    expect(state).toMatchObject({ ended: 'abandoned', abandoned: me, pending: [] });
    const late = await ledger.request(theRun, { type: 'requested-resume', by: me });
    await engine.settled(theRun);
    expect((await ledger.read(theRun)).at(-1)?.event).toEqual({
      type: 'request-refused',
      request: late.seq,
      because: { rule: 'run-ended', outcome: 'abandoned' },
    });
    await engine.stop();
  });
});

test('a place that a task cannot take any more goes to a task of another run at once', async () => {
  await using ledger = memoryLedger();
  const refused = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using _subscription = ledger.subscribe(0, ({ stream, event }) => {
    if (stream === other && event.type === 'attempt-intended') started.resolve();
    if (stream === other && event.type === 'task-base-made') asked.resolve();
  });
  const made = { commit: commit('base'), tree: tree('base') };
  const merger = async (request: MergerRequest, epoch: number): Promise<MergerAnswer> => {
    const record = async (event: RunEvent) =>
      void (await ledger.append(request.run, (await ledger.read(request.run)).length, [event], epoch));
    if (request.do === 'open-run') await record({ type: 'run-branch-made', ...made });
    if (request.do !== 'make-task-base') return { outcome: 'done' };
    if (request.run === theRun) {
      await refused.promise;
      return { outcome: 'refused', because: { rule: 'run-branch-unmade' } };
    }
    await record({ type: 'task-base-made', task: request.task, ...made });
    return { outcome: 'done' };
  };
  await ask(ledger, theRun);
  const engine = await begin(ledger, merger, { agentsAtOnce: async () => 1 });
  await decide(ledger, theRun, 'requested-approve');
  await ask(ledger, other);
  await decide(ledger, other, 'requested-approve');
  await asked.promise;
  refused.resolve();
  await started.promise;
  await engine.stop();
}, 10_000);

test('F10: what is approved with the order needs no terminal any more', async () => {
  await using ledger = memoryLedger();
  await ledger.request(theRun, { type: 'requested-run', by: me, ...order(frozen), approves: ['start', 'land'] });
  const engine = await begin(ledger, async () => ({ outcome: 'refused', because: { rule: 'run-branch-unmade' } }));
  const state = await engine.settled(theRun);
  expect(state?.taps).toMatchObject({
    start: { status: 'approved', by: { via: 'yes-flag' } },
    land: { status: 'approved', by: { via: 'land-flag' } },
  });
  expect(state?.waves[0]?.approval).toMatchObject([{ outcome: 'pass' }]);
  await engine.stop();
});

test('what is asked of a run before it is made is answered when it is', async () => {
  await using ledger = memoryLedger();
  await ask(ledger, theRun);
  const given = await ledger.request(theRun, { type: 'requested-abandon', by: me });
  const engine = await begin(ledger);
  expect((await engine.settled(theRun))?.ended).toBe('abandoned');
  expect((await ledger.read(theRun)).at(-1)?.event).toEqual({ type: 'request-accepted', request: given.seq });
  await engine.stop();
});

test('runs that aim at different branches do not wait for each other', async () => {
  await using ledger = memoryLedger();
  await ask(ledger, theRun);
  await ask(ledger, other, 'next');
  const engine = await begin(ledger);
  await engine.idle();
  expect(await waits(engine, other)).toEqual({ ended: null, taps: ['start'] });
  await engine.stop();
});

test('a run that nobody asked for is not there', async () => {
  await using ledger = memoryLedger();
  const engine = await begin(ledger);
  expect(await engine.settled(other)).toBeNull();
  await engine.stop();
});

test('settled answers after a request that was made before it, never with what was before', async () => {
  await using ledger = memoryLedger();
  await ask(ledger, theRun);
  const engine = await begin(ledger);
  await engine.settled(theRun);
  await decide(ledger, theRun, 'requested-reject');
  expect((await engine.settled(theRun))?.ended).toBe('rejected');
  await engine.stop();
});

test('a merger that fails halts the run; the run says so and resume tries again', async () => {
  await using ledger = memoryLedger();
  await ask(ledger, theRun);
  let broken = true;
  const asked: string[] = [];
  const engine = await begin(ledger, async (request) => {
    asked.push(request.do);
    if (broken) throw new MergerFailed({ rule: 'git-missing' });
    return { outcome: 'refused', because: { rule: 'run-branch-unmade' } };
  });
  await engine.settled(theRun);
  await decide(ledger, theRun, 'requested-approve');
  expect((await engine.settled(theRun))?.mode).toMatchObject({
    mode: 'halted',
    because: { rule: 'git-missing' },
  });
  const before = asked.length;
  broken = false;
  await ledger.request(theRun, { type: 'requested-resume', by: me });
  expect((await engine.settled(theRun))?.mode).toMatchObject({
    mode: 'halted',
    because: { rule: 'merger-refused', because: { rule: 'run-branch-unmade' } },
  });
  expect(asked.length).toBe(before + 1);
  await engine.stop();
});

test('a coordinator whose epoch is over writes nothing and says so (I10)', async () => {
  await using ledger = memoryLedger();
  await ask(ledger, theRun);
  const old = await begin(ledger);
  await old.settled(theRun);
  await ledger.takeEpoch(holder, () => false);
  await decide(ledger, theRun, 'requested-approve');
  const before = await ledger.readAll();
  await expect(old.settled(theRun)).rejects.toThrow(StaleEpoch);
  expect(await ledger.readAll()).toEqual(before);
  await old.stop();
});
