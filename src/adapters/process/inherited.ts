import { closeSync, readdirSync, readFileSync } from 'node:fs';

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
