import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitId } from '../../domain/base/ids.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import { git, objectId } from '../git/process/index.ts';
import { ownName } from '../process/process-identity.ts';

/** Writes the files of a snapshot into a new directory for review. It is no repository and has no link to one. `clean` removes it. */
export async function makeReviewCopy(state: StateDir, commit: CommitId, name: string): Promise<string> {
  const gitDir = state.repository;
  const root = join(state.copies, ownName());
  const workTree = join(root, name);
  const env = { GIT_INDEX_FILE: join(root, 'index') };
  await mkdir(workTree, { recursive: true });
  await git({ gitDir, env, args: ['read-tree', objectId(commit)] });
  await git({ gitDir, workTree, cwd: workTree, env, args: ['checkout-index', '--all', '--force'] });
  await rm(env.GIT_INDEX_FILE);
  return workTree;
}
