import type { Finding } from '../../domain/findings/finding.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { type ModuleRow, statPrint } from '../files/workspace-record.ts';
import { gitlinksIn, insideAny, type TreeEntry } from '../git/read/index.ts';
import { modeOf, seeContent } from './changes.ts';
import { isModulesName, type Walk, type WalkedFile } from './walk.ts';

/** The contents of submodules in a workspace. They are not work of a task and must be unchanged. */
type ModuleContents = {
  /** The walk without what lies in submodules. */
  readonly walk: Walk;
  readonly refused: readonly Finding[];
};

/** Named in a finding at most. */
const mostNamed = 20;

/** Separates contents of submodules from work, and finds changes in them. */
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
  const inside = walk.files.filter((file) => insideAny(links, file.path) !== undefined && !isIncluded(file));
  const rowOf = new Map(rows.map((row) => [row[0], row]));
  const present = new Set(inside.map(({ path }) => path));
  const gone = rows.map(([path]) => path).filter((path) => !present.has(path) && !isUnseen(walk, path));
  const changed = [
    ...inside.filter((file) => !isAsMade(root, file, rowOf.get(file.path), format)).map(pathOf),
    ...gone,
  ];
  const byLink = Map.groupBy(changed.toSorted(), (path) => insideAny(links, path) ?? '');
  return {
    walk: { ...walk, files: walk.files.filter(({ path }) => insideAny(links, path) === undefined) },
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

function isAsMade(root: string, file: WalkedFile, row: ModuleRow | undefined, format: 'sha1' | 'sha256'): boolean {
  if (row === undefined || modeOf(file) !== row[3]) return false;
  return statPrint(file.stats) === row[1] || seeContent(root, file, format, false).id === row[2];
}

/** Refuses changes of gitlinks and of the file that describes them, wherever it is and however it is spelled: people decide which submodules exist. */
export const changedGitlinks = (diff: SnapshotEvidence['diff']): readonly Finding[] =>
  diff.flatMap(({ path, oldMode, newMode }): readonly Finding[] => {
    if (path.split('/').some(isModulesName)) return [{ rule: 'submodule-changed', where: path, files: [] }];
    const isLink = oldMode === '160000' || newMode === '160000';
    return isLink ? [{ rule: 'submodule-changed', where: path, files: [path] }] : [];
  });
