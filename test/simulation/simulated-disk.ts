import type { Disk } from '../../src/ports/disk.ts';
import { roomyDisk } from '../support/roomy-disk.ts';
import type { Random } from './random.ts';

/** A disk that others fill now and then, until somebody makes room. */
export function simulatedDisk(random: Random): Disk & { makeRoom(): void } {
  let isFull = false;
  let left = 2;
  return {
    ...roomyDisk,
    free: () => (isFull ? 0 : 2),
    holdings: async () => {
      const fills = left > 0 && random.chance(0.1);
      if (fills) left -= 1;
      isFull ||= fills;
      return [];
    },
    makeRoom: () => {
      isFull = false;
    },
  };
}
