import type { Disk } from '../../src/ports/disk.ts';
import { roomyDisk } from '../support/roomy-disk.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';

/** A disk that others fill so many times, each until somebody makes room. Discarding a file takes a while. */
export function simulatedDisk(random: Random, times: number, schedule: Schedule): Disk & { makeRoom(): void } {
  let isFull = false;
  let left = times;
  return {
    ...roomyDisk,
    free: () => (isFull ? 0 : 2),
    holdings: async () => {
      const fills = left > 0 && random.chance(0.3);
      if (fills) left -= 1;
      isFull ||= fills;
      return [];
    },
    discard: () => schedule.turn({ alive: true }),
    makeRoom: () => {
      isFull = false;
    },
  };
}
