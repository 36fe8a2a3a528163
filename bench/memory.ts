import { readdirSync, readFileSync } from 'node:fs';

export type Peaks = {
  /** MB, the kernel's own high-water mark. */
  readonly coordinator: number;
  readonly merger: number;
  /** The largest one. */
  readonly supervisor: number;
  /** At one time, below the coordinator and with it. */
  readonly processes: number;
  /** Resident at one time in our own processes, MB. */
  readonly together: number;
};

const interval = 150;

/** Looks at the process tree below `root` now and then, until it is stopped. Short-lived peaks may be missed. */
export function watchMemory(root: number): { stop(): Peaks } {
  const peaks = { coordinator: 0, merger: 0, supervisor: 0, processes: 0, together: 0 };
  const look = (): void => {
    const tree = descendants(root);
    peaks.processes = Math.max(peaks.processes, tree.length);
    let together = 0;
    for (const pid of tree) {
      const role = pid === root ? 'coordinator' : roleOf(read(`${pid}/cmdline`));
      if (role === null) continue;
      const status = read(`${pid}/status`);
      peaks[role] = Math.max(peaks[role], megabytes(status, 'VmHWM'));
      together += megabytes(status, 'VmRSS');
    }
    peaks.together = Math.max(peaks.together, together);
  };
  const timer = setInterval(look, interval);
  return {
    stop: () => {
      clearInterval(timer);
      return peaks;
    },
  };
}

function roleOf(commandLine: string): 'merger' | 'supervisor' | null {
  if (commandLine.includes('/main/merger.js')) return 'merger';
  return commandLine.includes('/main/supervisor.js') ? 'supervisor' : null;
}

function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (pid: number): readonly number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return below(root);
}

const megabytes = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;

/** Empty when the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
