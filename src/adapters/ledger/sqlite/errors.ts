import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { LedgerDamaged, LedgerUnavailable } from '../../../ports/ledger.ts';
import { NewerEvent, NotAnEvent } from '../chain.ts';

export const restoreBoth = (file: string): string =>
  `Nothing was changed. Restore ${file} and ${file}.head together from one backup, or move both away to begin a new ledger`;

export const useNewer = 'Nothing was changed. Use the newer Tidegate that wrote it';

/** SQLite reports damage in several lines; we report it in one. */
export const inOneLine = (found: string): string => found.replaceAll(/\s*\n\s*/g, ' ');

/** Returns the ledger's error for a failed database or file call. Any other error is a bug and is returned unchanged. */
export function ledgerFailure(file: string, cause: unknown): unknown {
  if (cause instanceof LedgerDamaged || cause instanceof LedgerUnavailable) return cause;
  if (cause instanceof NewerEvent) return new LedgerDamaged(file, cause.message, useNewer, cause);
  if (isDamage(cause)) return new LedgerDamaged(file, String((cause as Error).message), restoreBoth(file), cause);
  if (isLocked(cause)) return new LedgerUnavailable(file, new Error(lockedForTooLong, { cause }));
  if (isDatabaseUnavailable(cause) || isFileError(cause)) return new LedgerUnavailable(file, unwritable(file) ?? cause);
  return cause;
}

/** Returns the reason of the operating system: SQLite says only that it cannot open the file. */
function unwritable(file: string): Error | null {
  try {
    accessSync(dirname(file), constants.W_OK);
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** Runs `work` and converts its failures. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw ledgerFailure(file, cause);
  }
}

/** True when the environment failed: then the work of the whole transaction is lost. */
export const isDatabaseUnavailable = (cause: unknown): boolean => unavailable.has(primaryCode(cause));

/** SQLITE_ERROR; for a first pragma on a file it can only mean a file format that SQLite does not know. */
export const isMalformed = (cause: unknown): boolean => primaryCode(cause) === 1;

/** BUSY comes only after our own waiting time, and a writer needs milliseconds. */
const isLocked = (cause: unknown): boolean => primaryCode(cause) === 5;
const lockedForTooLong =
  'another process holds the write lock and does not finish. If a tidegate process is stopped (T in `ps`), continue or end it';

const isFileError = (cause: unknown): boolean => cause instanceof Error && 'syscall' in cause;

const isDamage = (cause: unknown): boolean =>
  damaged.has(primaryCode(cause)) ||
  cause instanceof NotAnEvent ||
  cause instanceof z.ZodError ||
  // An integer column that holds more than any integer we ever wrote.
  (cause instanceof RangeError && 'code' in cause && cause.code === 'ERR_OUT_OF_RANGE');

// Primary result codes of SQLite (sqlite3.h).
const damaged: ReadonlySet<number | null> = new Set([11 /* CORRUPT */, 24 /* FORMAT */, 26 /* NOTADB */]);
const unavailable: ReadonlySet<number | null> = new Set([
  3 /* PERM */, 5 /* BUSY */, 6 /* LOCKED */, 7 /* NOMEM */, 8 /* READONLY */, 10 /* IOERR */, 13 /* FULL */,
  14 /* CANTOPEN */, 15 /* PROTOCOL */, 22 /* NOLFS */,
]);

function primaryCode(cause: unknown): number | null {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return null;
  return cause.errcode & 0xff;
}
