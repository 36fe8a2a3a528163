import { readdirSync, readFileSync } from 'node:fs';
import type { Job, SupervisorRecord } from '../../ports/supervisor.ts';
import { isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import type { JobDirectory } from './job-directory.ts';

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

/**
 * Ends what an unfenced process left behind: without a pid namespace a daemon is known only by the nonce in its environment.
 * A process that cleaned its environment escapes this; that is what waiving the fence gives away.
 */
export function killTagged(nonce: string): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    if (environmentOf(name).includes(`TIDEGATE_NONCE=${nonce}`)) kill(Number(name));
  }
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
