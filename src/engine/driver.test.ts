import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { approved, begun, by, ended, hello, run, started } from '../../test/support/run-events.ts';
import { keepAtEnd } from '../domain/kept/discard.ts';
import { foldRun } from '../domain/run/run.ts';
import { EnvironmentFailed } from '../ports/failures.ts';
import { driveRun } from './driver.ts';
import type { RunLog } from './run-log.ts';

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
  const clock = {
    now: () => '2026-01-01T00:00:00.000Z',
    nonce: () => 'n',
    sleep: () => new Promise<void>(() => undefined),
  };
  const alone = { ahead: () => null, places: () => 1, pausedElsewhere: () => [], shortage: () => null };
  const linked = () => ({ stateOf: () => null, requiring: [] });
  const driver = driveRun(log, perform, clock, { ...alone, linked, catchUp: async () => undefined });
  await driver.idle();
  driver.wake();
  await driver.idle();
  expect(tries).toBe(1);
  await driver.stop();
});
