import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { LedgerUnavailable } from '../../../ports/ledger.ts';
import { groupCommit } from './group-commit.ts';

describe('what is asked for in one turn', () => {
  test('is committed once, and each gets its own answer', async () => {
    const { group, insert, log } = writer();
    expect(await Promise.all([group.run(() => insert('a')), group.run(() => 7)])).toEqual(['a', 7]);
    await group.run(() => insert('b'));
    expect(log).toEqual(['head', 'told', 'head', 'told']);
  });

  test('is undone alone where it throws, half-written or not', async () => {
    const { group, insert, stored } = writer();
    const settled = await Promise.allSettled([
      group.run(() => insert('a')),
      group.run(() => [insert('b'), insert('c'), insert('a')]),
      group.run(() => insert('d')),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual(['a', 'd']);
  });

  test('is told unavailable, but not forgotten, when the head cannot be written after the commit', async () => {
    const full = Object.assign(new Error('ENOSPC'), { syscall: 'write' });
    const { group, insert, stored, log } = writer(() => {
      throw full;
    });
    await expect(group.run(() => insert('a'))).rejects.toThrow(LedgerUnavailable);
    expect([stored(), log]).toEqual([['a'], ['told']]);
  });
});

test('a closed ledger takes nothing', async () => {
  const { group, insert, db } = writer();
  db.close();
  await expect(group.run(() => insert('a'))).rejects.toThrow(/is closed/);
});

function writer(recordHead?: () => void) {
  const db = new DatabaseSync(':memory:');
  db.exec('create table t (name text primary key) strict');
  const log: string[] = [];
  const group = groupCommit(db, {
    file: 'ledger.db',
    recordHead: recordHead ?? (() => log.push('head')),
    committed: () => log.push('told'),
  });
  const insert = (name: string): string => {
    db.prepare('insert into t values (?)').run(name);
    return name;
  };
  const stored = () =>
    db
      .prepare('select name from t order by name')
      .all()
      .map((row) => row['name']);
  return { db, group, insert, stored, log };
}
