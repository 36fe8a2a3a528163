import type { Job, SupervisorRecord } from '../../ports/supervisor.ts';
import { isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import type { JobDirectory } from './job-directory.ts';
import { killTagged } from './tagged-processes.ts';

/** A fence dies with its supervisor by itself; this makes sure before anybody looks at the workspace (I9). */
export function endOrphans(files: JobDirectory, job: Job): void {
  const first = files.fenceProcess();
  if (first !== null) end(first);
  if (job.fence.mode === 'none') killTagged(job.nonce);
}

/** A supervisor whose socket is closed is on its way out; one that does not go is ended. */
export async function untilDead(record: SupervisorRecord): Promise<void> {
  for (let waited = 0; isAlive(record); waited += 5) {
    if (waited > 10_000) end(record);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function end(identity: ProcessIdentity): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
