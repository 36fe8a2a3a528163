import { readdirSync, readFileSync } from 'node:fs';
import type { Job, SupervisorRecord } from '../../ports/supervisor.ts';
import { isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import type { JobDirectory } from './job-directory.ts';

/** Ends processes that a dead supervisor left. A fence ends with its supervisor; this makes sure of it before the workspace is read (I9). */
export function endOrphans(files: JobDirectory, job: Job): void {
  const first = files.fenceProcess();
  if (first !== null) end(first);
  if (job.fence.mode === 'none') killTagged(job.nonce);
}

/** Waits until a supervisor whose socket is closed has ended, and kills it after ten seconds. */
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
 * Ends the processes that an unfenced job left. Without a pid namespace, only the nonce in its environment identifies a daemon.
 * A process that cleared its environment escapes this: that is the price of working without a fence.
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
