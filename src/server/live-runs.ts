import { type RunId, runId } from '../domain/ids.ts';
import { evolveRun, type RunState } from '../domain/run.ts';
import type { KnownRun } from '../engine/find-run.ts';
import type { Ledger, Stored } from '../ports/ledger.ts';
import { isRunStream } from '../ports/ledger.ts';
import { follower } from './follower.ts';

/** Every run of one repository with its fold kept in memory, fed event by event. */
export type LiveRuns = {
  /** As the ledger has them now, oldest first. */
  all(): Promise<readonly KnownRun[]>;
  find(run: string): Promise<KnownRun | undefined>;
  /** The last event of the whole ledger that is folded in. */
  seq(): number;
};

type Entry = { readonly run: RunId; state: RunState | null; readonly stored: Stored[] };

export function liveRuns(ledger: Pick<Ledger, 'readAll'>): LiveRuns {
  const runs = new Map<string, Entry>();
  const { catchUp, seq } = follower(ledger, (stored) => {
    if (!isRunStream(stored.stream)) return;
    const entry = runs.get(stored.stream) ?? { run: runId(stored.stream), state: null, stored: [] };
    entry.state = evolveRun(entry.state, stored);
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
