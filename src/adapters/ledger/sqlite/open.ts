import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { walkChain } from '../../../domain/ledger/chain.ts';
import { LedgerDamaged } from '../../../ports/ledger.ts';
import { openingProblem, sha256 } from '../chain.ts';
import { inOneLine, isMalformed, restoreBoth } from './errors.ts';
import { type HeadFile, headFile } from './head.ts';
import { ledgerStatements, type Rows } from './rows.ts';
import { createDatabase, migrate, syncFile } from './schema.ts';

export type Opened = { readonly db: DatabaseSync; readonly rows: Rows; readonly head: HeadFile };

/** Opens the ledger, or makes one where there has never been any. A lost, foreign or shortened one is refused by name. */
export function openDatabase(
  file: string,
  how: { readonly busyMs: number; readonly migrations: readonly string[]; readonly now: () => Date },
): Opened {
  const head = headFile(`${file}.head`);
  if (isNew(file, head)) createDatabase(file, how.migrations, how.now().toISOString());
  const db = connect(file, how.busyMs);
  try {
    const rows = inWriteLock(db, () => {
      migrate(db, file, how.migrations);
      const rows = ledgerStatements(db);
      refuseForeign(file, rows);
      reconcile(file, rows, head);
      return rows;
    });
    return { db, rows, head };
  } catch (error) {
    db.close();
    throw error;
  }
}

function refuseForeign(file: string, rows: Rows): void {
  const found = openingProblem(rows.after(0, 1)[0]);
  if (found === null) return;
  throw new LedgerDamaged(file, found.problem, found.kind === 'damage' ? restoreBoth(file) : useOther);
}

const useOther = 'Nothing was changed. Use the Tidegate that wrote it, or move the ledger and its head away';

/** Runs `work` while no other process can commit or write the head. */
export function inWriteLock<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate');
  try {
    const value = work();
    db.exec('commit');
    return value;
  } finally {
    if (db.isTransaction) db.exec('rollback');
  }
}

/** The head is made after the database, so it is looked for first: seen without a database, the database is lost. */
function isNew(file: string, head: HeadFile): boolean {
  const hasHead = head.exists();
  if (existsSync(file)) {
    if (statSync(file).size === 0) throw new LedgerDamaged(file, 'it is an empty file', restoreBoth(file));
    return false;
  }
  const left = [hasHead ? head.path : null, existsSync(`${file}-wal`) ? `${file}-wal` : null].filter(
    (name) => name !== null,
  );
  // Without a head another process may have made the database just now.
  if (left.length > 0 && (hasHead || !existsSync(file)))
    throw new LedgerDamaged(file, `it is missing, but ${left.join(' and ')} is there`, restoreBoth(file));
  return true;
}

function connect(file: string, busyMs: number): DatabaseSync {
  const url = pathToFileURL(file);
  // Never creates: a file that vanished meanwhile is an error, not an empty ledger.
  url.searchParams.set('mode', 'rw');
  const db = new DatabaseSync(url, { timeout: busyMs });
  try {
    db.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off; pragma cell_size_check = on',
    );
    const found = inOneLine(String(db.prepare('pragma quick_check(1)').get()?.['quick_check']));
    if (found !== 'ok') throw new LedgerDamaged(file, found, restoreBoth(file));
    return db;
  } catch (error) {
    db.close();
    throw isMalformed(error) ? new LedgerDamaged(file, String(error), restoreBoth(file), error) : error;
  }
}

/** Holds the database against its head; a head that is behind, after a crash, is caught up along a valid chain. */
function reconcile(file: string, rows: Rows, head: HeadFile): void {
  const tip = rows.tip();
  const { epoch } = rows.epoch();
  const refuse = (problem: string): never => {
    throw new LedgerDamaged(file, problem, restoreBoth(file));
  };
  if (!head.exists()) {
    if (tip.seq > 1 || epoch > 0) refuse(`its head ${head.path} is missing`);
    head.create({ ...tip, epoch });
    return;
  }
  if (head.isDirectory()) refuse(`its head ${head.path} is a directory`);
  const known = head.read() ?? refuse(`its head ${head.path} is unreadable`);
  if (known.seq > tip.seq) refuse(`it ends at seq ${tip.seq}, but its head is at seq ${known.seq}`);
  if (known.epoch > epoch) refuse(`its epoch is ${epoch}, but its head is at epoch ${known.epoch}`);
  if (rows.hashAt(known.seq) !== known.hash) refuse(`seq ${known.seq} is not the event that its head names`);
  if (known.seq === tip.seq && known.epoch === epoch) return;
  const walk = walkChain(sha256, known);
  for (const link of rows.after(known.seq)) {
    const problem = walk.step(link);
    if (problem !== null) refuse(`seq ${link.seq}: ${problem}`);
  }
  // The log of a killed writer may not be on disk yet; the head must not be ahead of it.
  if (existsSync(`${file}-wal`)) syncFile(`${file}-wal`);
  head.advance({ ...tip, epoch });
}
