import type { RunId } from '../../domain/base/ids.ts';
import { atTime } from '../../domain/decide/decide-tap.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import { followStream } from '../../engine/follow-ledger.ts';
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
  let woken = Promise.withResolvers<void>();
  let isNew = false;
  const take = (stored: Stored): void => {
    state = evolveRun(state, stored);
    times = evolveTimes(times, stored);
    onEvent(stored, isNew);
    woken.resolve();
  };
  const follower = followStream(repo.ledger, run, take);
  await follower.catchUp();
  isNew = true;
  const subscription = follower.listen();
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
