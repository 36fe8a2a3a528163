import type { CommitId } from '../../../domain/base/ids.ts';
import { type GitOutput, git, objectId, runGit } from '../process/index.ts';
import { splitNul } from '../read/index.ts';
import type { Person } from './person.ts';

export type IndexEntry = { readonly mode: string; readonly id: string; readonly skipped: boolean };

/** Tracked paths that differ from HEAD in index or working tree, or whose changes git was told to overlook. */
export async function dirtyPaths(person: Person): Promise<readonly string[]> {
  const options = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=all'];
  const status = splitNul(await git({ ...person, args: ['status', ...options] })).map((line) => line.slice(3));
  const flagged = splitNul(await git({ ...person, args: ['ls-files', '-z', '-v'] }));
  const overlooked = flagged.filter((line) => /^[a-z]/.test(line)).map((line) => line.slice(2));
  return [...status, ...overlooked];
}

/** The index as it is; null for a path with unmerged entries. */
export async function readIndex(person: Person): Promise<ReadonlyMap<string, IndexEntry | null>> {
  const lines = splitNul(await git({ ...person, args: ['ls-files', '-z', '-s', '-t'] }));
  const entries = new Map<string, IndexEntry | null>();
  for (const line of lines) {
    const tab = line.indexOf('\t');
    const [tag, mode = '', id = '', stage] = line.slice(0, tab).split(' ');
    entries.set(line.slice(tab + 1), stage === '0' ? { mode, id, skipped: tag === 'S' } : null);
  }
  return entries;
}

/** Moves index and working tree; local changes elsewhere are kept. Git looks at everything before it touches anything. */
export async function switchTree(person: Person, from: CommitId, to: CommitId): Promise<GitOutput> {
  await runGit({ ...person, args: ['update-index', '-q', '--refresh'] });
  return await runGit({ ...person, args: ['read-tree', '-m', '-u', objectId(from), objectId(to)] });
}

/** Writes these paths into the working tree as the index has them, whatever is there. */
export async function restoreFromIndex(person: Person, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const stdin = `${paths.join('\0')}\0`;
  await git({ ...person, stdin, args: ['checkout-index', '-f', '-u', '-q', '-z', '--stdin'] });
}

/** Ids that these regular files would have if they were added, filters and all. */
export async function hashFiles(person: Person, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const stdin = `${paths.join('\n')}\n`;
  const out = await git({ ...person, stdin, args: ['hash-object', '--stdin-paths'] });
  return out.toString('utf8').trimEnd().split('\n');
}

export async function hashBytes(person: Person, bytes: string): Promise<string> {
  return (await git({ ...person, stdin: bytes, args: ['hash-object', '--stdin', '--no-filters'] })).toString().trim();
}
