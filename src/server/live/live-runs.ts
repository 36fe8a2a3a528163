import { type RunId, runId } from '../../domain/base/ids.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import { followLedger } from '../../engine/follow-ledger.ts';
import type { KnownRun } from '../../engine/orders/find-run.ts';
import { isRunStream, type Ledger, type Stored } from '../../ports/ledger.ts';
import { evolveTimes, noTimes, type Times } from '../../view/task-view.ts';

/** A run with the times that views need, folded as well. */
export type LiveRun = KnownRun & { readonly times: Times };

/** All runs of one repository, with their folds kept in memory and fed event by event. */
export type LiveRuns = {
  /** All runs that are in the ledger now, oldest first. */
  all(): Promise<readonly LiveRun[]>;
  find(run: string): Promise<LiveRun | undefined>;
  /** The seq of the last folded event, of any stream. */
  seq(): number;
};

type Entry = { readonly run: RunId; state: RunState | null; times: Times; readonly stored: Stored[] };

export function liveRuns(ledger: Pick<Ledger, 'readAll' | 'subscribe'>): LiveRuns {
  const runs = new Map<string, Entry>();
  const { catchUp, seq } = followLedger(ledger, (stored) => {
    if (!isRunStream(stored.stream)) return;
    const entry = runs.get(stored.stream) ?? { run: runId(stored.stream), state: null, times: noTimes, stored: [] };
    entry.state = evolveRun(entry.state, stored);
    entry.times = evolveTimes(entry.times, stored);
    entry.stored.push(stored);
    runs.set(stored.stream, entry);
  });
  return {
    all: async () => {
      await catchUp();
      return [...runs.values()];
    },
    find: async (run) => {
      await catchUp();
      return runs.get(run);
    },
    seq,
  };
}
