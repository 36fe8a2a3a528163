import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Enough to tell a living process from another one that was given its pid later. */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string; readonly bootId: string };

/** Identifies this process, or the living process `pid`. */
export function identify(pid: number = process.pid): ProcessIdentity {
  const identity = identityOf(pid);
  if (identity === null) throw new Error(`there is no process ${pid}`);
  return identity;
}

/** Null when there is no such process. */
export function identityOf(pid: number): ProcessIdentity | null {
  const stat = statOf(pid);
  return stat === null ? null : { pid, startTime: stat.startTime, bootId: bootId() };
}

/** True only for the very same process; a zombie runs nothing and counts as dead. */
export function isAlive(process: ProcessIdentity): boolean {
  if (process.bootId !== bootId()) return false;
  const stat = statOf(process.pid);
  return stat !== null && stat.startTime === process.startTime && stat.state !== 'Z' && stat.state !== 'X';
}

/** True when a living process is stopped, by Ctrl-Z or SIGSTOP: it does nothing until it is continued. */
export const isStopped = (process: ProcessIdentity): boolean => isAlive(process) && statOf(process.pid)?.state === 'T';

/** This process as the name of a directory that is its own. */
export function ownName(): string {
  const { pid, startTime, bootId } = identify();
  return `${pid}_${startTime}_${bootId}`;
}

export function isOfLiving(ownName: string): boolean {
  const [pid, startTime = '', bootId = ''] = ownName.split('_');
  return isAlive({ pid: Number(pid), startTime, bootId });
}

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** The program name in /proc/pid/stat may hold spaces and brackets: fields are counted from its last bracket. */
function statOf(pid: number): { readonly state: string; readonly startTime: string } | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // ESRCH: it ended between open and read.
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** Closes descriptors that our parent left open, which the fence would inherit. Those of Node close on exec. */
export function closeInherited(): void {
  const closesOnExec = 0o2000000;
  for (const name of readdirSync('/proc/self/fd')) {
    if (Number(name) <= 2) continue;
    const flags = /^flags:\s+(\d+)$/m.exec(readInfo(name))?.[1];
    if (flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0) closeSync(Number(name));
  }
}

function readInfo(name: string): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${name}`, 'utf8');
  } catch (error) {
    // the descriptor that listed the directory is closed by now
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
