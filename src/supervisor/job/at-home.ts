import { join } from 'node:path';
import type { Job } from '../../ports/supervisor.ts';

/** `~/` is the home of whoever runs it. The plan keeps it as it was written, so that its hash is the same for everybody. */
export function atHome<J extends Pick<Job, 'fence'>>(job: J, home: string): J {
  const { read, write } = job.fence;
  return { ...job, fence: { ...job.fence, read: pathsAtHome(read, home), write: pathsAtHome(write, home) } };
}

export const pathsAtHome = (paths: readonly string[], home: string): readonly string[] =>
  paths.map((path) => (path.startsWith('~/') ? join(home, path.slice(2)) : path));
