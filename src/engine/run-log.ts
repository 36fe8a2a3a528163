import type { RunId } from '../domain/base/ids.ts';
import type { RepoEvent, RunEvent } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import { evolveRepository, newRepository, type RepositoryState } from '../domain/repository/repository.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { type Ledger, repositoryStream, type Stored } from '../ports/ledger.ts';

/** Thrown when another coordinator has taken over; this process writes nothing any more (I10). */
export class StaleEpoch extends Error {
  override readonly name = 'StaleEpoch';
}

/** One run's stream with its fold and its events kept in memory. */
export type RunLog = {
  readonly run: RunId;
  state(): RunState | null;
  /** A run that was ordered and is not created yet. */
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

/** The repository's own stream with its fold. */
export type RepositoryLog = StreamLog<RepositoryState, RepoEvent>;

export const openRepositoryLog = (ledger: Ledger, epoch: number): RepositoryLog =>
  openStreamLog<RepositoryState, RepoEvent>({
    initial: newRepository,
    evolve: evolveRepository,
    read: (after) => ledger.read(repositoryStream, after),
    append: async (position, events) => {
      const appended = await ledger.append(repositoryStream, position, events, epoch);
      if (appended.outcome === 'stale-epoch') throw new StaleEpoch(`epoch ${epoch} is over`);
      return appended.outcome === 'appended' ? appended.stored : null;
    },
  });

/** One stream of the ledger with its fold kept in memory, fed event by event. */
export type StreamLog<State, Event> = {
  state(): State;
  /** Folds in the event that follows on the last one; passes over events that are folded in already. */
  take(stored: Stored): void;
  /** Reads new events from the ledger. True when there were any. */
  catchUp(): Promise<boolean>;
  /** Appends the events that `decide` returns for the newest state. After a lost race it decides again. */
  record(decide: (state: State) => readonly Event[]): Promise<AppendResult<State>>;
};

/** The state that was decided from, and the state after each appended event. */
export type AppendResult<State> = { readonly before: State; readonly after: readonly State[] };

type StreamOptions<State, Event> = {
  readonly initial: State;
  evolve(state: State, stored: Stored): State;
  read(after: number): Promise<readonly Stored[]>;
  /** Null when the stream has other events by now. */
  append(position: number, events: readonly Event[]): Promise<readonly Stored[] | null>;
  /** Called once for each event, in order. */
  keep?(stored: Stored): void;
};

export function openStreamLog<State, Event>(options: StreamOptions<State, Event>): StreamLog<State, Event> {
  const { initial, evolve, read, append, keep } = options;
  let state = initial;
  let position = 0;
  const advance = (stored: Stored, next: (state: State) => State): void => {
    if (stored.position !== position + 1) return;
    position = stored.position;
    state = next(state);
    keep?.(stored);
  };
  const take = (stored: Stored): void => advance(stored, (now) => evolve(now, stored));
  const catchUp = async (): Promise<boolean> => {
    const before = position;
    for (const stored of await read(position)) take(stored);
    return position > before;
  };
  return {
    state: () => state,
    take,
    catchUp,
    record: async (decide) => {
      for (;;) {
        const before = state;
        const events = decide(before);
        const stored = events.length === 0 ? [] : await append(position, events);
        if (stored === null) {
          await catchUp();
          continue;
        }
        let last = before;
        const after = stored.map((one) => {
          const next = evolve(last, one);
          last = next;
          // a reader of the ledger may have folded it in during the append
          advance(one, () => next);
          return next;
        });
        return { before, after };
      }
    },
  };
}

/** Records an event of the repository itself, which belongs to no run. */
export async function recordInRepo(ledger: Ledger, epoch: number, event: RepoEvent): Promise<void> {
  for (;;) {
    const past = await ledger.read(repositoryStream);
    const appended = await ledger.append(repositoryStream, past.length, [event], epoch);
    if (appended.outcome !== 'conflict') return;
  }
}
