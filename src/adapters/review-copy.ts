import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitId } from '../domain/ids.ts';
import { git, objectId } from './git-process/index.ts';

/** The files of a snapshot in a new directory of this person alone, to be looked at: no repository, and nothing that leads back. */
export async function makeReviewCopy(gitDir: string, commit: CommitId, name: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tidegate-review-'));
  const workTree = join(root, name);
  const env = { GIT_INDEX_FILE: join(root, 'index') };
  await mkdir(workTree);
  await git({ gitDir, env, args: ['read-tree', objectId(commit)] });
  await git({ gitDir, workTree, cwd: workTree, env, args: ['checkout-index', '--all', '--force'] });
  await rm(env.GIT_INDEX_FILE);
  return workTree;
}
