import { closeSync, constants, copyFileSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '../../domain/findings/finding.ts';
import type { RepositoryRules } from '../../domain/findings/repository-rules.ts';
import { git } from '../git/process/index.ts';
import { findCheckout, openIgnoreRules, splitNul, type TreeEntry } from '../git/read/index.ts';

const list = '.worktreeinclude';
const limits = { file: 50 << 20, total: 500 << 20 };

/**
 * Copies what `.worktreeinclude` of the person's checkout names: files that it matches and that git ignores there.
 * Tracked files, links, anything reached through a link and anything over the limits stay out.
 */
export async function copyIncluded(request: {
  readonly checkout: string;
  readonly directory: string;
  readonly tracked: readonly TreeEntry[];
}): Promise<{ readonly copied: readonly string[]; readonly findings: readonly Finding[] }> {
  // At the top of a checkout, where nearly everybody is, no list means no question to git either.
  if (isAbsent(`${request.checkout}/${list}`) && !isAbsent(`${request.checkout}/.git`))
    return { copied: [], findings: [] };
  const { toplevel } = await findCheckout(request.checkout);
  const patterns = readPlainFile(`${toplevel}/${list}`);
  if (patterns === null) return { copied: [], findings: [] };
  const ignored = splitNul(
    await git({ cwd: toplevel, args: ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'] }),
  );
  // The syntax is that of `.gitignore`; a directory that matches means everything below it.
  await using rules = openIgnoreRules(new Map([['', patterns]]));
  const isNamed = await rules.ignores(ignored);
  const tracked = new Set(request.tracked.map((entry) => entry.path));
  const copied: string[] = [];
  const findings: Finding[] = [];
  let total = 0;
  for (const path of ignored.filter((_, at) => isNamed[at] === true)) {
    if (tracked.has(path) || path.startsWith('.tidegate/')) continue;
    const fault = unfit(toplevel, path, total) ?? blocked(request.directory, tracked, path);
    if (fault !== null) {
      findings.push({ rule: 'worktree-include', ...fault, where: path });
      continue;
    }
    total += copyOne(`${toplevel}/${path}`, `${request.directory}/${path}`);
    copied.push(path);
  }
  return { copied, findings };
}

type Fault = RepositoryRules['worktree-include'];

function unfit(root: string, path: string, total: number): Fault | null {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    if (!lstatSync(`${root}/${parts.slice(0, depth).join('/')}`).isDirectory()) return { fault: 'behind-link' };
  }
  const stats = lstatSync(`${root}/${path}`);
  if (!stats.isFile()) return { fault: 'no-plain-file' };
  if (stats.size > limits.file) return { fault: 'file-too-large', megabytes: limits.file >> 20 };
  return total + stats.size > limits.total ? { fault: 'too-much', megabytes: limits.total >> 20 } : null;
}

/** The commit may have a link where the checkout has a directory: copying through it would leave the workspace. */
function blocked(directory: string, tracked: ReadonlySet<string>, path: string): Fault | null {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
    if (tracked.has(path.slice(0, end))) return { fault: 'below-file', file: path.slice(0, end) };
  const stats = lstatSync(`${directory}/${path}`, { throwIfNoEntry: false });
  return stats === undefined ? null : { fault: 'is-directory' };
}

function copyOne(from: string, to: string): number {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return lstatSync(to).size;
}

const isAbsent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;

/** The text of a regular file of at most 1 MB; null when there is none. */
function readPlainFile(path: string): string | null {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return fstatSync(file).size <= 1 << 20 ? readFileSync(file, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}
