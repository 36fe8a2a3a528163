import { closeSync, existsSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { walkChain } from '../../../domain/ledger/chain.ts';
import { LedgerDamaged } from '../../../ports/ledger.ts';
import { writeDurably } from '../../files/durable-file.ts';
import { openingProblem, sha256 } from '../chain.ts';
import { inOneLine, isMalformed, restoreBoth } from './errors.ts';
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

/** How far the ledger is known to have come. Never ahead of what is durable in the database. */
export type Head = { readonly seq: number; readonly epoch: number; readonly hash: string };

/**
 * The sidecar: two slots in blocks of their own, each with a checksum; the highest valid one counts. A write goes to
 * the other slot, so that one cut short costs nothing. Writers must hold the database's write lock; readers need none.
 */
export type HeadFile = ReturnType<typeof headFile>;

export function headFile(path: string) {
  const read = (): Head | null => slotsOf(path).reduce(higher, null);
  return {
    path,
    exists: (): boolean => existsSync(path),
    isDirectory: (): boolean => statSync(path).isDirectory(),
    read,
    create: (head: Head): void => writeDurably(path, formatSlot(head).padEnd(2 * slotBytes, '\n')),
    /** Writes the head unless it is there already. */
    advance: (head: Head): void => {
      const [first = null, second = null] = slotsOf(path);
      const known = higher(first, second);
      if (known !== null && !isAhead(head, known)) return;
      const free = known === first ? 1 : 0;
      withFile(path, 'r+', (descriptor) => {
        writeSync(descriptor, formatSlot(head), free * slotBytes);
        fdatasyncSync(descriptor);
      });
    },
  };
}

const slotBytes = 4096;

const isAhead = (a: Head, b: Head): boolean => a.seq > b.seq || (a.seq === b.seq && a.epoch > b.epoch);

function higher(a: Head | null, b: Head | null): Head | null {
  if (a === null || b === null) return a ?? b;
  return isAhead(b, a) ? b : a;
}

function slotsOf(path: string): readonly (Head | null)[] {
  const bytes = Buffer.alloc(2 * slotBytes);
  withFile(path, 'r', (descriptor) => readSync(descriptor, bytes, 0, bytes.length, 0));
  return [0, slotBytes].map((start) => parseSlot(bytes.toString('latin1', start, start + slotBytes)));
}

function formatSlot({ seq, epoch, hash }: Head): string {
  const content = `tidegate-head ${digits(seq)} ${digits(epoch)} ${hash}`;
  return `${content} ${sha256(content)}\n`;
}

function parseSlot(text: string): Head | null {
  const [, content, seq, epoch, hash, checksum] =
    /^(tidegate-head (\d{16}) (\d{16}) ([0-9a-f]{64})) ([0-9a-f]{64})\n/.exec(text) ?? [];
  if (content === undefined || hash === undefined || sha256(content) !== checksum) return null;
  return { seq: Number(seq), epoch: Number(epoch), hash };
}

const digits = (value: number): string => String(value).padStart(16, '0');

function withFile(path: string, flags: 'r' | 'r+', work: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags);
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
