import type { RunId } from '../domain/base/ids.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import type { Ledger, Stored } from '../ports/ledger.ts';

/** Another coordinator has taken over; this process writes nothing any more (I10). */
export class StaleEpoch extends Error {
  override readonly name = 'StaleEpoch';
}

/** One run's stream with its fold kept in memory, fed event by event. */
export type RunLog = {
  readonly run: RunId;
  state(): RunState | null;
  /** A run that was ordered and not made yet. */
  order(): (RequestEvent & { readonly type: 'requested-run' }) | null;
  stored(): readonly Stored[];
  catchUp(): Promise<void>;
  /** Appends what `decide` says of the newest state; a lost race is decided again. Null decides nothing. */
  record(decide: (state: RunState | null) => readonly RunEvent[] | null): Promise<void>;
};

export function openRunLog(ledger: Ledger, run: RunId, epoch: number): RunLog {
  const stored: Stored[] = [];
  let state: RunState | null = null;
  const take = (events: readonly Stored[]): void => {
    for (const event of events) {
      if (event.position !== stored.length + 1) continue;
      stored.push(event);
      state = evolveRun(state, event);
    }
  };
  const catchUp = async () => take(await ledger.read(run, stored.length));
  return {
    run,
    state: () => state,
    order: () => {
      const first = stored.find((event) => event.event.type === 'requested-run')?.event;
      return state === null && first?.type === 'requested-run' ? first : null;
    },
    stored: () => stored,
    catchUp,
    record: async (decide) => {
      for (;;) {
        const events = decide(state);
        if (events === null || events.length === 0) return;
        const appended = await ledger.append(run, stored.length, events, epoch);
        if (appended.outcome === 'stale-epoch') throw new StaleEpoch(`epoch ${epoch} is over`);
        if (appended.outcome === 'appended') return take(appended.stored);
        await catchUp();
      }
    },
  };
}
