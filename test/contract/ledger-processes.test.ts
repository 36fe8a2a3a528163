import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { LedgerUnavailable } from '../../src/ports/ledger.ts';
import {
  appendedTo,
  child,
  closed,
  collector,
  dead,
  epochOf,
  firstSeqs,
  holder,
  ledgerPlace,
  nthSeq,
  pause,
  used,
} from './ledger-support.ts';

describe('many processes on one ledger', () => {
  test('make it together, write at once and lose nothing; a listener sees all of it in order', {
    timeout: 60_000,
  }, async () => {
    using place = ledgerPlace();
    const [writers, each] = [4, 40];
    const children = Array.from({ length: writers }, () => child('request', place.file, String(each)));
    await Promise.all(children.map((one) => one.printed(1)));
    await using ledger = await openSqliteLedger(place.file);
    const seen = collector<number>(writers * each + 20);
    await using _subscription = ledger.subscribe(nthSeq(0), ({ seq }) => seen.push(seq));
    const epoch = await epochOf(ledger);
    for (let wave = 0; wave < 20; wave += 1) await ledger.append('run', wave, [closed(wave)], epoch);

    expect(await Promise.all(children.map((one) => one.ended()))).toEqual([0, 0, 0, 0]);
    const acknowledged = children.flatMap((one) => one.lines.slice(1).map(Number));
    const stored = await appendedTo(ledger);
    const requested = stored.filter(({ stream }) => stream === 'repo').map(({ seq }) => seq);
    expect(acknowledged.toSorted((a, b) => a - b)).toEqual(requested);
    expect(stored.map(({ seq }) => seq)).toEqual(firstSeqs(writers * each + 20));
    expect(await seen.all).toEqual(firstSeqs(writers * each + 20));
    expect(await ledger.verify()).toMatchObject({ ok: true, events: nthSeq(writers * each + 20) });
  });

  test('that decide for one session at once: each position is given once, and none is lost', async () => {
    using place = ledgerPlace();
    const children = Array.from({ length: 3 }, () => child('decide', place.file, '20'));
    await Promise.all(children.map((one) => one.printed(1)));
    for (const one of children) one.release();
    expect(await Promise.all(children.map((one) => one.ended()))).toEqual([0, 0, 0]);
    const given = children.flatMap((one) => one.lines.slice(1).map(Number));
    expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(await storedIn(place.file)).toHaveLength(60);
  });

  test('that ask for the epoch at once: exactly one gets it', async () => {
    using place = ledgerPlace();
    const children = Array.from({ length: 3 }, () => child('take', place.file));
    await Promise.all(children.map((one) => one.printed(1)));
    for (const one of children) one.release();
    await Promise.all(children.map((one) => one.ended()));
    expect(children.map((one) => one.lines[1]).toSorted()).toEqual(['held 1', 'held 1', 'taken 1']);
  });

  test('a coordinator whose epoch was taken by another process writes nothing (F1, I10)', async () => {
    using place = ledgerPlace();
    await using first = await openSqliteLedger(place.file);
    const stale = await epochOf(first, 1);
    await using second = await openSqliteLedger(place.file);
    const current = await epochOf(second, 2);
    expect(await first.append('run', 0, [closed(0)], stale)).toEqual({ outcome: 'stale-epoch' });
    expect(await second.append('run', 0, [closed(1)], current)).toMatchObject({ outcome: 'appended' });
    expect((await appendedTo(first)).map(({ event }) => event)).toEqual([closed(1)]);
  });

  test('that keep the lock too long make writing unavailable, not lost; reading goes on', async () => {
    using place = ledgerPlace();
    await using ledger = await openSqliteLedger(place.file, { busyMs: 20 });
    {
      using other = new DatabaseSync(place.file);
      other.exec('begin immediate');
      await expect(ledger.request('repo', pause)).rejects.toThrow(LedgerUnavailable);
      expect(await appendedTo(ledger)).toEqual([]);
    }
    expect(await ledger.request('repo', pause)).toMatchObject({ seq: nthSeq(1) });
  });

  test('learn of an event within 50 ms', async () => {
    using place = ledgerPlace();
    await using ledger = await openSqliteLedger(place.file);
    await using listener = child('listen', place.file, `${nthSeq(0)}`);
    await listener.printed(1);
    const asked: number[] = [];
    for (let n = 1; n <= 60; n += 1) {
      asked.push(performance.timeOrigin + performance.now());
      await (n % 2 === 0 ? ledger.request('repo', pause) : ledger.appendDcm('s', (n - 1) / 2, [used(`${n}`)]));
      await listener.printed(n + 1);
    }
    const noticed = listener.lines.slice(1).map((line) => line.split(' ').map(Number));
    expect(noticed.map(([seq]) => seq)).toEqual(firstSeqs(60));
    const delays = noticed.map(([, at = 0], index) => at - (asked[index] ?? 0)).toSorted((a, b) => a - b);
    console.log(
      `from asking to notice elsewhere: median ${delays[30]?.toFixed(2)} ms, worst ${delays.at(-1)?.toFixed(2)} ms`,
    );
    expect(delays[30]).toBeLessThan(50);
  });
});

describe('a writer killed', () => {
  test('anywhere leaves every acknowledged event readable, without a gap (I1)', { timeout: 60_000 }, async () => {
    using place = ledgerPlace();
    const acknowledged: string[] = [];
    for (const lines of [1, 8, 21, 50]) {
      await using writer = child('append', place.file, '');
      await writer.printed(lines);
      writer.kill();
      expect(await writer.ended()).toBe('SIGKILL');
      acknowledged.push(...writer.lines);
      expect(await storedIn(place.file)).toEqual(expect.arrayContaining(acknowledged));
    }
  });

  test.each([
    ['ledger-before-commit#3', 6],
    ['ledger-after-commit#3', 9],
    ['ledger-after-head#3', 9],
  ])('at %s leaves a whole group or none of it', async (failpoint, events) => {
    using place = ledgerPlace();
    for (const round of [1, 2]) {
      await using writer = child('append', place.file, failpoint);
      expect(await writer.ended()).toBe('SIGKILL');
      expect(writer.lines).toHaveLength(6);
      const stored = await storedIn(place.file);
      expect(stored).toHaveLength(events * round);
      expect(stored).toEqual(expect.arrayContaining(writer.lines));
    }
  });

  test('between commit and head is made up for by the next commit of a process that had the ledger open', async () => {
    using place = ledgerPlace();
    await using ledger = await openSqliteLedger(place.file);
    const seen = collector<number>(4);
    await using _subscription = ledger.subscribe(nthSeq(0), ({ seq }) => seen.push(seq));
    await using writer = child('append', place.file, 'ledger-after-commit');
    await writer.ended();
    await ledger.request('repo', pause);
    expect(await seen.all).toEqual(firstSeqs(4));
    expect(await ledger.verify()).toMatchObject({ ok: true, events: nthSeq(4) });
  });

  test('while it held the epoch does not keep it', async () => {
    using place = ledgerPlace();
    await using writer = child('append', place.file, 'ledger-after-head#2');
    await writer.ended();
    await using ledger = await openSqliteLedger(place.file);
    expect(await ledger.takeEpoch(holder(9), dead)).toEqual({ outcome: 'taken', epoch: 2 });
  });
});

/** Opened anew, which verifies the chain. The opening is left out. */
async function storedIn(file: string): Promise<readonly string[]> {
  await using ledger = await openSqliteLedger(file);
  const stored = await appendedTo(ledger);
  expect(stored.map(({ seq }) => seq)).toEqual(firstSeqs(stored.length));
  return stored.map(({ seq, hash }) => `${seq} ${hash}`);
}
