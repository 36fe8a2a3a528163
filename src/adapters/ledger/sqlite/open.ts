import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { type ChainLink, type ChainTip, genesis, walkChain } from '../../../domain/ledger/chain.ts';
import { type Holder, LedgerDamaged } from '../../../ports/ledger.ts';
import { syncDirectory, writeDurably } from '../../files/durable-file.ts';
import { firstLink, NotAnEvent, openingProblem, sha256 } from '../chain.ts';
import { inOneLine, isMalformed, restoreBoth, useNewer } from './errors.ts';

/** Entry n brings a ledger from schema version n to n + 1. Released entries never change. */
export const migrations: readonly string[] = [
  `create table event (
     seq integer primary key,
     stream text not null,
     position integer not null,
     epoch integer not null,
     at text not null,
     body text not null,
     hash text not null,
     unique (stream, position)
   ) strict;
   create trigger event_is_never_changed before update on event begin select raise(abort, 'events are never changed'); end;
   create trigger event_is_never_removed before delete on event begin select raise(abort, 'events are never removed'); end;
   create table epoch (
     one integer primary key check (one = 1),
     epoch integer not null,
     holder text,
     checksum text not null
   ) strict;`,
];

const applicationId = 0x54494445;

/**
 * Makes a ledger with nothing but its opening under its final name in one step, so that a half-made one is never seen there.
 * Of several processes that try, the first wins and the others use its file.
 */
export function createDatabase(file: string, steps: readonly string[], at: string): void {
  const temporary = `${file}.${process.pid}.new`;
  rmSync(temporary, { force: true });
  try {
    const db = new DatabaseSync(temporary);
    chmodSync(temporary, 0o600);
    db.exec('pragma journal_mode = wal; begin immediate');
    db.exec(`pragma application_id = ${applicationId}`);
    applySteps(db, steps, 0);
    ledgerStatements(db).insert(firstLink(at));
    db.exec('commit');
    db.close();
    syncFile(temporary);
    linkUnlessThere(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncDirectory(dirname(file));
}

/** Brings the ledger to the newest version. Runs inside the caller's transaction. */
function migrate(db: DatabaseSync, file: string, steps: readonly string[]): void {
  const version = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== applicationId || version === 0)
    throw new LedgerDamaged(file, 'it is a database, but not a ledger of Tidegate', restoreBoth(file));
  if (version > steps.length)
    throw new LedgerDamaged(
      file,
      `its schema version is ${version}, and this Tidegate knows only up to ${steps.length}`,
      useNewer,
    );
  applySteps(db, steps, version);
  if (schemaOf(db) !== expectedSchema(steps))
    throw new LedgerDamaged(file, 'its tables are not those of its schema version', restoreBoth(file));
}

function applySteps(db: DatabaseSync, steps: readonly string[], from: number): void {
  for (const step of steps.slice(from)) db.exec(step);
  if (from < steps.length) db.exec(`pragma user_version = ${steps.length}`);
}

function expectedSchema(steps: readonly string[]): string {
  using db = new DatabaseSync(':memory:');
  applySteps(db, steps, 0);
  return schemaOf(db);
}

const schemaOf = (db: DatabaseSync): string =>
  JSON.stringify(db.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all());

function pragma(db: DatabaseSync, name: 'user_version' | 'application_id'): number {
  const value = db.prepare(`pragma ${name}`).get()?.[name];
  if (typeof value !== 'number') throw new Error(`pragma ${name} gave no number`);
  return value;
}

function linkUnlessThere(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Everything written to the file so far is on disk afterwards. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

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

/** The last event that the ledger is known to have. Never ahead of what is durable in the database. */
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

type EpochRow = { readonly epoch: number; readonly holder: Holder | null };
export type Rows = ReturnType<typeof ledgerStatements>;

/** Every SQL statement of the ledger, one per named function. */
export function ledgerStatements(db: DatabaseSync) {
  const columns = 'seq, stream, position, epoch, at, body, hash';
  const selectTip = db.prepare('select seq, hash from event order by seq desc limit 1');
  const selectHash = db.prepare('select hash from event where seq = ?');
  const selectPosition = db.prepare('select max(position) as position from event where stream = ?');
  const selectStream = db.prepare(`select ${columns} from event where stream = ? and position > ? order by position`);
  const selectAll = db.prepare(`select ${columns} from event where seq > ? order by seq limit ?`);
  const selectStreams = db.prepare('select stream from event where position = 1 order by seq');
  const insertEvent = db.prepare(`insert into event (${columns}) values (?, ?, ?, ?, ?, ?, ?)`);
  const selectEpoch = db.prepare('select epoch, holder, checksum from epoch where one = 1');
  const upsertEpoch = db.prepare('insert or replace into epoch (one, epoch, holder, checksum) values (1, ?, ?, ?)');
  const integrityCheck = db.prepare('pragma integrity_check(1)');

  return {
    tip: (): ChainTip => {
      const row = selectTip.get();
      return row === undefined ? genesis : tipRow.parse(row);
    },
    hashAt: (seq: number): string | null => {
      if (seq === 0) return genesis.hash;
      const row = selectHash.get(seq);
      return row === undefined ? null : String(row['hash']);
    },
    lastPosition: (stream: string): number => Number(selectPosition.get(stream)?.['position'] ?? 0),
    ofStream: (stream: string, after: number): ChainLink[] => selectStream.all(stream, after).map(linkOf),
    /** A negative limit is no limit. */
    after: (seq: number, limit = -1): ChainLink[] => selectAll.all(seq, limit).map(linkOf),
    streams: (): string[] => selectStreams.all().map((row) => String(row['stream'])),
    insert: ({ seq, stream, position, epoch, at, body, hash }: ChainLink): void => {
      insertEvent.run(seq, stream, position, epoch, at, body, hash);
    },
    epoch: (): EpochRow => {
      const row = selectEpoch.get();
      if (row === undefined) return { epoch: 0, holder: null };
      const { epoch, holder, checksum } = epochRow.parse(row);
      if (checksum !== sha256(`${epoch} ${holder}`)) throw new NotAnEvent('the epoch does not match its checksum');
      return { epoch, holder: holder === null ? null : holderJson.parse(JSON.parse(holder)) };
    },
    setEpoch: ({ epoch, holder }: EpochRow): void => {
      const text = holder === null ? null : JSON.stringify(holder);
      upsertEpoch.run(epoch, text, sha256(`${epoch} ${text}`));
    },
    /** Returns the problem that SQLite finds in the file, in one line; null when there is none. */
    integrityProblem: (): string | null => {
      const found = String(integrityCheck.get()?.['integrity_check']);
      return found === 'ok' ? null : inOneLine(found);
    },
  };
}

const tipRow = z.object({ seq: z.int(), hash: z.string() });
const epochRow = z.object({ epoch: z.int(), holder: z.string().nullable(), checksum: z.string() });
const holderJson = z.object({ pid: z.int(), startTime: z.string(), bootId: z.string(), socket: z.string() });

/** Reads by hand: a hundred thousand rows are read at once, and the table is STRICT. */
function linkOf(row: Record<string, SQLOutputValue>): ChainLink {
  const { seq, stream, position, epoch, at, body, hash } = row;
  if (
    typeof seq !== 'number' ||
    typeof stream !== 'string' ||
    typeof position !== 'number' ||
    typeof epoch !== 'number' ||
    typeof at !== 'string' ||
    typeof body !== 'string' ||
    typeof hash !== 'string'
  )
    throw new NotAnEvent(`a row after seq ${String(seq)} has a column of a wrong type`);
  return { seq, stream, position, epoch, at, body, hash };
}
