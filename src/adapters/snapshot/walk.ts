import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import type { Finding } from '../../domain/findings/finding.ts';
import type { IgnoreRules } from '../git-read/index.ts';
import { isGitName, isUnfitName, reservedAtTop } from './names.ts';

export type Found = { readonly path: string; readonly stats: BigIntStats };
export type Walk = {
  /** Plain files and links, whatever their content. */
  readonly found: readonly Found[];
  readonly refused: readonly Finding[];
  /** Paths that exist but could not be taken; nothing at or below them counts as deleted. */
  readonly unseen: readonly string[];
};

/** More entries than any project has: the agent flooded its workspace. */
class WorkspaceTooLarge extends Error {
  override readonly name = 'WorkspaceTooLarge';
}

const limits = { entries: 500_000, depth: 200, pathBytes: 3_900 };

/**
 * Looks at every entry of a workspace by `lstat` alone: opens nothing, follows nothing, so that no link, FIFO or
 * planted repository can lead or hold it. Ignored entries are left out unless they are tracked.
 */
export function walkWorkspace(
  root: string,
  tracked: { has(path: string): boolean; hasDirectory(path: string): boolean },
  ignored: IgnoreRules,
  secrets: readonly string[] = [],
): Walk {
  const found: Found[] = [];
  const refused: Finding[] = [];
  const unseen: string[] = [];
  let entries = 0;

  const refuse = (rule: string, path: string, detail: string) => {
    refused.push({ rule, detail, where: printable(masked(path, secrets)) });
    unseen.push(path);
  };

  const visit = (directory: string, depth: number, allIgnored: boolean): void => {
    const names = namesIn(root, directory, (rule, name, detail) => refuse(rule, name, detail));
    for (const name of names) {
      const path = directory === '' ? name : `${directory}/${name}`;
      if (directory === '' && reservedAtTop.has(name)) continue;
      entries += 1;
      if (entries > limits.entries) throw new WorkspaceTooLarge(`more than ${limits.entries} files in the workspace`);
      const stats = lookAt(`${root}/${path}`);
      if (stats === 'unreadable') refuse('unreadable', path, 'the directory does not let anyone look at it');
      if (typeof stats !== 'object') continue;
      const isDirectory = stats.isDirectory();
      const known = isDirectory ? tracked.hasDirectory(path) : tracked.has(path);
      const leftOut = allIgnored || ((isDirectory || !known) && ignored(path, isDirectory));
      if (leftOut && !known) continue;
      if (isGitName(name)) refuse('nested-git', path, 'a repository, or a name that passes for one, in the workspace');
      else if (!known && isUnfitName(name)) refuse('unfit-name', path, 'a line break or NUL in the name');
      else if (!known && masked(name, secrets) !== name)
        refuse('known-value', path, 'a secret in the name: it would be in every list of changes');
      else if (Buffer.byteLength(path) > limits.pathBytes || depth > limits.depth)
        refuse('too-deep', path, 'the path is too long to be checked out anywhere');
      else if (isDirectory) visit(path, depth + 1, leftOut);
      else if (stats.isFile() || stats.isSymbolicLink()) found.push({ path, stats });
      else refuse('special-file', path, `a ${kindOf(stats)} cannot be kept in git`);
    }
  };
  visit('', 0, false);
  return { found, refused, unseen };
}

type Refuse = (rule: string, path: string, detail: string) => void;

/** Names of a directory. Names that are not UTF-8 are refused by an escaped form; they cannot be asked for again. */
function namesIn(root: string, directory: string, refuse: Refuse): readonly string[] {
  const at = directory === '' ? root : `${root}/${directory}`;
  try {
    const names = readdirSync(at);
    if (!names.some((name) => name.includes('\ufffd'))) return names;
    return readdirSync(at, { encoding: 'buffer' }).flatMap((raw) => {
      const name = raw.toString('utf8');
      if (Buffer.from(name).equals(raw)) return [name];
      const shown = raw.toString('latin1').replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
      refuse('unfit-name', directory === '' ? shown : `${directory}/${shown}`, 'the name is not valid UTF-8');
      return [];
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    refuse('unreadable', directory, 'the directory cannot be read');
    return [];
  }
}

/** A directory may be listed and yet not be searched. */
function lookAt(path: string): BigIntStats | 'absent' | 'unreadable' {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? 'absent';
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    return 'unreadable';
  }
}

function kindOf(stats: BigIntStats): string {
  if (stats.isFIFO()) return 'FIFO';
  if (stats.isSocket()) return 'socket';
  return 'device';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not reach a terminal
const printable = (path: string): string => (/[\x00-\x1f\x7f-\x9f]/.test(path) ? JSON.stringify(path) : path);

export const masked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
