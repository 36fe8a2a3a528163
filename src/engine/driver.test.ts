import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { commit, tree } from '../../test/support/plans.ts';
import { approved, begun, by, ended, hash, hello, run, started } from '../../test/support/run-events.ts';
import { keepAtEnd } from '../domain/kept/discard.ts';
import { newRepository } from '../domain/repository/repository.ts';
import { foldRun, type RunState } from '../domain/run/run.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { driveRun } from './driver.ts';
import type { RunLog } from './run-log.ts';

const clock = {
  now: () => '2026-01-01T00:00:00.000Z',
  nonce: () => 'n',
  sleep: () => new Promise<void>(() => undefined),
};
const alone = {
  ...{ ahead: () => null, places: () => 1, pausedElsewhere: () => [], shortage: () => null },
  linked: () => ({ stateOf: () => null, requiring: [], branches: [] }),
  repository: () => newRepository,
};

test('what fails in a halted run is not tried again and again', async () => {
  if (ended.type !== 'attempt-ended' || ended.snapshot === null) throw new Error('no snapshot');
  const big = { rule: 'too-large', where: 'big.bin', limit: 'file', bytes: 1 } as const;
  const left = { snapshot: { ...ended.snapshot, refused: [big] }, snapshotProblem: null };
  const events = [
    ...[...begun(), ...approved, ...started],
    { ...ended, ...left, ...keepAtEnd(undefined, { ...ended, ...left }) },
    { type: 'run-halted', because: { rule: 'git-missing' } },
    { type: 'requested-discard', task: hello, paths: ['big.bin'], by },
  ] as const;
  const state = foldRun(events.map((event, at) => ({ seq: at + 1, event })));
  const log: RunLog = {
    ...{ run, state: () => state, order: () => null, stored: () => [] },
    ...{ catchUp: async () => undefined, record: async () => undefined },
  };
  let tries = 0;
  const perform = async (): Promise<void> => {
    tries += 1;
    await nextTurn();
    throw new EnvironmentFailed({ rule: 'git-missing' });
  };
  const driver = driveRun(log, perform, clock, { ...alone, catchUp: async () => undefined });
  await driver.idle();
  driver.wake();
  await driver.idle();
  expect(tries).toBe(1);
  await driver.stop();
});

test('an effect that ends while the other runs are read is not started again', async () => {
  const fresh = foldRun([...begun(), ...approved].map((event, at) => ({ seq: at + 1, event })));
  const [wave] = fresh?.waves ?? [];
  if (fresh === null || wave === undefined) throw new Error('no run');
  const tip = { commit: commit('next'), tree: tree('next') };
  const merged = { status: 'merged', closed: [], old: commit('base'), new: tip.commit, judged: true } as const;
  const round = { round: 1, base: commit('base'), tasks: [], steps: [{ task: hello, ...tip }], tip, ...merged };
  const waves = [{ ...wave, closed: true, rounds: [round] }];
  const taps = { land: { status: 'approved', hash, by } } as const;
  let state: RunState = { ...fresh, waves, taps, landing: { status: 'queued', seq: 9 } };
  const log: RunLog = {
    ...{ run, state: () => state, order: () => null, stored: () => [] },
    ...{ catchUp: async () => undefined, record: async () => undefined },
  };
  const observed = Promise.withResolvers<void>();
  const begins = Promise.withResolvers<void>();
  const performed: string[] = [];
  const perform = async ({ do: kind }: { readonly do: string }): Promise<void> => {
    performed.push(kind);
    begins.resolve();
    await observed.promise;
    state = { ...state, landing: { status: 'refused', because: { rule: 'git-missing' } } };
  };
  let isObserving = false;
  const catchUp = async (): Promise<void> => {
    if (!isObserving) return;
    observed.resolve();
    await nextTurn();
  };
  const driver = driveRun(log, perform, clock, { ...alone, catchUp });
  await begins.promise;
  isObserving = true;
  await driver.idle();
  expect(performed).toEqual(['observe-target']);
  await driver.stop();
});
