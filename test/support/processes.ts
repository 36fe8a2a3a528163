import { readdirSync, readFileSync } from 'node:fs';

/** Processes of this machine, whichever namespace they are in, that have the text in their command line. */
export const processesWith = (text: string): readonly string[] =>
  readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && commandLine(pid).includes(text),
  );

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
