import type { Random } from './random.ts';

/** Misfortune with an end: after `budget` strikes the world behaves, so that every run can be held to end. */
export type Chaos = {
  readonly random: Random;
  strikes(probability: number): boolean;
  left(): number;
};

export function chaos(random: Random, budget: number): Chaos {
  let left = budget;
  return {
    random,
    strikes: (probability) => {
      if (left === 0 || !random.chance(probability)) return false;
      left -= 1;
      return true;
    },
    left: () => left,
  };
}
