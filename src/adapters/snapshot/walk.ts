import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { shownPath } from '../../domain/base/paths.ts';
import type { SnapshotRules } from '../../domain/findings/change-rules.ts';
import type { Finding, FindingsOf } from '../../domain/findings/finding.ts';
import type { DiffEntry } from '../../domain/gates/evidence.ts';
import { wholeWorkspace } from '../../domain/kept/kept.ts';
import { addedIn, namesAfter, pathTwins } from '../../domain/scope/path-safety.ts';
import { maskShapes, secretIn } from '../../domain/secrets/secret-shapes.ts';
import { isTooLong, openMode, openWay } from '../files/agent-files.ts';
import { hasCode } from '../files/state-file.ts';
import { type IgnoreRules, openIgnoreRules } from '../git/read/index.ts';
import { SnapshotRefused } from './changes.ts';

export type WalkedFile = { readonly path: string; readonly stats: BigIntStats };
export type Walk = {
  /** Plain files and links, whatever their content. */
  readonly files: readonly WalkedFile[];
  readonly refused: readonly Finding[];
  /** Paths that exist but could not be taken; nothing at or below them counts as deleted. */
  readonly unseen: readonly string[];
};

/** More entries than any project has: the agent flooded its workspace. */
class WorkspaceTooLarge extends SnapshotRefused {
  override readonly name = 'WorkspaceTooLarge';
}

const limits = { entries: 500_000, depth: 200 };

/**
 * Looks at every entry of a workspace by `lstat` alone: opens nothing and follows nothing, so that no link, FIFO or
 * planted repository can mislead or block it. Modes that would keep us out of our own files are widened. Ignored entries
 * are left out unless they are tracked. Directories of one level are read together, so that git answers for all of them at once.
 */
export async function walkWorkspace(
  root: string,
  tracked: { has(path: string): boolean; hasDirectory(path: string): boolean },
  ignoreFiles: ReadonlyMap<string, string | Uint8Array>,
  secrets: readonly string[] = [],
): Promise<Walk> {
  await using rules = openIgnoreRules(ignoreFiles);
  let entries = 0;
  const count = (): void => {
    entries += 1;
    if (entries > limits.entries) throw new WorkspaceTooLarge({ rule: 'workspace-too-large', entries: limits.entries });
  };

  const visit = async (directory: string, depth: number): Promise<Walk> => {
    const files: WalkedFile[] = [];
    const refused: Finding[] = [];
    const unseen: string[] = [];
    const refuse: Refuse = (path, because) => {
      refused.push({ ...because, where: shown(masked(path, secrets)) });
      unseen.push(path);
    };
    const unreadable = () => refuse(directory, { rule: 'unreadable', kind: 'directory' });
    const names = namesIn(root, directory, unreadable, (path) => {
      count();
      refused.push({ rule: 'unfit-name', fault: 'encoding', where: masked(shownPath(path), secrets) });
    });
    const looked: Entry[] = [];
    for (const name of names) {
      if (directory === '' && reservedAtTop.has(name)) continue;
      count();
      const path = directory === '' ? name : `${directory}/${name}`;
      const stats = lookAt(`${root}/${path}`);
      if (stats === 'unreadable') refuse(path, { rule: 'unreadable', kind: 'entry' });
      if (stats === 'unreadable' || stats === 'absent') continue;
      const isDirectory = stats !== 'too-deep' && stats.isDirectory();
      const isTracked = stats !== 'too-deep' && (isDirectory ? tracked.hasDirectory(path) : tracked.has(path));
      looked.push({ name, path, stats, isDirectory, isTracked });
    }
    const directories: string[] = [];
    for (const { name, path, stats, isDirectory, isTracked } of await withoutIgnored(rules, looked)) {
      if (stats === 'too-deep') refuse(path, { rule: 'too-deep' });
      else if (isGitName(name)) refuse(path, { rule: 'nested-git' });
      else if (!isTracked && isUnfitName(name)) refuse(path, { rule: 'unfit-name', fault: 'line-break' });
      else if (!isTracked && masked(name, secrets) !== name) refuse(path, secretInName(name));
      else if (isTooLong(`${root}/${path}`) || depth > limits.depth) refuse(path, { rule: 'too-deep' });
      else if (isDirectory || stats.isFile() || stats.isSymbolicLink()) {
        openMode(`${root}/${path}`, stats);
        if (isDirectory) directories.push(path);
        else files.push({ path, stats });
      } else refuse(path, { rule: 'special-file', kind: kindOf(stats) });
    }
    const below = await Promise.all(directories.map((path) => visit(path, depth + 1)));
    return {
      files: [...files, ...below.flatMap((walk) => walk.files)],
      refused: [...refused, ...below.flatMap((walk) => walk.refused)],
      unseen: [...unseen, ...below.flatMap((walk) => walk.unseen)],
    };
  };
  openWay(root, '');
  return await visit('', 0);
}

type Entry = {
  readonly name: string;
  readonly path: string;
  readonly stats: BigIntStats | 'too-deep';
  readonly isDirectory: boolean;
  readonly isTracked: boolean;
};

/** Tracked entries are never ignored, so git checks only the others. */
async function withoutIgnored(rules: IgnoreRules, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const untracked = entries.filter(({ isTracked }) => !isTracked);
  if (untracked.length === 0) return entries;
  const answers = await rules.ignores(untracked.map(({ path, isDirectory }) => (isDirectory ? `${path}/` : path)));
  const ignored = new Set(untracked.filter((_, at) => answers[at] === true));
  return entries.filter((entry) => !ignored.has(entry));
}

/** Does the same for these paths of a person's own checkout. Skips paths that are absent or directories. */
export function lookAtPaths(root: string, paths: ReadonlySet<string>): Walk {
  const files: WalkedFile[] = [];
  const refused: Finding[] = [];
  const unseen: string[] = [];
  for (const path of paths) {
    const stats = lookAt(`${root}/${path}`);
    const refuse = (because: FindingsOf<SnapshotRules>): void => {
      refused.push({ ...because, where: shown(path) });
      unseen.push(path);
    };
    if (stats === 'unreadable') refuse({ rule: 'unreadable', kind: 'entry' });
    if (stats === 'too-deep') refuse({ rule: 'too-deep' });
    if (typeof stats !== 'object' || stats.isDirectory()) continue;
    if (path.split('/').some(isUnfitName)) refuse({ rule: 'unfit-name', fault: 'line-break' });
    else if (stats.isFile() || stats.isSymbolicLink()) files.push({ path, stats });
    else refuse({ rule: 'special-file', kind: kindOf(stats) });
  }
  return { files, refused, unseen };
}

type Refuse = (path: string, because: FindingsOf<SnapshotRules>) => void;

/** Lists the names of a directory. Refuses paths that are not UTF-8: as text they could not be opened again. */
function namesIn(
  root: string,
  directory: string,
  onUnreadable: () => void,
  refuse: (path: Buffer) => void,
): readonly string[] {
  const at = directory === '' ? root : `${root}/${directory}`;
  try {
    const names = readdirSync(at);
    if (!names.some((name) => name.includes('\ufffd'))) return names;
    return readdirSync(at, { encoding: 'buffer' }).flatMap((raw) => {
      const name = raw.toString('utf8');
      if (Buffer.from(name).equals(raw)) return [name];
      refuse(Buffer.concat([Buffer.from(directory === '' ? '' : `${directory}/`), raw]));
      return [];
    });
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    onUnreadable();
    return [];
  }
}

/** A directory may be listable and yet not searchable. */
export function lookAt(path: string): BigIntStats | 'absent' | 'unreadable' | 'too-deep' {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? 'absent';
  } catch (error) {
    if (hasCode(error, 'ENAMETOOLONG')) return 'too-deep';
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    return 'unreadable';
  }
}

function kindOf(stats: BigIntStats): SnapshotRules['special-file']['kind'] {
  if (stats.isFIFO()) return 'FIFO';
  if (stats.isSocket()) return 'socket';
  return 'device';
}

/** The root itself has no name. */
const shown = (path: string): string => (path === '' ? wholeWorkspace : shownPath(Buffer.from(path)));

export const masked = (text: string, secrets: readonly string[]): string =>
  maskShapes(secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text));

function secretInName(name: string): FindingsOf<SnapshotRules> {
  const shape = secretIn(name);
  return shape === null ? { rule: 'known-value', in: 'name' } : { rule: 'secret-shape', shape, in: 'name' };
}

/** Top-level names that are never part of a snapshot: git's own directory and ours. */
const reservedAtTop: ReadonlySet<string> = new Set(['.git', '.tidegate']);

/**
 * Names that some file system takes for `.git` (HFS+ drops invisible characters, NTFS drops trailing dots and spaces
 * and knows `git~1`). A tree that holds one is refused by git itself elsewhere.
 */
export function isGitName(name: string): boolean {
  return name.split('\\').some((part) => {
    const plain = part.replace(invisible, '').normalize('NFC').toLowerCase();
    return /^(?:\.git|git~1)[ .]*(?::.*)?$/.test(plain);
  });
}

/** Names that some file system takes for `.gitmodules`. Git reads it at the top only, and refuses what is wrong in it anywhere. */
export function isModulesName(name: string): boolean {
  const plain = name.replace(invisible, '').normalize('NFC').toLowerCase();
  return /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9])[ .]*(?::.*)?$/.test(plain);
}

/** Names that a tool which reads lines would split. */
const isUnfitName = (name: string): boolean => /[\n\r\0]/.test(name);

const invisible = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Finds added paths that some file system takes for an existing one, submodules included: a checkout there would lose one of the two. */
export function collisions(diff: readonly DiffEntry[], base: readonly { readonly path: string }[]): readonly Finding[] {
  const before = namesAfter(
    base.map(({ path }) => path),
    diff,
  );
  // twins within the diff are the finding of the scope gate
  const isThere = (name: string): boolean => before.some((path) => path === name || path.startsWith(`${name}/`));
  return pathTwins(addedIn(diff), before)
    .filter(({ first }) => isThere(first))
    .map(({ path, spelled, first }) => ({ rule: 'two-spellings', where: path, spelled, first }));
}
