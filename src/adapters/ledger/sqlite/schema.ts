import { chmodSync, closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LedgerDamaged } from '../../../ports/ledger.ts';
import { syncDirectory } from '../../files/durable-file.ts';
import { firstLink } from '../chain.ts';
import { restoreBoth, useNewer } from './errors.ts';
import { ledgerStatements } from './rows.ts';

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
export function migrate(db: DatabaseSync, file: string, steps: readonly string[]): void {
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
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
