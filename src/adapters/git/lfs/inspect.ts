import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { gitLine, openObjects } from '../process/index.ts';
import { findCheckout, listTree } from '../read/index.ts';
import { lfsRules } from './attributes.ts';
import { personsStore } from './persons-store.ts';
import { readPointers } from './read-pointers.ts';
import { findObject } from './store.ts';

/** What of the LFS files at HEAD the person's repository does not have: workspaces would be made without it. */
export async function inspectLfs(
  checkout: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const { gitDir } = await findCheckout(checkout);
  const head = commitId(await gitLine({ gitDir, args: ['rev-parse', '--verify', 'HEAD^{commit}'] }));
  const pointers = await readPointers(gitDir, await lfsBlobs(gitDir, head));
  if (pointers.size === 0) return [];
  const store = await personsStore(checkout, environment);
  const missing = [...pointers.values()].filter((pointer) => findObject([store], pointer) === null).length;
  return missing === 0 ? [] : [missingObjects(missing, pointers.size)];
}

export const missingObjects = (missing: number, all: number): Finding => ({
  rule: 'lfs-missing',
  missing,
  all,
});

async function lfsBlobs(gitDir: string, commit: CommitId): Promise<readonly string[]> {
  const tree = await listTree(gitDir, commit);
  await using objects = openObjects(gitDir);
  const rules = await lfsRules(gitDir, tree, ({ id }) => objects.read(id));
  const regular = tree.filter(({ mode }) => mode.startsWith('100'));
  const kept = (await rules?.(regular.map(({ path }) => path))) ?? new Set();
  return regular.filter(({ path }) => kept.has(path)).map(({ id }) => id);
}
