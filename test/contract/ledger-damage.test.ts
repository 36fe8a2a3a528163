import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { LedgerDamaged, type Stored } from '../../src/ports/ledger.ts';
import { failure } from '../support/findings.ts';
import { child, closed, epochOf, ledgerPlace, nthSeq } from './ledger-support.ts';

/** Two ledgers to damage copies of: one closed cleanly, one whose writer was killed and whose events are in the WAL. */
let clean: ReturnType<typeof ledgerPlace>;
let killed: ReturnType<typeof ledgerPlace>;
let events: readonly Stored[];

beforeAll(async () => {
  clean = ledgerPlace();
  killed = ledgerPlace();
  await using ledger = await openSqliteLedger(clean.file);
  const epoch = await epochOf(ledger);
  for (let wave = 0; wave < 80; wave += 1)
    await ledger.append(
      `run-${wave % 3}`,
      Math.floor(wave / 3),
      [{ type: 'run-halted', because: failure('x'.repeat(wave * 9)) }],
      epoch,
    );
  events = await ledger.readAll();
  await using writer = child('append', killed.file, 'ledger-after-head#4');
  await writer.ended();
});
afterAll(() => {
  clean[Symbol.dispose]();
  killed[Symbol.dispose]();
});

describe('a ledger is refused by name and left as it is', () => {
  test.each<[string, () => typeof clean, (file: string) => void, RegExp]>([
    ['when it is missing and its head is there', () => clean, (file) => rmSync(file), /missing, but .*\.head is there/],
    ['when it is empty', () => clean, (file) => truncateSync(file), /empty file/],
    ['when it is cut in half', () => clean, (file) => truncateSync(file, 4096 * 6), /./],
    ['when it is not a database', () => clean, (file) => writeFileSync(file, 'hello'.repeat(1000)), /not a database/],
    ['when it is a database of something else', () => clean, makeForeign, /not a ledger of Tidegate/],
    [
      'when its WAL was deleted',
      () => killed,
      (file) => rmSync(`${file}-wal`),
      /ends at seq 1, but its head is at seq \d+|epoch/,
    ],
    ['when its WAL was truncated', () => killed, (file) => truncateSync(`${file}-wal`, 4096 * 7), /head is at/],
    ['when it and its head are gone but not its WAL', () => killed, removeAllButWal, /missing, but .*-wal is there/],
    ['when its head is gone', () => clean, (file) => rmSync(`${file}.head`), /head .* is missing/],
    ['when its head is unreadable', () => clean, (file) => truncateSync(`${file}.head`), /head .* is unreadable/],
    [
      'when its head is of another ledger',
      () => clean,
      takeHeadOf(() => killed.file),
      /not the event that its head names|chain/,
    ],
    [
      'when its schema is newer than ours',
      () => clean,
      (file) => edit(file, 'pragma user_version = 99'),
      /schema version is 99/,
    ],
    [
      'when its tables were altered',
      () => clean,
      (file) => edit(file, 'drop trigger event_is_never_removed'),
      /its tables/,
    ],
  ])('%s', async (_, source, damage, problem) => {
    using place = copyOf(source());
    damage(place.file);
    const before = contents(place.directory);
    const refused = await openSqliteLedger(place.file).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(LedgerDamaged);
    expect(refused).toMatchObject({
      file: place.file,
      problem: expect.stringMatching(problem),
      fix: expect.stringContaining('Nothing was changed'),
    });
    expect(
      [...contents(place.directory).keys()].filter((name) => !before.has(name) && !/-(wal|shm)$/.test(name)),
    ).toEqual([]);
    expect(contents(place.directory).get('ledger.db.head')).toEqual(before.get('ledger.db.head'));
  });

  test('when an older copy was put in its place, with or without a newer WAL', async () => {
    using place = ledgerPlace();
    using older = ledgerPlace();
    {
      await using ledger = await openSqliteLedger(place.file);
      await ledger.append('run', 0, [closed(0)], await epochOf(ledger));
    }
    copyFileSync(place.file, older.file);
    {
      await using ledger = await openSqliteLedger(place.file);
      await ledger.append('run', 1, [closed(1)], await epochOf(ledger));
    }
    copyFileSync(older.file, place.file);
    await expect(openSqliteLedger(place.file)).rejects.toThrow(
      `ends at seq ${nthSeq(1)}, but its head is at seq ${nthSeq(2)}`,
    );
  });

  test('when its epoch went back though no event is missing', async () => {
    using place = copyOf(clean);
    {
      await using ledger = await openSqliteLedger(place.file);
      await epochOf(ledger);
    }
    copyFileSync(clean.file, place.file);
    await expect(openSqliteLedger(place.file)).rejects.toThrow(/its epoch is 1, but its head is at epoch 2/);
  });

  test('when what was committed after its head does not follow from it, also without a walk of the whole chain', async () => {
    using place = ledgerPlace();
    await using writer = child('append', place.file, 'ledger-after-commit#2');
    await writer.ended();
    const trigger = 'create trigger event_is_never_changed before update on event begin';
    edit(place.file, `drop trigger event_is_never_changed; update event set at = '' where seq = ${nthSeq(5)}`);
    edit(place.file, `${trigger} select raise(abort, 'events are never changed'); end;`);
    await expect(openSqliteLedger(place.file, { check: 'head' })).rejects.toThrow(
      `seq ${nthSeq(5)}: its hash does not match`,
    );
  });

  test.each([1, 2])('never when only slot %i of its head is damaged', async (slot) => {
    using place = copyOf(clean);
    flip(`${place.file}.head`, (slot - 1) * 4096 + 40);
    await using ledger = await openSqliteLedger(place.file);
    expect(await ledger.readAll()).toEqual(events);
  });
});

describe('one changed byte', () => {
  test.each<[string, () => typeof clean, string, number]>([
    ['the database', () => clean, '', 211],
    ['the WAL', () => killed, '-wal', 499],
    ['the head', () => clean, '.head', 211],
  ])('anywhere in %s is refused or changes nothing', { timeout: 120_000 }, async (_, source, suffix, stride) => {
    const whole = await readCopy(source());
    const { length } = readFileSync(source().file + suffix);
    let refused = 0;
    for (let offset = 0; offset < length; offset += offset < 100 ? 1 : stride) {
      using place = copyOf(source());
      flip(place.file + suffix, offset);
      const found = await readFileOrRefusal(place.file);
      if (found instanceof LedgerDamaged) refused += 1;
      else expect({ offset, found }).toEqual({ offset, found: whole });
    }
    console.log(
      `${refused} of the bytes tried in ${source().file.split('/').at(-1)}${suffix} (${length} bytes) were refused`,
    );
    if (suffix !== '.head') expect(refused).toBeGreaterThan(10);
  });
});

function copyOf(source: { readonly directory: string }): ReturnType<typeof ledgerPlace> {
  const place = ledgerPlace();
  for (const name of readdirSync(source.directory))
    copyFileSync(join(source.directory, name), join(place.directory, name));
  return place;
}

async function readCopy(source: { readonly directory: string }): Promise<unknown> {
  using place = copyOf(source);
  return readFileOrRefusal(place.file);
}

async function readFileOrRefusal(file: string): Promise<unknown> {
  try {
    await using ledger = await openSqliteLedger(file);
    const streams = await ledger.streams();
    return {
      all: await ledger.readAll(),
      each: await Promise.all(streams.map((stream) => ledger.read(stream))),
      holder: await ledger.holder(),
    };
  } catch (error) {
    if (error instanceof LedgerDamaged) return error;
    throw error;
  }
}

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 0x15, offset);
  writeFileSync(path, bytes);
}

function edit(file: string, sql: string): void {
  using db = new DatabaseSync(file);
  db.exec(sql);
}

function makeForeign(file: string): void {
  rmSync(file);
  edit(file, 'create table note (text text)');
}

function removeAllButWal(file: string): void {
  for (const name of [file, `${file}.head`, `${file}-shm`]) rmSync(name, { force: true });
}

const takeHeadOf = (other: () => string) => (file: string) => {
  copyFileSync(`${other()}.head`, `${file}.head`);
};

const contents = (directory: string): Map<string, Buffer> =>
  new Map(
    readdirSync(directory)
      .filter((name) => existsSync(join(directory, name)))
      .map((name) => [name, readFileSync(join(directory, name))]),
  );
