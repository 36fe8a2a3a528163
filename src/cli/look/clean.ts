import { shellPath } from '../../domain/base/shell-word.ts';
import { sizeText } from '../../domain/kept/disk.ts';
import { keepingOf, keepingOfLfs } from '../../engine/jobs/clean-up.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import { asSeenNow } from '../../engine/orders/look-back.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { done, type Outcome } from '../frame/command.ts';

/**
 * `tidegate clean`: removes workspaces whose work is landed or was dropped by name, copies that `shell` and `open` made when
 * these have ended, stores of git objects that none of these borrows, and LFS objects when all work is. What `edit` left and did not take is only named.
 * Snapshots, logs and records stay.
 */
export async function cleanDisk({ dryRun }: { readonly dryRun: boolean }, repo: RepositoryHandle): Promise<Outcome> {
  const known = await knownRuns(repo.ledger);
  const runs = (await Promise.all(known.map((one) => asSeenNow(one, repo.git)))).map(({ state }) => state);
  const holdings = await repo.disk.holdings();
  const copies = holdings
    .flatMap((found) => (found.kind === 'copy' ? [found] : []))
    .map(({ id, bytes, over }) => ({ id, bytes, keep: !over, why: over ? 'nobody uses it' : 'it is in use' }));
  const edits = holdings
    .flatMap((found) => (found.kind === 'edit' ? [found] : []))
    .map(({ id, bytes }) => ({
      id,
      bytes,
      keep: true,
      why: `changed by hand, not handed in: rm -r ${shellPath(`${repo.state.root}/${id}`)}`,
    }));
  const unused = copies.filter(({ keep }) => !keep);
  const jobs = holdings
    .flatMap((found) => (found.kind === 'workspace' ? [found] : []))
    .map(({ id, bytes, over }) => ({ id, bytes, ...(over ? keepingOf(id, runs) : atWork) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const removable = jobs.filter(({ keep }) => !keep);
  const lfs = { bytes: await repo.files.lfsBytes(), ...keepingOfLfs(runs) };
  if (!dryRun) for (const { id } of removable) await repo.disk.remove({ kind: 'workspace', id });
  if (!dryRun) for (const { id } of unused) await repo.disk.remove({ kind: 'copy', id });
  if (!dryRun && !lfs.keep) await repo.files.removeLfs();
  // Asked for now: what a workspace borrowed is unused without it.
  const stores = (await repo.disk.holdings()).flatMap((found) => (found.kind === 'store' ? [found] : []));
  if (!dryRun) for (const { id } of stores) await repo.disk.remove({ kind: 'store', id });
  const unborrowed = {
    bytes: stores.reduce((sum, { bytes }) => sum + bytes, 0),
    keep: false,
    why: 'no workspace uses them',
  };
  const verb = dryRun ? 'remove' : 'removed';
  const objects = lfs.bytes === 0 ? [] : [{ id: 'LFS objects', ...lfs }];
  const stored = stores.length === 0 ? [] : [{ id: 'git objects', ...unborrowed }];
  const lines = [...jobs, ...copies, ...edits, ...objects, ...stored].map(
    ({ id, bytes, keep, why }): Text => [
      { text: (keep ? 'keep' : verb).padEnd(8), tone: keep ? 'dim' : 'good' },
      `${sizeText(bytes).padStart(8)}  ${id}: ${why}`,
    ],
  );
  const freed = [...removable, ...unused].reduce(
    (sum, { bytes }) => sum + bytes,
    (lfs.keep ? 0 : lfs.bytes) + unborrowed.bytes,
  );
  const kept = jobs.length - removable.length;
  const summary = `${dryRun ? 'Would free' : 'Freed'} ${sizeText(freed)} in ${count(removable.length)}; ${count(kept)} kept.`;
  return done([...lines, summary], { dryRun, workspaces: jobs, copies, edits, lfs, stores: unborrowed, freed });
}

const count = (workspaces: number): string => `${workspaces} workspace${workspaces === 1 ? '' : 's'}`;
const atWork = { keep: true, why: 'its job has not ended' } as const;
