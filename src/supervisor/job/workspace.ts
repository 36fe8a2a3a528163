import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { callFilter, findHost, type Host } from '../../adapters/fence/index.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { personsStore } from '../../adapters/git/lfs/index.ts';
import { makeWorkspace } from '../../adapters/workspace/index.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import type { Job } from '../../ports/supervisor.ts';
import { hasRepository, isFenced, type JobContext, type JobFence } from './context.ts';

type Environment = JobContext['environment'];

/** Makes the workspace of a job or of a person's shell. Throws FenceUnavailable before any work is done. */
export async function makeJobWorkspace(
  { job, files, environment }: Pick<JobFence, 'job' | 'files' | 'environment'>,
  { withIncluded }: { readonly withIncluded: boolean },
): Promise<{ readonly host: Host; readonly findings: readonly Finding[] }> {
  const host = findHost(environment, [job.checkout, dirname(job.repository)], job.id);
  if (isFenced(job)) callFilter();
  if (!hasRepository(job)) {
    makeScratch(files.workspace, ownerOf(job, host));
    return { host, findings: [] };
  }
  const hasCheckout = existsSync(job.checkout);
  const { findings } = await makeWorkspace({
    repository: job.repository,
    directory: files.workspace,
    commit: job.from,
    base: job.base,
    onCopied: files.writeCopied,
    ...(hasCheckout ? { modules: job.checkout } : {}),
    lfs: { attributes: job.base, stores: lfsStores(job, environment).stores },
    ...(ownerOf(job, host) ?? {}),
    ...(withIncluded && hasCheckout ? { checkout: job.checkout } : {}),
  });
  return { host, findings };
}

/** An empty folder. It is made anew, and nothing of it is kept. */
function makeScratch(directory: string, owner: Host['agent'] | null): void {
  removeTreeSync(directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (owner !== null) chownSync(directory, owner.uid, owner.gid);
}

/** The user that root gives the workspace to; null when everything is ours anyway. */
export const ownerOf = (job: Pick<Job, 'fence'>, host: Host): Host['agent'] | null =>
  host.uid === 0 && isFenced(job) ? host.agent : null;

/** Stores that may hold the LFS objects of a job: those of snapshots, then the person's own. */
export function lfsStores(job: Pick<Job, 'repository' | 'checkout'>, environment: Environment) {
  const store = stateDir(dirname(job.repository)).lfs;
  let all: Promise<readonly string[]> | null = null;
  const look = async () =>
    existsSync(job.checkout) ? [store, await personsStore(job.checkout, environment)] : [store];
  return {
    store,
    stores(): Promise<readonly string[]> {
      all ??= look();
      return all;
    },
  };
}
