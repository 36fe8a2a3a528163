import { keepingOf, keepingOfLfs } from '../engine/clean-up.ts';
import { knownRuns } from '../engine/find-run.ts';
import type { Text } from '../ports/terminal.ts';
import { done, type Outcome, type Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';

/**
 * `tidegate clean`: removes workspaces whose work is landed or was dropped by name, and LFS objects when all work is.
 * Snapshots, logs and records stay.
 */
export const clean =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .option('--dry-run', 'only say what would be removed, and why the rest is kept')
      .action(
        does((options: { dryRun?: boolean }) =>
          atDesk(open, context, 'look', (desk) => sweep(desk, options.dryRun === true)),
        ),
      );
  };

async function sweep(desk: Desk, dryRun: boolean): Promise<Outcome> {
  const runs = (await knownRuns(desk.ledger)).map(({ state }) => state);
  const jobs = (await desk.files.jobs())
    .filter(({ bytes }) => bytes > 0)
    .map(({ id, bytes }) => ({ id, bytes, ...keepingOf(id, runs) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const removable = jobs.filter(({ keep }) => !keep);
  const lfs = { bytes: await desk.files.lfsBytes(), ...keepingOfLfs(runs) };
  if (!dryRun) for (const { id } of removable) await desk.files.removeWorkspace(id);
  if (!dryRun && !lfs.keep) await desk.files.removeLfs();
  const verb = dryRun ? 'remove' : 'removed';
  const objects = lfs.bytes === 0 ? [] : [{ id: 'LFS objects', ...lfs }];
  const lines = [...jobs, ...objects].map(
    ({ id, bytes, keep, why }): Text => [
      { text: (keep ? 'keep' : verb).padEnd(8), tone: keep ? 'dim' : 'good' },
      `${size(bytes).padStart(8)}  ${id}: ${why}`,
    ],
  );
  const freed = removable.reduce((sum, { bytes }) => sum + bytes, lfs.keep ? 0 : lfs.bytes);
  const kept = jobs.length - removable.length;
  const summary = `${dryRun ? 'Would free' : 'Freed'} ${size(freed)} in ${count(removable.length)}; ${count(kept)} kept.`;
  return done([...lines, summary], { dryRun, workspaces: jobs, lfs, freed });
}

const count = (workspaces: number): string => `${workspaces} workspace${workspaces === 1 ? '' : 's'}`;

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = bytes < 1e6 ? { of: 1e3, name: 'KB' } : bytes < 1e9 ? { of: 1e6, name: 'MB' } : { of: 1e9, name: 'GB' };
  return `${(bytes / unit.of).toFixed(1)} ${unit.name}`;
}
