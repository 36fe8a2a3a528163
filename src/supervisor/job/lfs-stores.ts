import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { personsStore } from '../../adapters/git/lfs/index.ts';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import type { Job } from '../../ports/supervisor.ts';

/** Where the LFS objects of a job may be: what snapshots brought, then what the person has. */
export function lfsStores(
  job: Pick<Job, 'repository' | 'checkout'>,
  environment: Readonly<Record<string, string | undefined>>,
) {
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
