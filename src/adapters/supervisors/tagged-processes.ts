import { readdirSync, readFileSync } from 'node:fs';

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
