import { readdirSync, readFileSync } from 'node:fs';

/** Processes of this machine, whichever namespace they are in, that have the text in their command line. */
export const processesWith = (text: string): readonly string[] =>
  otherProcesses().filter((pid) => commandLine(pid).includes(text));

export const otherProcesses = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid);

/** `NAME=value` each; nothing of a process that has ended. */
export const environmentOf = (pid: string): readonly string[] => read(pid, 'environ').split('\0');

export const commandLine = (pid: string): string => read(pid, 'cmdline');

function read(pid: string, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
