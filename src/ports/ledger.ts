import { explain } from '../domain/explain/explain.ts';
import type { FindingOf } from '../domain/findings/finding.ts';
import { boundedWords } from '../domain/findings/words.ts';
import type { DcmEvent } from '../domain/ledger/dcm-events.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';

/** The id of a run, `external:<session>` for a DCM session, or `repo` for the repository itself, with the board above its runs. */
export type Stream = string;

export const repositoryStream: Stream = 'repo';

/** True for streams of runs. No run id has a colon. */
export const isRunStream = (stream: Stream): boolean => stream !== repositoryStream && !stream.includes(':');

/** Sessions that others drive. */
export const isDcmStream = (stream: Stream): boolean => stream.startsWith('external:');
export const dcmStream = (session: string): Stream => `external:${session}`;
export const dcmSessionOf = (stream: Stream): string => stream.slice('external:'.length);

export type Stored = {
  /** Position in the whole ledger, from 1, without a gap. */
  readonly seq: number;
  readonly stream: Stream;
  /** Position in its stream, from 1, without a gap. */
  readonly position: number;
  /** 0 for requests and for facts of a session that others drive, which need none. */
  readonly epoch: number;
  /** ISO time, for people only: nothing is ordered or decided by it. */
  readonly at: string;
  readonly event: LedgerEvent;
  /** SHA-256 over the previous hash and this record. */
  readonly hash: string;
};

/** The process that holds the coordinator's epoch. Distinguishes a living process from a reused pid. */
export type Holder = {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly socket: string;
};

type Appended =
  | { readonly outcome: 'appended'; readonly stored: readonly Stored[] }
  /** The stream has other events by now: read them and decide again. */
  | { readonly outcome: 'conflict' }
  /** Another coordinator took over: this process must stop writing (I10). */
  | { readonly outcome: 'stale-epoch' };

export type Verification =
  | { readonly ok: true; readonly events: number; readonly head: string }
  | { readonly ok: false; readonly seq: number | null; readonly problem: string };

/**
 * The durable, append-only record of what happened. State is always derived from it.
 * An acknowledged append is on disk and readable by every process (I1). Events of one append are stored all or none, in order.
 * Every call may reject with `LedgerUnavailable` or `LedgerDamaged`.
 */
export interface Ledger extends AsyncDisposable {
  /** Events of one stream after `after` (a position), in order. */
  read(stream: Stream, after?: number): Promise<readonly Stored[]>;
  /** Events of all streams after `after` (a seq), in order; no more than `limit` of them. */
  readAll(after?: number, limit?: number): Promise<readonly Stored[]>;
  /** The seq of the last event; at least 1, because every ledger begins with its opening. */
  head(): Promise<number>;
  streams(): Promise<readonly Stream[]>;
  /** Appends only if the stream still has `expected` events and `epoch` is the current one. */
  append(stream: Stream, expected: number, events: readonly LedgerEvent[], epoch: number): Promise<Appended>;
  /** Appends a request. Needs no epoch, so it decides nothing: only the coordinator's answer does. */
  request(stream: Stream, event: RequestEvent): Promise<Stored>;
  /**
   * Appends facts of a session that others drive, only if its stream still has `expected` events. Needs no epoch: nothing of it is
   * run or merged by us, so whoever knows all of its events may decide. No other stream can be written this way.
   */
  appendDcm(
    session: string,
    expected: number,
    events: readonly DcmEvent[],
  ): Promise<Exclude<Appended, { readonly outcome: 'stale-epoch' }>>;
  /** Becomes the one coordinator, unless a living one holds the epoch. `isAlive` is called inside the transaction. */
  takeEpoch(
    holder: Holder,
    isAlive: (holder: Holder) => boolean,
  ): Promise<
    | { readonly outcome: 'taken'; readonly epoch: number }
    | { readonly outcome: 'held'; readonly by: Holder; readonly epoch: number }
  >;
  /** Gives the epoch up, so that the next coordinator need not look for a dead process. Its own appends are stale from then on. */
  releaseEpoch(epoch: number): Promise<void>;
  holder(): Promise<{ readonly holder: Holder; readonly epoch: number } | null>;
  /** Calls `listener` with every event after `after`, in order, without a gap, within 50 ms of the commit by any process. */
  subscribe(after: number, listener: (stored: Stored) => void): AsyncDisposable;
  /** Walks the whole chain. */
  verify(): Promise<Verification>;
}

/** Disk full, I/O error, locked for too long. Nothing acknowledged is lost; read the ledger to learn whether this call's events are stored. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
  readonly file: string;
  readonly finding: FindingOf<'ledger-unavailable'>;
  constructor(file: string, cause: unknown) {
    const words = boundedWords(cause instanceof Error ? cause.message : String(cause));
    const finding = { rule: 'ledger-unavailable', file, words } as const;
    super(explain(finding).detail, { cause });
    this.file = file;
    this.finding = finding;
  }
}

/** The stored events are not the acknowledged ones. A person decides; nothing is repaired by guessing. */
export class LedgerDamaged extends Error {
  override readonly name = 'LedgerDamaged';
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
  readonly finding: FindingOf<'ledger-damaged'>;
  constructor(file: string, problem: string, fix: string, cause?: unknown) {
    super(`the ledger ${file} is refused: ${problem}. ${fix}`, { cause });
    this.file = file;
    this.problem = problem;
    this.fix = fix;
    this.finding = { rule: 'ledger-damaged', file, words: boundedWords(problem) };
  }
}
