import { shellPath } from '../../../domain/base/safe-text.ts';
import { sizeText } from '../../../domain/kept/disk.ts';
import { keepingOf, keepingOfLfs, keepingOfProofs } from '../../../engine/jobs/disk-keeper.ts';
import { currentRuns } from '../../../engine/orders/current-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { actOnce } from '../../frame/act.ts';
import { command, done, type Outcome, usageError } from '../../frame/command.ts';
import { withRepository } from '../../frame/subject.ts';

export const cleanCommand = command({
  name: 'clean',
  group: 'keep',
  summary: 'remove workspaces of landed or dropped work, and unused copies',
  arguments: { path: { about: 'with --discard: paths, as `tidegate status` shows them', variadic: true } },
  options: {
    dryRun: { about: 'show what would be removed, and why the rest is kept' },
    discard: { value: 'run/task', about: 'remove files of this task that no snapshot holds' },
  },
  help: 'Snapshots, logs and records stay. Files that you changed with `tidegate edit` and did not submit are only listed.',
  run: async ({ path, dryRun, discard }, context, program) => {
    if (discard === undefined && path.length > 0)
      return usageError('usage', 'clean: paths need --discard <run>/<task>');
    if (discard !== undefined && (path.length === 0 || dryRun))
      return usageError(
        'usage',
        'clean: --discard <run>/<task> needs the paths to remove, and does not take --dry-run',
      );
    return discard === undefined
      ? withRepository(program.ports.openRepository, context, 'look', (repo) => cleanDisk(dryRun, repo))
      : actOnce({ action: 'discard', subject: discard, input: { paths: path } }, context, program);
  },
});

/** Removes what no run needs any more, and lists the rest with its reason. */
export async function cleanDisk(dryRun: boolean, repo: RepositoryHandle): Promise<Outcome> {
  const runs = (await currentRuns(repo)).map(({ state }) => state);
  const holdings = await repo.disk.holdings();
  const copies = holdings
    .flatMap((holding) => (holding.kind === 'copy' ? [holding] : []))
    .map(({ id, bytes, over }) => ({ id, bytes, keep: !over, why: over ? 'not in use' : 'in use' }));
  const edits = holdings
    .flatMap((holding) => (holding.kind === 'edit' ? [holding] : []))
    .map(({ id, bytes }) => ({
      id,
      bytes,
      keep: true,
      why: `changed by hand and not submitted: rm -r ${shellPath(`${repo.state.root}/${id}`)}`,
    }));
  const unused = copies.filter(({ keep }) => !keep);
  const jobs = holdings
    .flatMap((holding) => (holding.kind === 'workspace' ? [holding] : []))
    .map(({ id, bytes, over }) => ({ id, bytes, ...(over ? keepingOf(id, runs) : jobIsLive) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const removable = jobs.filter(({ keep }) => !keep);
  const ofJobs = holdings
    .flatMap((holding) => (holding.kind === 'evidence' ? [holding] : []))
    .map(({ kind, id, bytes, over }) => ({ kind, id, bytes, ...(over ? keepingOf(id, runs) : jobIsLive) }));
  const ofPeople = holdings
    .flatMap((holding) => (holding.kind === 'proofs' ? [holding] : []))
    .map(({ kind, id, bytes }) => ({ kind, id, bytes, ...keepingOfProofs(id, runs) }));
  const proofs = [...ofJobs, ...ofPeople];
  const obsolete = proofs.filter(({ keep }) => !keep);
  const lfs = { bytes: await repo.files.lfsBytes(), ...keepingOfLfs(runs) };
  if (!dryRun) for (const { id } of removable) await repo.disk.remove({ kind: 'workspace', id });
  if (!dryRun) for (const { kind, id } of obsolete) await repo.disk.remove({ kind, id });
  if (!dryRun) for (const { id } of unused) await repo.disk.remove({ kind: 'copy', id });
  if (!dryRun && !lfs.keep) await repo.files.removeLfs();
  // listed after the removals: a removed workspace no longer uses its store
  const stores = (await repo.disk.holdings()).flatMap((holding) => (holding.kind === 'store' ? [holding] : []));
  if (!dryRun) for (const { id } of stores) await repo.disk.remove({ kind: 'store', id });
  const unborrowed = {
    bytes: stores.reduce((sum, { bytes }) => sum + bytes, 0),
    keep: false,
    why: 'no workspace uses them',
  };
  const verb = dryRun ? 'remove' : 'removed';
  const objects = lfs.bytes === 0 ? [] : [{ id: 'LFS objects', ...lfs }];
  const stored = stores.length === 0 ? [] : [{ id: 'git objects', ...unborrowed }];
  const evidence = proofs.map(({ kind: _, ...rest }) => rest);
  const named = evidence.map(({ id, ...rest }) => ({ ...rest, id: `proofs of ${id}` }));
  const lines = [...jobs, ...named, ...copies, ...edits, ...objects, ...stored].map(
    ({ id, bytes, keep, why }): Text => [
      { text: (keep ? 'keep' : verb).padEnd(8), tone: keep ? 'dim' : 'good' },
      `${sizeText(bytes).padStart(8)}  ${id}: ${why}`,
    ],
  );
  const freed = [...removable, ...obsolete, ...unused].reduce(
    (sum, { bytes }) => sum + bytes,
    (lfs.keep ? 0 : lfs.bytes) + unborrowed.bytes,
  );
  const kept = jobs.length - removable.length;
  const summary = `${dryRun ? 'Would free' : 'Freed'} ${sizeText(freed)} in ${count(removable.length)}; ${count(kept)} kept.`;
  return done([...lines, summary], {
    dryRun,
    workspaces: jobs,
    evidence,
    copies,
    edits,
    lfs,
    stores: unborrowed,
    freed,
  });
}

const count = (workspaces: number): string => `${workspaces} workspace${workspaces === 1 ? '' : 's'}`;
const jobIsLive = { keep: true, why: 'its job is still running' } as const;
