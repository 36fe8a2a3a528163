import type { DiskLimits, Holding } from '../domain/disk.ts';

/** The disk that the state of a repository lies on. May reject with what the operating system says. */
export interface Disk {
  /** As the person's configuration says now. */
  limits(): Promise<DiskLimits>;
  /** Bytes that we could still write. */
  free(): number;
  /** Everything that takes room and could be done without, by allocated blocks. What cannot change any more is measured once. */
  holdings(signal?: AbortSignal): Promise<readonly Holding[]>;
  /** Safe to repeat. Snapshots, logs and records of a workspace's job stay. */
  remove(holding: Pick<Holding, 'kind' | 'id'>): Promise<void>;
  /** Takes away what dead processes left half made. */
  tidy(): Promise<void>;
}
