import { policy } from '../../src/domain/settings/policy.ts';
import type { Disk } from '../../src/ports/disk.ts';

/** A disk that is never full and holds nothing. */
export const roomyDisk: Disk = {
  limits: async () => ({ cap: 1, free: 1 }),
  free: () => 2,
  memory: () => policy.leastMemory,
  holdings: async () => [],
  remove: () => Promise.reject(new Error('nothing may be removed')),
  sizeOf: async () => 0,
  discard: async () => undefined,
  tidy: async () => undefined,
};
