import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/** A file system of its own at `path`, whose size and mode a test can change. Null where none can be mounted, after saying why. */
export function smallDisk(path: string, size: string) {
  mkdirSync(path, { recursive: true });
  const mount = (...args: string[]) => spawnSync('mount', args, { encoding: 'utf8' });
  const mounted = mount('-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tidegate-test', path);
  if (mounted.status !== 0) {
    console.log(`SKIPPED: a small tmpfs cannot be mounted: ${mounted.error?.message ?? mounted.stderr.trim()}`);
    return null;
  }
  return {
    remount: (options: string): void => {
      const done = mount('-o', `remount,${options}`, path);
      if (done.status !== 0) throw new Error(`remount ${options}: ${done.stderr}`);
    },
    [Symbol.dispose]: () => void spawnSync('umount', ['--lazy', path]),
  };
}
