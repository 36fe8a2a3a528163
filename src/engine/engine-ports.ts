import type { Disk } from '../ports/disk.ts';
import type { GitReader, Merger } from '../ports/merger.ts';
import type { Notices, Threads } from '../ports/outbox.ts';
import type { Drafts, Supervisors } from '../ports/supervisor.ts';
import type { JobPlaces } from './jobs/jobs.ts';

/** The ports that a coordinator acts on, under one epoch. */
export type EnginePorts = {
  readonly merger: Merger;
  readonly supervisors: Supervisors;
  readonly git: GitReader;
  readonly places: JobPlaces;
  readonly disk: Disk;
  /** Absent where no person is notified. */
  readonly notices?: Notices;
  readonly webhooks?: Notices;
  /** Absent where all threads are on the built-in board. */
  readonly threads?: Threads;
  /** Absent where no task drafts a plan. */
  readonly drafts?: Drafts;
  /** Returns the most attempts at once over all runs. Absent: as many as the runs allow. */
  readonly agentsAtOnce?: () => Promise<number>;
  readonly epoch: number;
};
