import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { LedgerDamaged } from '../../../ports/ledger.ts';
import { openSqliteLedger } from './index.ts';
import { migrations } from './open.ts';

const next = [...migrations, 'create table note (text text not null) strict', "insert into note values ('moved')"];

test('an older ledger is brought forward once, with every event, and its old copy stays usable', async () => {
  using place = ledgerWithOneEvent();
  const old = await place.write();
  copyFileSync(place.file, place.copy);
  copyFileSync(`${place.file}.head`, `${place.copy}.head`);
  for (const _ of ['first', 'again']) {
    await using ledger = await openSqliteLedger(place.copy, { migrations: next });
    expect(await ledger.readAll(1)).toEqual([old]);
    expect(await ledger.verify()).toMatchObject({ ok: true, events: old.seq });
  }
  using db = new DatabaseSync(place.copy, { readOnly: true });
  expect(db.prepare('select text from note').all()).toEqual([{ text: 'moved' }]);
  expect(db.prepare('pragma user_version').get()).toEqual({ user_version: next.length });
  await using untouched = await openSqliteLedger(place.file);
  expect(await untouched.readAll(1)).toEqual([old]);
});

test('a newer ledger is refused by an older program', async () => {
  using place = ledgerWithOneEvent();
  await place.write(next);
  const refused = openSqliteLedger(place.file);
  await expect(refused).rejects.toThrow(LedgerDamaged);
  await expect(refused).rejects.toThrow(/schema version is 3, and this Tidegate knows only up to 1. .*newer Tidegate/);
});

test('a migration that fails leaves the older version as it was', async () => {
  using place = ledgerWithOneEvent();
  const old = await place.write();
  await expect(
    openSqliteLedger(place.file, { migrations: [...next, 'insert into nothing values (1)'] }),
  ).rejects.toThrow(/nothing/);
  await using ledger = await openSqliteLedger(place.file);
  expect(await ledger.readAll(1)).toEqual([old]);
});

function ledgerWithOneEvent() {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-schema-'));
  const file = join(directory, 'ledger.db');
  return {
    file,
    copy: join(directory, 'copy.db'),
    write: async (steps = migrations) => {
      await using ledger = await openSqliteLedger(file, { migrations: steps });
      return ledger.request('repo', { type: 'requested-pause', by: { who: 'ann', via: 'command' } });
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
