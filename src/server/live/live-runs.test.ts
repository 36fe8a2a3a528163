import { expect, test } from 'vitest';
import { nthSeq } from '../../../test/contract/ledger-support.ts';
import { approved, begun, by, hash, run } from '../../../test/support/run-events.ts';
import { memoryLedger } from '../../adapters/ledger/memory/index.ts';
import { foldRun } from '../../domain/run/run.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { liveRuns } from './live-runs.ts';

/** A ledger whose reads are counted. */
async function scene() {
  const ledger = memoryLedger();
  const taken = await ledger.takeEpoch({ pid: 1, start: '1', boot: 'b', host: 'h' } as never, () => false);
  if (taken.outcome !== 'taken') throw new Error('no epoch');
  const reads: number[] = [];
  const counted: Pick<Ledger, 'readAll' | 'subscribe'> = {
    subscribe: ledger.subscribe,
    readAll: async (after = 0) => {
      reads.push(after);
      return await ledger.readAll(after);
    },
  };
  return { ledger, reads, live: liveRuns(counted), epoch: taken.epoch };
}

test('a run is the fold of its stream, and each event is read once', async () => {
  const { ledger, live, reads, epoch } = await scene();
  expect(await live.all()).toEqual([]);
  await ledger.append(run, 0, begun(), epoch);
  const first = await live.find(run);
  expect(first?.state).toEqual(foldRun(await ledger.read(run)));
  await ledger.append(run, begun().length, approved, epoch);
  expect((await live.find(run))?.state).toEqual(foldRun(await ledger.read(run)));
  expect((await live.find(run))?.stored).toEqual(await ledger.read(run));
  expect(reads).toEqual([0, nthSeq(0), nthSeq(begun().length), nthSeq(begun().length + approved.length)]);
  expect(live.seq()).toBe(nthSeq(begun().length + approved.length));
});

test('what is no run is left out', async () => {
  const { ledger, live, epoch } = await scene();
  await ledger.append('repo', 0, [{ type: 'epoch-taken', epoch, holder: 'x' } as never], epoch);
  expect(await live.all()).toEqual([]);
  expect(await live.find('nobody')).toBeUndefined();
});

test('whoever asks after an append sees it, however many ask at once', async () => {
  const { ledger, live, reads, epoch } = await scene();
  const before = live.find(run);
  await ledger.append(run, 0, begun(), epoch);
  const asked = await Promise.all(Array.from({ length: 20 }, () => live.find(run)));
  await before;
  expect(asked.every((found) => found?.stored.length === begun().length)).toBe(true);
  expect(reads.length).toBeLessThanOrEqual(3);
});

test('a read that failed is made up for by the next', async () => {
  const { ledger, epoch } = await scene();
  await ledger.append(run, 0, begun(), epoch);
  await ledger.request(run, { type: 'requested-hold', tap: 'start', hash, at: '2026-01-01T00:00:00.000Z', by });
  let fails = true;
  const live = liveRuns({
    subscribe: ledger.subscribe,
    readAll: async (after) => {
      if (fails) throw new Error('disk');
      return await ledger.readAll(after);
    },
  });
  await expect(live.find(run)).rejects.toThrow('disk');
  fails = false;
  expect((await live.find(run))?.stored).toHaveLength(begun().length + 1);
});
