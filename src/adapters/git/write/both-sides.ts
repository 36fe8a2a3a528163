import type { TreeId } from '../../../domain/base/ids.ts';
import { type Side, type SidesBeside, sideName } from '../../../domain/landing/landing.ts';
import { openObjects } from '../process/index.ts';
import { absent, type ConflictSide, mergeSides, readChanges, type Sides, withEntries } from './objects.ts';

/**
 * The merge for a person who settles its conflicts. Text holds both sides, between markers; what cannot (a binary file, a link, one that
 * the other side removed) is taken off its path and lies beside it, so that nobody takes one side without a choice.
 */
export async function mergeForPerson(
  gitDir: string,
  sides: Sides,
): Promise<{ readonly tree: TreeId; readonly beside: readonly SidesBeside[]; readonly files: readonly string[] }> {
  const { tree, stages, files } = await mergeSides(gitDir, sides);
  const marked = await markedFiles(gitDir, sides.ours, tree);
  const apart = files
    .filter((path) => !marked.has(path))
    .map((path) => ({ path, versions: versionsOf(path, stages) }))
    .filter(({ versions }) => versions.length > 0);
  const entries = apart.flatMap(({ path, versions }) => [
    ...versions.slice(0, 1).map(({ id }) => ({ mode: absent, id: '0'.repeat(id.length), path })),
    ...versions.map(({ mode, id, side }) => ({ mode, id, path: sideName(path, side) })),
  ]);
  const beside = apart.map(({ path, versions }) => ({ path, sides: versions.map(({ side }) => side) }));
  return { tree: await withEntries(gitDir, tree, entries), beside, files };
}

const gitlink = '160000';

function versionsOf(
  path: string,
  stages: readonly ConflictSide[],
): readonly (ConflictSide & { readonly side: Side })[] {
  return stages
    .filter((one) => one.path === path && one.stage !== 1 && one.mode !== gitlink)
    .map((one) => ({ ...one, side: one.stage === 2 ? 'branch' : 'run' }));
}

/** Files of the merge in which git has marked both sides. */
async function markedFiles(gitDir: string, ours: TreeId, merged: TreeId): Promise<ReadonlySet<string>> {
  await using objects = openObjects(gitDir);
  const marked = new Set<string>();
  for (const { path, newMode, newId } of await readChanges(gitDir, ours, merged)) {
    if (!newMode.startsWith('100')) continue;
    const text = (await objects.read(newId))?.toString('latin1') ?? '';
    if (/^<{7} /m.test(text) && /^>{7} /m.test(text)) marked.add(path);
  }
  return marked;
}
