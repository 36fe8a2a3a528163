import type { CommitId } from '../../../domain/base/ids.ts';
import type { FoundFiles, WantedFiles } from '../../../ports/merger.ts';
import { git, objectId } from '../process/index.ts';
import { splitNul } from './tree.ts';

/** Sizes are asked for only of what is named: git has to look every object up for them. */
export async function findFiles(gitDir: string, commit: CommitId, wanted: WantedFiles): Promise<FoundFiles> {
  const { below, matches, most } = wanted;
  if (below.length === 0) return { total: 0, files: [] };
  const paths = (await list(gitDir, commit, ['--name-only'], below.includes('') ? [] : below)).filter(matches);
  if (paths.length === 0) return { total: 0, files: [] };
  const named = await list(gitDir, commit, ['-l'], paths.slice(0, most));
  return { total: paths.length, files: named.map(sizeOf) };
}

const list = async (gitDir: string, commit: CommitId, format: readonly string[], paths: readonly string[]) =>
  splitNul(
    await git({
      gitDir,
      args: ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', ...format, objectId(commit), '--', ...paths],
    }),
  );

/** `mode type id  size<TAB>path`; a submodule has no size. */
function sizeOf(record: string): FoundFiles['files'][number] {
  const tab = record.indexOf('\t');
  const size = record.slice(0, tab).trim().split(/\s+/)[3] ?? '';
  return { path: record.slice(tab + 1), bytes: Number.parseInt(size, 10) || 0 };
}
