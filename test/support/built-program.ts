import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../../scripts/sources-hash.ts';

/** Before tests of real processes: builds the program if a source has changed since the last build. */
export default function buildProgram(): void {
  const checkout = fileURLToPath(new URL('../..', import.meta.url));
  if (isBuilt(checkout)) return;
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: checkout, stdio: 'inherit' });
}
