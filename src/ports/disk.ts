import type { DiskLimits, Holding } from '../domain/kept/disk.ts';

/** The disk that the state of a repository lies on, and the memory beside it. May reject with what the operating system says. */
export interface Disk {
  /** As the person's configuration says now. */
  limits(): Promise<DiskLimits>;
  /** Bytes that we could still write. */
  free(): number;
  /** Bytes of memory that could still be used, by this machine's count or that of the container we are in. */
  memory(): number;
  /** Everything that takes room and could be done without, by allocated blocks. What cannot change any more is measured once. */
  holdings(signal?: AbortSignal): Promise<readonly Holding[]>;
  /** Safe to repeat. Snapshots, logs and records of a workspace's job stay. */
  remove(holding: Pick<Holding, 'kind' | 'id'>): Promise<void>;
  /** Bytes of one path of a job's workspace, named as it is shown; 0 if it is not there. */
  sizeOf(job: string, path: string): Promise<number>;
  /** Removes such a path. Safe to repeat. A link is removed itself, and none on the way is followed. */
  discard(job: string, path: string): Promise<void>;
  /** Takes away what dead processes left half made. */
  tidy(): Promise<void>;
}
