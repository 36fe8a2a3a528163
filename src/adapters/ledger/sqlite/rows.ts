import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import { type ChainLink, type ChainTip, genesis } from '../../../domain/ledger/chain.ts';
import type { Holder } from '../../../ports/ledger.ts';
import { NotAnEvent, sha256 } from '../chain.ts';
import { inOneLine } from './errors.ts';

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

/** By hand: a hundred thousand rows are read at once, and the table is STRICT. */
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
