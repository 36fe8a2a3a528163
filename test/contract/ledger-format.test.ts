import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/ledger/chain.ts';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { createDatabase, headFile, ledgerStatements, migrations } from '../../src/adapters/ledger/sqlite/open.ts';
import { genesis, linkHash } from '../../src/domain/ledger/chain.ts';
import { opening } from '../../src/domain/ledger/event-format.ts';
import { LedgerDamaged } from '../../src/ports/ledger.ts';
import { appendedTo, child, closed, dead, epochOf, holder, ledgerPlace, nthSeq, pause } from './ledger-support.ts';

const useOther = 'Nothing was changed. Use the Tidegate that wrote it, or move the ledger and its head away';
const useNewer = 'Nothing was changed. Use the newer Tidegate that wrote it';
const format2 = '{"format":2,"hashing":"sha256-link-1","type":"ledger-opened","v":1}';
const paused = '{"by":{"via":"command","who":"ann"},"type":"requested-pause","v":1}';

describe('a ledger that another version wrote is refused in one message, and not one byte of it changes:', () => {
  test.each([
    [
      'format 1, which had no opening',
      ['{"by":{"via":"command","who":"ann"},"type":"requested-pause"}', '{"type":"wave-closed","wave":0}'],
      `its format is 1, and this Tidegate reads only format 2. ${useOther}`,
    ],
    [
      'format 3',
      [format2.replace('2', '3'), '{"what":"ever"}'],
      `its format is 3, and this Tidegate reads only format 2. ${useOther}`,
    ],
    [
      'another hash rule',
      [format2.replace('sha256-link-1', 'blake3')],
      `its hash rule is "blake3", and this Tidegate knows only sha256-link-1. ${useOther}`,
    ],
    [
      'a newer version of a type',
      [format2, paused, '{"type":"wave-closed","v":2,"waves":[0]}'],
      `seq 3 is wave-closed of version 2, which a newer Tidegate wrote. ${useNewer}`,
    ],
    [
      'a type that is not known',
      [format2, '{"type":"wave-folded","v":1}'],
      `seq 2 is wave-folded of version 1, which a newer Tidegate wrote. ${useNewer}`,
    ],
  ])('%s', async (_, bodies, message) => {
    using place = ledgerPlace();
    write(place.file, bodies);
    const before = contents(place.directory);
    const refused = await openSqliteLedger(place.file).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LedgerDamaged);
    expect(refused).toMatchObject({ message: `the ledger ${place.file} is refused: ${message}` });
    expect(contents(place.directory)).toEqual(before);
  });

  test('also one that is only looked at, as soon as the event is read', async () => {
    using place = ledgerPlace();
    write(place.file, [format2, paused, '{"type":"wave-closed","v":2}']);
    const before = contents(place.directory);
    {
      await using ledger = await openSqliteLedger(place.file, { check: 'head' });
      expect(await ledger.readAll(1, 1)).toMatchObject([{ event: pause }]);
      await expect(ledger.readAll()).rejects.toThrow(`which a newer Tidegate wrote. ${useNewer}`);
    }
    expect(contents(place.directory)).toEqual(before);
  });
});

test('a ledger with requests of a newer Tidegate is used: they wait to be refused', async () => {
  using place = ledgerPlace();
  write(place.file, [format2, '{"type":"requested-moon","v":1}', '{"type":"requested-pause","v":2}']);
  await using ledger = await openSqliteLedger(place.file);
  expect((await appendedTo(ledger)).map(({ event }) => event)).toEqual([
    { type: 'requested-moon' },
    { type: 'requested-pause@2' },
  ]);
  await ledger.request('repo', pause);
  expect(await ledger.verify()).toMatchObject({ ok: true, events: 4 });
});

describe('a ledger whose first event', () => {
  test.each([
    ['is gone', (file: string) => write(file, []), /it has no first event/],
    ['was changed', (file: string) => write(file, [format2], { changed: true }), /seq 1: its hash does not match/],
    [
      'was changed beyond recognition',
      (file: string) => write(file, ['{"typ'], { changed: true }),
      /seq 1: its hash does not match/,
    ],
  ])('%s is damaged, and of no other format', async (_, make, problem) => {
    using place = ledgerPlace();
    make(place.file);
    const refused = openSqliteLedger(place.file);
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.toThrow(/Restore .* together from one backup/);
  });
});

describe('a process killed between making the database and its head', () => {
  test('leaves a ledger that opens with nothing but its opening, and goes on', async () => {
    using place = ledgerPlace();
    await using maker = child('make', place.file);
    expect(await maker.ended()).toBe('SIGKILL');
    expect(readdirSync(place.directory)).toEqual(['ledger.db']);
    for (const events of [1, 2]) {
      await using ledger = await openSqliteLedger(place.file);
      expect((await ledger.readAll()).map(({ event }) => event)).toEqual([opening, pause].slice(0, events));
      expect(existsSync(`${place.file}.head`)).toBe(true);
      await ledger.request('repo', pause);
      expect(await ledger.verify()).toMatchObject({ ok: true, events: events + 1 });
    }
  });

  test.each([
    ['event', async (file: string) => void (await withLedger(file, (ledger) => ledger.request('repo', pause)))],
    ['epoch', async (file: string) => void (await withLedger(file, (ledger) => ledger.takeEpoch(holder(1), dead)))],
  ])('is not what a ledger with one more %s and no head has been through', async (_, use) => {
    using place = ledgerPlace();
    await use(place.file);
    rmSync(`${place.file}.head`);
    await expect(openSqliteLedger(place.file)).rejects.toThrow(/its head .* is missing/);
  });
});

test('events keep the version of their type where people do not see it', async () => {
  using place = ledgerPlace();
  await withLedger(place.file, async (ledger) => ledger.append('run', 0, [closed(0)], await epochOf(ledger)));
  using db = new DatabaseSync(place.file, { readOnly: true });
  expect(db.prepare('select body from event where seq = ?').get(nthSeq(1))).toEqual({
    body: '{"type":"wave-closed","v":1,"wave":0}',
  });
});

async function withLedger<T>(
  file: string,
  work: (ledger: Awaited<ReturnType<typeof openSqliteLedger>>) => Promise<T>,
): Promise<T> {
  await using ledger = await openSqliteLedger(file);
  return await work(ledger);
}

/** A ledger of these bodies with a right chain and head, as any version may have written it; `changed`: the first, after it was hashed. */
function write(file: string, bodies: readonly string[], { changed = false } = {}): void {
  createDatabase(file, migrations, '');
  using db = new DatabaseSync(file);
  const trigger = String(
    db.prepare("select sql from sqlite_schema where name = 'event_is_never_removed'").get()?.['sql'],
  );
  db.exec(`drop trigger event_is_never_removed; delete from event; ${trigger}`);
  let tip = genesis;
  for (const [at, body] of bodies.entries()) {
    const record = { seq: at + 1, stream: 'repo', position: at + 1, epoch: 0, at: '2026-01-01T00:00:00.000Z', body };
    tip = { seq: record.seq, hash: linkHash(sha256, tip.hash, record) };
    ledgerStatements(db).insert({ ...record, at: changed && at === 0 ? '' : record.at, hash: tip.hash });
  }
  headFile(`${file}.head`).create({ ...tip, epoch: 0 });
}

const contents = (directory: string) =>
  new Map(
    readdirSync(directory).map((name) => {
      const path = join(directory, name);
      return [name, [sha256(readFileSync(path, 'latin1')), statSync(path).mtimeMs]];
    }),
  );
