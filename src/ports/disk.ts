import type { DiskLimits, Holding } from '../domain/kept/disk.ts';

/** The disk that holds the state of a repository, and the memory of the machine. May reject with errors of the operating system. */
export interface Disk {
  /** Reads the person's configuration. */
  limits(): Promise<DiskLimits>;
  /** Returns the free bytes. */
  free(): number;
  /** Returns the free bytes of memory, of this machine or of the container that we run in. */
  memory(): number;
  /** Returns everything that takes room and could be removed, by allocated blocks. Finished workspaces are measured once. */
  holdings(signal?: AbortSignal): Promise<readonly Holding[]>;
  /** Safe to repeat. Snapshots, logs and records of a workspace's job stay. */
  remove(holding: Pick<Holding, 'kind' | 'id'>): Promise<void>;
  /** Returns the bytes of one path in the workspace of a job, written as it is shown; 0 when it does not exist. */
  sizeOf(job: string, path: string): Promise<number>;
  /** Removes such a path. Safe to repeat. Removes a link itself, and follows no link on the way. */
  discard(job: string, path: string): Promise<void>;
  /** Removes the unfinished files of dead processes. */
  tidy(): Promise<void>;
}
