import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import type { Verification } from '../../src/ports/ledger.ts';
import { failure } from '../support/findings.ts';
import { closed, epochOf, ledgerPlace, nthSeq, pause } from './ledger-support.ts';

const appended = 12;
/** With the opening. */
const count = nthSeq(appended);
let source: ReturnType<typeof ledgerPlace>;

beforeAll(async () => {
  source = ledgerPlace();
  await using ledger = await openSqliteLedger(source.file);
  const epoch = await epochOf(ledger);
  for (let n = 0; n < appended; n += 4) {
    await ledger.append('run-a', n / 2, [closed(n), { type: 'run-halted', because: failure('voll: ä \ufffd') }], epoch);
    await ledger.append('run-b', n / 2, [closed(n)], epoch);
    await ledger.request('run-b', pause);
  }
});
afterAll(() => source[Symbol.dispose]());

describe('verify', () => {
  test('finds any changed byte of any stored column, and names the event', async () => {
    const columns = ['stream', 'position', 'epoch', 'at', 'body', 'hash'] as const;
    const change = fc.record({
      seq: fc.integer({ min: 1, max: count }),
      column: fc.constantFrom(...columns),
      where: fc.nat(),
      mask: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ seq, column, where, mask }) => {
        const verified = await verifyAfter((db) => {
          if (column === 'position' || column === 'epoch')
            db.prepare(`update event set ${column} = ${column} + ? where seq = ?`).run(mask * 1000, seq);
          // A stream becomes none that exists: two events at one position are refused by the table already.
          else changeByte(db, { seq, column, where, mask: column === 'stream' ? mask | 0x80 : mask });
        });
        expect(verified).toMatchObject({ ok: false, seq });
      }),
      { numRuns: 150 },
    );
  });

  test('finds any removed event', async () => {
    for (let seq = 1; seq <= count; seq += 1)
      expect(await verifyAfter((db) => db.prepare('delete from event where seq = ?').run(seq))).toMatchObject({
        ok: false,
        seq,
      });
  });

  test('finds removed events though the others were moved up', async () => {
    for (let seq = 1; seq <= count; seq += 1) {
      const verified = await verifyAfter((db) => {
        db.prepare('delete from event where seq = ?').run(seq);
        db.prepare('update event set seq = -seq where seq > ?').run(seq);
        db.exec('update event set seq = -seq - 1 where seq < 0');
      });
      expect(verified).toMatchObject({ ok: false, seq });
    }
  });

  test('finds any two events that changed places', async () => {
    const pair = fc
      .tuple(fc.integer({ min: 1, max: count }), fc.integer({ min: 1, max: count }))
      .filter(([a, b]) => a < b);
    await fc.assert(
      fc.asyncProperty(pair, async ([a, b]) => {
        const verified = await verifyAfter((db) => {
          const move = db.prepare('update event set seq = ? where seq = ?');
          move.run(-1, a);
          move.run(a, b);
          move.run(b, -1);
        });
        expect(verified).toMatchObject({ ok: false, seq: a });
      }),
      { numRuns: 40 },
    );
  });

  test('finds a ledger cut off at any event', async () => {
    for (let last = 0; last < count; last += 1) {
      const verified = await verifyAfter((db) => db.prepare('delete from event where seq > ?').run(last));
      expect(verified).toEqual({
        ok: false,
        seq: last + 1,
        problem: `the ledger ends at seq ${last}, but its head is at ${count}`,
      });
    }
  });

  test('finds an epoch that was set back or forged', async () => {
    expect(await verifyAfter((db) => db.exec('delete from epoch'))).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/epoch is 0/),
    });
    expect(await verifyAfter((db) => db.exec('update epoch set epoch = 7'))).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/checksum/),
    });
  });

  test('cannot be made to lie by SQL that changes or removes events', async () => {
    using place = copy();
    using db = new DatabaseSync(place.file);
    expect(() => db.exec("update event set body = '{}'")).toThrow(/never changed/);
    expect(() => db.exec('delete from event')).toThrow(/never removed/);
  });
});

/** Opens a copy, changes it behind the ledger's back, and asks the ledger that was open all the time. */
async function verifyAfter(change: (db: DatabaseSync) => unknown): Promise<Verification> {
  using place = copy();
  await using ledger = await openSqliteLedger(place.file);
  {
    using db = new DatabaseSync(place.file);
    db.exec('drop trigger event_is_never_changed; drop trigger event_is_never_removed');
    change(db);
  }
  return ledger.verify();
}

function changeByte(db: DatabaseSync, at: { seq: number; column: string; where: number; mask: number }): void {
  const row = db.prepare(`select cast(${at.column} as blob) as bytes from event where seq = ?`).get(at.seq);
  const bytes = Buffer.from(row?.['bytes'] as Uint8Array);
  const offset = at.where % bytes.length;
  bytes.writeUInt8(bytes.readUInt8(offset) ^ at.mask, offset);
  db.prepare(`update event set ${at.column} = cast(? as text) where seq = ?`).run(bytes, at.seq);
}

function copy(): ReturnType<typeof ledgerPlace> {
  const place = ledgerPlace();
  for (const suffix of ['', '.head']) copyFileSync(source.file + suffix, place.file + suffix);
  return place;
}
