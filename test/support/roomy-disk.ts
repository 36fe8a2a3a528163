import { leastMemory } from '../../src/domain/disk.ts';
import type { Disk } from '../../src/ports/disk.ts';

/** A disk that is never full and holds nothing. */
export const roomyDisk: Disk = {
  limits: async () => ({ cap: 1, free: 1 }),
  free: () => 2,
  memory: () => leastMemory,
  holdings: async () => [],
  remove: () => Promise.reject(new Error('nothing may be removed')),
  tidy: async () => undefined,
};
