import type { DatabaseSync } from 'node:sqlite';
import { failpoint } from '../../process/failpoint.ts';
import { isDatabaseUnavailable, ledgerFailure } from './errors.ts';

type Job = {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
};

type GroupCommit = {
  /** Runs `work` in a write transaction; resolves when that is durable. Work that throws is undone alone. */
  readonly run: <T>(work: () => T) => Promise<T>;
  /** Commits the waiting appends. */
  readonly flush: () => void;
};

/**
 * The only writer of this process. All writes of one turn of the event loop share one transaction, so that many writes cost one
 * sync. `recordHead` runs after the commit and before any promise resolves; `committed` after that.
 */
export function groupCommit(
  db: DatabaseSync,
  hooks: { readonly file: string; readonly recordHead: () => void; readonly committed: () => void },
): GroupCommit {
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const savepoint = db.prepare('savepoint job');
  const release = db.prepare('release job');
  const undo = db.prepare('rollback to job');
  let waiting: Job[] = [];

  const runOne = (job: Job): (() => void) => {
    savepoint.run();
    try {
      const value = job.work();
      release.run();
      return () => job.resolve(value);
    } catch (cause) {
      if (!db.isTransaction || isDatabaseUnavailable(cause)) throw cause;
      undo.run();
      release.run();
      return () => job.reject(ledgerFailure(hooks.file, cause));
    }
  };

  const commitGroup = (jobs: readonly Job[]): void => {
    let isCommitted = false;
    try {
      begin.run();
      const settle = jobs.map(runOne);
      failpoint('ledger-before-commit');
      commit.run();
      isCommitted = true;
      failpoint('ledger-after-commit');
      hooks.recordHead();
      failpoint('ledger-after-head');
      for (const resolve of settle) resolve();
    } catch (cause) {
      if (db.isTransaction) db.exec('rollback');
      const failure = ledgerFailure(hooks.file, cause);
      for (const job of jobs) job.reject(failure);
    }
    if (isCommitted) hooks.committed();
  };

  const flush = (): void => {
    while (waiting.length > 0) {
      const jobs = waiting.slice(0, largestGroup);
      waiting = waiting.slice(largestGroup);
      commitGroup(jobs);
    }
  };

  return {
    run: async <T>(work: () => T) => {
      if (!db.isOpen) throw new Error(`the ledger ${hooks.file} is closed`);
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ work, resolve: (value) => resolve(value as T), reject });
      return promise;
    },
    flush,
  };
}

/** Other processes wait while a group commits: it stays short. */
const largestGroup = 1000;
