import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StateDir, stateDir } from '../src/domain/ledger/state-dir.ts';
import { run } from './process.ts';

export const program = fileURLToPath(new URL('../dist/main/cli.js', import.meta.url));

/** The real program on a checkout, from its start to its end, with a state directory of its own. */
export async function runTidegate(root: string, onSpawn?: (pid: number) => void): Promise<StateDir> {
  const home = join(root, 'home');
  const states = join(root, 'state');
  mkdirSync(home, { recursive: true });
  await run(process.execPath, [program, 'run', 'plan.yaml', '--yes', '--land'], {
    cwd: join(root, 'repo'),
    env: { HOME: home, TIDEGATE_STATE_DIR: states },
    ...(onSpawn === undefined ? {} : { onSpawn }),
  });
  return stateDir(join(states, readdirSync(states)[0] ?? ''));
}

/** After the end: the write-ahead log is empty or gone by then. */
export const ledgerBytes = (state: StateDir): number => statSync(state.ledger).size;
