import { DatabaseSync } from 'node:sqlite';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { place } from '../repository.ts';
import { inTurns, type Row } from './row.ts';

/** Durable appends, one after the other and many at a time, beside plain rows with one flushed transaction each. */
export async function ledgerRows(count: number, rounds: number): Promise<readonly Row[]> {
  using here = place();
  await using ledger = await openSqliteLedger(`${here.root}/ledger.db`);
  using plain = plainTable(`${here.root}/plain.db`);
  const request = () =>
    ledger.request('bench', { type: 'requested-pause', by: { who: 'x'.repeat(100), via: 'command' } });
  const oneByOne = async () => {
    for (let index = 0; index < count; index += 1) await request();
  };
  const together = () => Promise.all(Array.from({ length: count }, request));
  const inserts = async () => {
    for (let index = 0; index < count; index += 1) plain.insert();
  };
  const alone = await inTurns(rounds, oneByOne, inserts);
  const grouped = await inTurns(rounds, together, inserts);
  const rate = (ms: number) => (count * 1000) / ms;
  const beside = 'plain SQLite row, WAL, FULL';
  return [
    { name: 'ledger append, one by one', ours: rate(alone.ours), beside, theirs: rate(alone.theirs), unit: '/s' },
    {
      name: `ledger append, ${count} at a time`,
      ours: rate(grouped.ours),
      beside,
      theirs: rate(grouped.theirs),
      unit: '/s',
    },
  ];
}

function plainTable(path: string) {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (body TEXT NOT NULL)');
  const statement = database.prepare('INSERT INTO event VALUES (?)');
  const body = 'x'.repeat(250);
  return { insert: () => statement.run(body), [Symbol.dispose]: () => database.close() };
}
