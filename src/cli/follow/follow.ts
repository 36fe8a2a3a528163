import type { RunId } from '../../domain/base/ids.ts';
import { atTime } from '../../domain/decide/tap.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { RunView } from '../../view/run-view.ts';
import { evolveTimes, noTimes } from '../../view/times.ts';

export interface Following extends AsyncDisposable {
  /** Null until a coordinator has made the run. */
  view(): RunView | null;
  /** Resolves at the next event of the run; at once when one came since the last call. */
  changed(): Promise<void>;
}

/** The fold of one run, kept up to date from the ledger, whoever coordinates it. */
export async function followRun(
  repo: RepositoryHandle,
  run: RunId,
  onEvent: (stored: Stored, isNew: boolean) => void = () => {},
): Promise<Following> {
  let state: RunState | null = null;
  let times = noTimes;
  let position = 0;
  let woken = Promise.withResolvers<void>();
  let isNew = false;
  const take = (stored: Stored): void => {
    if (stored.stream !== run || stored.position !== position + 1) return;
    position = stored.position;
    state = evolveRun(state, stored);
    times = evolveTimes(times, stored);
    onEvent(stored, isNew);
    woken.resolve();
  };
  const past = await repo.ledger.read(run);
  past.forEach(take);
  isNew = true;
  const subscription = repo.ledger.subscribe(past.at(-1)?.seq ?? 0, take);
  return {
    view: () => {
      const now = repo.clock.now();
      return state === null ? null : { state: atTime(state, now), times, now };
    },
    changed: async () => {
      await woken.promise;
      woken = Promise.withResolvers();
    },
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}
