import type { RunId } from '../../domain/base/ids.ts';
import { atTime } from '../../domain/decide/decide-tap.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import { followStream } from '../../engine/follow-ledger.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { RunView } from '../../view/run-view.ts';
import { evolveTimes, noTimes } from '../../view/times.ts';

export interface Following extends AsyncDisposable {
  /** Null until a coordinator has started the run. */
  view(): RunView | null;
  /** Resolves at the next event of the run; at once when one came since the last call. */
  changed(): Promise<void>;
}

/** Keeps the fold of one run up to date from the ledger, whoever coordinates it. */
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

export type TapFlags = {
  readonly yes: boolean;
  readonly land: boolean;
  /** The tasks themselves were typed: at a terminal that approves their start, but no later wave. */
  readonly typed?: boolean;
};

/** Returns the tap that waits for a decision. Null when none does; a tap on hold does not. */
export function openTap({ state }: RunView): TapName | null {
  const names = Object.keys(state.taps) as TapName[];
  return names.find((name) => state.taps[name]?.status === 'pending') ?? null;
}

/** The start of the run was approved. */
export const isApproved = ({ state }: RunView): boolean =>
  Object.entries(state.taps).some(([name, tap]) => name !== 'land' && tap?.status === 'approved');

/** A flag approves the tap. `--land` approves once: a person must look at a refused landing. */
export const isApprovedByFlag = (tap: TapName, { state }: RunView, flags: TapFlags): boolean =>
  tap === 'land' ? flags.land && state.landing.status !== 'refused' : flags.yes;

/** Wakes a drawing, so that its clocks advance. */
export function ticker(ms: number): Disposable & { next(): Promise<void> } {
  let woken = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    woken.resolve();
    woken = Promise.withResolvers();
  }, ms);
  return { next: () => woken.promise, [Symbol.dispose]: () => clearInterval(timer) };
}

/** For a race in which one side does not exist. */
export const never = (): Promise<never> => new Promise(() => undefined);
