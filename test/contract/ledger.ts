import { describe, expect, test } from 'vitest';
import type { DcmEvent } from '../../src/domain/ledger/dcm-events.ts';
import { opening } from '../../src/domain/ledger/event-format.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import type { RequestEvent } from '../../src/domain/ledger/requests.ts';
import { dcmStream, type Ledger, type Stored } from '../../src/ports/ledger.ts';
import { failure } from '../support/findings.ts';
import {
  alive,
  appendedTo,
  closed,
  collector,
  dead,
  epochOf,
  firstSeqs,
  holder,
  nthSeq,
  pause,
  used,
} from './ledger-support.ts';

/** What every ledger must do. Each adapter runs this same suite. */
export function describeLedger(name: string, open: () => Promise<Ledger>): void {
  describe(`${name} ledger`, () => {
    describe('stores', () => {
      test('its opening before anything else, and only once', async () => {
        await using ledger = await open();
        expect(
          (await ledger.readAll()).map(({ seq, stream, position, epoch, event }) => [
            seq,
            stream,
            position,
            epoch,
            event,
          ]),
        ).toEqual([[1, 'repo', 1, 0, opening]]);
        expect([await ledger.head(), await ledger.streams()]).toEqual([1, ['repo']]);
        await ledger.append('repo', 1, [closed(0)], await epochOf(ledger));
        expect((await ledger.read('repo')).map(({ event }) => event)).toEqual([opening, closed(0)]);
      });

      test('what was appended, in order, with seq from that of the opening and position from 1', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        await ledger.append('run-a', 0, [closed(0), closed(1)], epoch);
        await ledger.append('run-b', 0, [closed(7)], epoch);
        await ledger.append('run-a', 2, [closed(2)], epoch);
        expect(
          (await appendedTo(ledger)).map(({ seq, stream, position, event }) => [seq, stream, position, event]),
        ).toEqual([
          [nthSeq(1), 'run-a', 1, closed(0)],
          [nthSeq(2), 'run-a', 2, closed(1)],
          [nthSeq(3), 'run-b', 1, closed(7)],
          [nthSeq(4), 'run-a', 3, closed(2)],
        ]);
        const seqs = (stored: readonly Stored[]) => stored.map(({ seq }) => seq);
        expect(seqs(await ledger.read('run-a', 1))).toEqual([nthSeq(2), nthSeq(4)]);
        expect(seqs(await ledger.readAll(nthSeq(2)))).toEqual([nthSeq(3), nthSeq(4)]);
        expect(seqs(await ledger.readAll(nthSeq(1), 2))).toEqual([nthSeq(2), nthSeq(3)]);
        expect(await ledger.head()).toBe(nthSeq(4));
        expect(await ledger.streams()).toEqual(['repo', 'run-a', 'run-b']);
      });

      test('and acknowledges exactly what can be read', async () => {
        await using ledger = await open();
        const outcome = await ledger.append('run', 0, [closed(0), closed(1)], await epochOf(ledger));
        expect(outcome).toEqual({ outcome: 'appended', stored: await ledger.read('run') });
      });

      test('any text unchanged', async () => {
        await using ledger = await open();
        const event: LedgerEvent = {
          type: 'round-abandoned',
          wave: 0,
          round: 1,
          because: failure('ä\u0000"\\\u2028😀\ud800\ufffd\u007f'),
        };
        await ledger.append('run', 0, [event], await epochOf(ledger));
        expect((await ledger.read('run'))[0]?.event).toEqual(event);
        expect(await ledger.verify()).toMatchObject({ ok: true });
      });

      test('requests of anyone, without an epoch', async () => {
        await using ledger = await open();
        const stored = await ledger.request('run', pause);
        expect(stored).toMatchObject({ seq: nthSeq(1), position: 1, epoch: 0, event: pause });
        expect(await ledger.read('run')).toEqual([stored]);
      });

      test('only requests that way', async () => {
        await using ledger = await open();
        await expect(ledger.request('run', closed(0) as unknown as RequestEvent)).rejects.toThrow(TypeError);
        expect(await appendedTo(ledger)).toEqual([]);
      });
    });

    describe('lets anyone who knows all of a session append to it', () => {
      const stream = dcmStream('s');

      test('without an epoch, whoever holds it, and in one chain with all else', async () => {
        await using ledger = await open();
        const first = await ledger.appendDcm('s', 0, [used('a'), used('b')]);
        await ledger.append('run', 0, [closed(0)], await epochOf(ledger));
        await ledger.appendDcm('s', 2, [used('c')]);
        const stored = await ledger.read(stream);
        expect(stored.map(({ seq, position, epoch, event }) => [seq, position, epoch, event])).toEqual([
          [nthSeq(1), 1, 0, used('a')],
          [nthSeq(2), 2, 0, used('b')],
          [nthSeq(4), 3, 0, used('c')],
        ]);
        expect(first).toEqual({ outcome: 'appended', stored: stored.slice(0, 2) });
        expect(await ledger.verify()).toMatchObject({ ok: true, events: nthSeq(4) });
      });

      test('but not to one that has other events by now', async () => {
        await using ledger = await open();
        const outcomes = await Promise.all([
          ledger.appendDcm('s', 0, [used('a')]),
          ledger.appendDcm('s', 0, [used('b')]),
          ledger.appendDcm('t', 0, [used('c')]),
          ledger.request('run', pause),
        ]);
        expect(outcomes.map((one) => ('outcome' in one ? one.outcome : one.seq))).toEqual([
          'appended',
          'conflict',
          'appended',
          nthSeq(3),
        ]);
        expect((await appendedTo(ledger)).map(({ event }) => event)).toEqual([used('a'), used('c'), pause]);
      });

      test('and nothing else that way', async () => {
        await using ledger = await open();
        for (const event of [closed(0), pause])
          await expect(ledger.appendDcm('s', 0, [used('a'), event as DcmEvent])).rejects.toThrow(TypeError);
        await expect(ledger.appendDcm('a b', 0, [used('a')])).rejects.toThrow(TypeError);
        expect(await appendedTo(ledger)).toEqual([]);
      });
    });

    describe('refuses', () => {
      test('one of two writers with the same view', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        const outcomes = await Promise.all([
          ledger.append('run', 0, [closed(0)], epoch),
          ledger.append('run', 0, [closed(1)], epoch),
        ]);
        expect(outcomes.map(({ outcome }) => outcome)).toEqual(['appended', 'conflict']);
        expect((await ledger.read('run')).map(({ event }) => event)).toEqual([closed(0)]);
      });

      test('a writer who has not seen a request', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        await ledger.request('run', pause);
        expect(await ledger.append('run', 0, [closed(0)], epoch)).toEqual({ outcome: 'conflict' });
      });

      test('a stale epoch, and writes nothing (I10)', async () => {
        await using ledger = await open();
        const old = await epochOf(ledger, 1);
        const current = await epochOf(ledger, 2);
        expect(await ledger.append('run', 0, [closed(0)], old)).toEqual({ outcome: 'stale-epoch' });
        expect(await ledger.append('run', 0, [closed(0)], current + 1)).toEqual({ outcome: 'stale-epoch' });
        expect(await appendedTo(ledger)).toEqual([]);
        expect(await ledger.append('run', 0, [closed(0)], current)).toMatchObject({ outcome: 'appended' });
      });

      test('every append while nobody holds the epoch', async () => {
        await using ledger = await open();
        expect(await ledger.append('run', 0, [closed(0)], 0)).toEqual({ outcome: 'stale-epoch' });
        const epoch = await epochOf(ledger);
        await ledger.releaseEpoch(epoch);
        expect(await ledger.append('run', 0, [closed(0)], epoch)).toEqual({ outcome: 'stale-epoch' });
      });

      test('what it cannot store, without harm to what was appended beside it', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        const broken = { type: 'wave-closed', wave: 1n } as unknown as LedgerEvent;
        const outcomes = await Promise.allSettled([
          ledger.append('run', 0, [closed(0)], epoch),
          ledger.append('run', 1, [closed(1), broken], epoch),
          ledger.append('run', 1, [closed(2)], epoch),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((await ledger.read('run')).map(({ event }) => event)).toEqual([closed(0), closed(2)]);
      });
    });

    describe('gives the epoch', () => {
      test('to one of two who ask at once', async () => {
        await using ledger = await open();
        const outcomes = await Promise.all([ledger.takeEpoch(holder(1), alive), ledger.takeEpoch(holder(2), alive)]);
        expect(outcomes).toEqual([
          { outcome: 'taken', epoch: 1 },
          { outcome: 'held', by: holder(1), epoch: 1 },
        ]);
        expect(await ledger.holder()).toEqual({ holder: holder(1), epoch: 1 });
      });

      test('to the next when the holder is dead or gave it up, never the same number twice', async () => {
        await using ledger = await open();
        await ledger.takeEpoch(holder(1), alive);
        expect(await ledger.takeEpoch(holder(2), dead)).toEqual({ outcome: 'taken', epoch: 2 });
        await ledger.releaseEpoch(1);
        expect(await ledger.holder()).toEqual({ holder: holder(2), epoch: 2 });
        await ledger.releaseEpoch(2);
        expect(await ledger.holder()).toBeNull();
        expect(await ledger.takeEpoch(holder(3), alive)).toEqual({ outcome: 'taken', epoch: 3 });
      });

      test('to nobody when the question whether the holder lives fails', async () => {
        await using ledger = await open();
        await ledger.takeEpoch(holder(1), alive);
        const unknown = () => {
          throw new Error('cannot tell');
        };
        const [beside, taken, after] = await Promise.allSettled([
          ledger.append('run', 0, [closed(0)], 1),
          ledger.takeEpoch(holder(2), unknown),
          ledger.append('run', 1, [closed(1)], 1),
        ]);
        expect([beside.status, taken.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await ledger.read('run')).toHaveLength(2);
        expect(await ledger.holder()).toEqual({ holder: holder(1), epoch: 1 });
      });
    });

    describe('tells subscribers', () => {
      test('of past and new events, in order, each once', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        await ledger.append('run', 0, [closed(0), closed(1), closed(2)], epoch);
        const seen = collector<Stored>(4);
        await using _subscription = ledger.subscribe(nthSeq(1), seen.push);
        await Promise.all([ledger.append('run', 3, [closed(3)], epoch), ledger.request('other', pause)]);
        expect(await seen.all).toEqual(await ledger.readAll(nthSeq(1)));
      });

      test('who append while they listen', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        const seen = collector<number>(5);
        await using _subscription = ledger.subscribe(nthSeq(0), ({ seq, position }) => {
          seen.push(seq);
          if (position < 5) void ledger.append('run', position, [closed(position)], epoch);
        });
        await ledger.append('run', 0, [closed(0)], epoch);
        expect(await seen.all).toEqual(firstSeqs(5));
      });

      test('nothing after they left, even in the middle of a batch', async () => {
        await using ledger = await open();
        const epoch = await epochOf(ledger);
        const seen: number[] = [];
        const leaving = ledger.subscribe(nthSeq(0), ({ seq }) => {
          seen.push(seq);
          if (seq === nthSeq(2)) void leaving[Symbol.asyncDispose]();
        });
        const others = collector<number>(3);
        await using _subscription = ledger.subscribe(nthSeq(0), ({ seq }) => others.push(seq));
        await ledger.append('run', 0, [closed(0), closed(1), closed(2)], epoch);
        await others.all;
        expect(seen).toEqual(firstSeqs(2));
      });
    });

    test('verifies', async () => {
      await using ledger = await open();
      expect(await ledger.verify()).toMatchObject({ ok: true, events: nthSeq(0) });
      await ledger.append('run', 0, [closed(0), closed(1)], await epochOf(ledger));
      const last = (await ledger.readAll()).at(-1);
      expect(await ledger.verify()).toEqual({ ok: true, events: nthSeq(2), head: last?.hash });
    });
  });
}
