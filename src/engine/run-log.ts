import type { RunId } from '../domain/base/ids.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import type { Ledger, Stored } from '../ports/ledger.ts';
import { openStreamLog } from './stream-log.ts';

/** Another coordinator has taken over; this process writes nothing any more (I10). */
export class StaleEpoch extends Error {
  override readonly name = 'StaleEpoch';
}

/** One run's stream with its fold and its events kept in memory. */
export type RunLog = {
  readonly run: RunId;
  state(): RunState | null;
  /** A run that was ordered and not made yet. */
  order(): (RequestEvent & { readonly type: 'requested-run' }) | null;
  stored(): readonly Stored[];
  catchUp(): Promise<void>;
  /** Appends what `decide` returns for the newest state; a lost race is decided again. Null decides nothing. */
  record(decide: (state: RunState | null) => readonly RunEvent[] | null): Promise<void>;
};

export function openRunLog(ledger: Ledger, run: RunId, epoch: number): RunLog {
  const stored: Stored[] = [];
  const log = openStreamLog<RunState | null, RunEvent>({
    initial: null,
    evolve: evolveRun,
    read: (after) => ledger.read(run, after),
    append: async (position, events) => {
      const appended = await ledger.append(run, position, events, epoch);
      if (appended.outcome === 'stale-epoch') throw new StaleEpoch(`epoch ${epoch} is over`);
      return appended.outcome === 'appended' ? appended.stored : null;
    },
    keep: (event) => stored.push(event),
  });
  return {
    run,
    state: log.state,
    order: () => {
      const first = stored.find((event) => event.event.type === 'requested-run')?.event;
      return log.state() === null && first?.type === 'requested-run' ? first : null;
    },
    stored: () => stored,
    catchUp: async () => void (await log.catchUp()),
    record: async (decide) => void (await log.record((state) => decide(state) ?? [])),
  };
}
