import type { Random } from './random.ts';

/**
 * The order of everything that the world does. Each turn that somebody waits for is queued, and `step` lets a random
 * one of them go on: with the same seed the same order, whatever the machine does.
 */
export type Schedule = {
  /** Resolves when it is this caller's turn; never, once `life` is over. */
  turn(life: Life): Promise<void>;
  /** Lets one waiter go on, and everything that follows from it at once. False: nobody waits. */
  step(): Promise<boolean>;
  readonly steps: () => number;
};

/** One process that can be killed: whatever it waits for then never comes. */
export type Life = { alive: boolean };

export function schedule(random: Random): Schedule {
  let waiting: { readonly life: Life; readonly go: () => void }[] = [];
  let taken = 0;
  return {
    turn: (life) => new Promise((go) => waiting.push({ life, go })),
    step: async () => {
      waiting = waiting.filter(({ life }) => life.alive);
      const [next] = waiting.length === 0 ? [] : waiting.splice(random.below(waiting.length), 1);
      taken += 1;
      next?.go();
      await settle();
      return next !== undefined;
    },
    steps: () => taken,
  };
}

/** Everything that can go on without another turn has gone on: promises, then what the ledger announces. */
const settle = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};
