import type { Finding } from '../../domain/findings/finding.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { type ModuleRow, statPrint } from '../files/workspace-record.ts';
import { gitlinksIn, insideAny, type TreeEntry } from '../git/read/index.ts';
import { modeOf } from './changes.ts';
import { seeContent } from './content.ts';
import { isModulesName } from './names.ts';
import type { Walk, WalkedFile } from './walk.ts';

/** How the contents of submodules stand in a workspace: they are no work of a task, and must be as they were. */
type ModuleContents = {
  /** The walk without what lies in submodules. */
  readonly walk: Walk;
  readonly refused: readonly Finding[];
};

/** Named in a finding at most. */
const mostNamed = 20;

/** Tells contents of submodules from work, and finds what in them is not as it was made. */
export function judgeModules(
  root: string,
  walk: Walk,
  from: readonly TreeEntry[],
  {
    rows,
    included,
    format,
  }: {
    readonly rows: readonly ModuleRow[];
    /** path, print of files copied in by `.worktreeinclude`. */
    readonly included: ReadonlyMap<string, string>;
    readonly format: 'sha1' | 'sha256';
  },
): ModuleContents {
  const links = gitlinksIn(from).map(({ path }) => path);
  if (links.length === 0) return { walk, refused: [] };
  const isIncluded = ({ path, stats }: WalkedFile): boolean => included.get(path) === statPrint(stats);
  const inside = walk.found.filter((found) => insideAny(links, found.path) !== undefined && !isIncluded(found));
  const made = new Map(rows.map((row) => [row[0], row]));
  const present = new Set(inside.map(({ path }) => path));
  const gone = rows.map(([path]) => path).filter((path) => !present.has(path) && !isUnseen(walk, path));
  const changed = [
    ...inside.filter((found) => !isAsMade(root, found, made.get(found.path), format)).map(pathOf),
    ...gone,
  ];
  const byLink = Map.groupBy(changed.toSorted(), (path) => insideAny(links, path) ?? '');
  return {
    walk: { ...walk, found: walk.found.filter(({ path }) => insideAny(links, path) === undefined) },
    refused: [...byLink].map(([where, files]) => ({
      rule: 'submodule-changed',
      where,
      files: files.slice(0, mostNamed),
    })),
  };
}

const pathOf = ({ path }: WalkedFile): string => path;

const isUnseen = ({ unseen }: Walk, path: string): boolean =>
  unseen.some((gone) => gone === '' || path === gone || path.startsWith(`${gone}/`));

function isAsMade(root: string, found: WalkedFile, row: ModuleRow | undefined, format: 'sha1' | 'sha256'): boolean {
  if (row === undefined || modeOf(found) !== row[3]) return false;
  return statPrint(found.stats) === row[1] || seeContent(root, found, format, false).id === row[2];
}

/** Which submodules there are is for people to say: gitlinks stay as they are, and so does the file that describes them, wherever it lies and however it is spelled. */
export const changedGitlinks = (diff: SnapshotEvidence['diff']): readonly Finding[] =>
  diff.flatMap(({ path, oldMode, newMode }): readonly Finding[] => {
    if (path.split('/').some(isModulesName)) return [{ rule: 'submodule-changed', where: path, files: [] }];
    const isLink = oldMode === '160000' || newMode === '160000';
    return isLink ? [{ rule: 'submodule-changed', where: path, files: [path] }] : [];
  });
