import type { LedgerEvent } from '../domain/events.ts';
import type { Ledger, Stored, Stream } from '../ports/ledger.ts';

/** Another coordinator has taken over; this process writes nothing any more (I10). */
export class StaleEpoch extends Error {
  override readonly name = 'StaleEpoch';
}

/** One stream with its fold kept in memory, fed event by event. */
export type StreamLog<S> = {
  state(): S;
  /** Folds in what follows on the last event that is folded in; what is known already is passed over. */
  take(events: readonly Stored[]): void;
  catchUp(): Promise<void>;
  /** Appends what `decide` says of the newest state; a lost race is decided again. Null decides nothing. */
  record(decide: (state: S) => readonly LedgerEvent[] | null): Promise<void>;
};

export function openStreamLog<S>(
  ledger: Ledger,
  stream: Stream,
  epoch: number,
  fold: { readonly initial: S; evolve(state: S, stored: Stored): S },
): StreamLog<S> {
  let state = fold.initial;
  let position = 0;
  const take = (events: readonly Stored[]): void => {
    for (const event of events) {
      if (event.position !== position + 1) continue;
      position = event.position;
      state = fold.evolve(state, event);
    }
  };
  const catchUp = async () => take(await ledger.read(stream, position));
  return {
    state: () => state,
    take,
    catchUp,
    record: async (decide) => {
      for (;;) {
        const events = decide(state);
        if (events === null || events.length === 0) return;
        const appended = await ledger.append(stream, position, events, epoch);
        if (appended.outcome === 'stale-epoch') throw new StaleEpoch(`epoch ${epoch} is over`);
        if (appended.outcome === 'appended') return take(appended.stored);
        await catchUp();
      }
    },
  };
}
