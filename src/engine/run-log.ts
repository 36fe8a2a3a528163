import type { RequestEvent, RunEvent } from '../domain/events.ts';
import type { RunId } from '../domain/ids.ts';
import { evolveRun, type RunState } from '../domain/run.ts';
import type { Ledger, Stored } from '../ports/ledger.ts';
import { openStreamLog, type StreamLog } from './stream-log.ts';

/** One run's stream with its fold kept in memory, fed event by event. */
export type RunLog = Pick<StreamLog<RunState | null>, 'state' | 'catchUp'> & {
  readonly run: RunId;
  /** A run that was ordered and not made yet. */
  order(): (RequestEvent & { readonly type: 'requested-run' }) | null;
  stored(): readonly Stored[];
  /** Appends what `decide` says of the newest state; a lost race is decided again. Null decides nothing. */
  record(decide: (state: RunState | null) => readonly RunEvent[] | null): Promise<void>;
};

export function openRunLog(ledger: Ledger, run: RunId, epoch: number): RunLog {
  const stored: Stored[] = [];
  const { state, catchUp, record } = openStreamLog<RunState | null>(ledger, run, epoch, {
    initial: null,
    evolve: (before, event) => {
      stored.push(event);
      return evolveRun(before, event);
    },
  });
  return {
    run,
    state,
    order: () => {
      const first = stored.find((event) => event.event.type === 'requested-run')?.event;
      return state() === null && first?.type === 'requested-run' ? first : null;
    },
    stored: () => stored,
    catchUp,
    record,
  };
}
