import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFor } from '../../adapters/files/durable-file.ts';
import { removeTree } from '../../adapters/files/remove-tree.ts';
import { readCache } from '../../adapters/files/state-file.ts';
import { readRecord } from '../../adapters/files/workspace-record.ts';
import { giveTree, recordOf } from '../../adapters/workspace/index.ts';
import { isManifest, type SetupBasis, setupBasis } from '../../domain/project/setup-basis.ts';
import { matches, pattern } from '../../domain/scope/pattern.ts';
import type { Job } from '../../ports/supervisor.ts';

/**
 * Keeps the files that `setup` adds to a workspace. They are the same for the same command and the same inputs (`setupBasis`), so they
 * are copied instead of made again. Only additions are a product; a setup that changes files of the checkout runs every time. Inputs do
 * not cover all that setup runs: a product made from a commit with work of agents is used for that commit alone, or one agent could
 * shape the ground that checks of another's work run on.
 */
type SetupProduct = {
  /** True when a kept product is in the workspace now, and setup need not run. Rejects with CopyFailed. */
  restore(): Promise<boolean>;
  /** Call after setup succeeded and nothing of it is alive. No room for a copy only means that setup runs again next time. */
  keep(): Promise<void>;
};

export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';
  readonly path: string;
  readonly code: number | null;
  constructor(path: string, code: number | null) {
    super(`cp of ${path} ended with ${code}`);
    this.path = path;
    this.code = code;
  }
}

type SetupOrder = Pick<Job, 'setup' | 'setupInputs' | 'cache' | 'from' | 'base' | 'isPersons'>;

/** Files that it puts into the workspace belong to `owner`. Under root, the agent of each job has a uid of its own. */
export function setupProduct(
  job: SetupOrder,
  workspace: string,
  owner: { readonly uid: number; readonly gid: number } | null,
): SetupProduct {
  const before = listing(workspace);
  const key = before === null ? null : keyOf(job, workspace, [...before.keys()]);
  const kept = join(job.cache, 'setup', key ?? 'none');
  return {
    async restore() {
      if (before === null || key === null || !existsSync(join(kept, 'product.json'))) return false;
      const roots = readCache(join(kept, 'product.json'), (text) => JSON.parse(text) as readonly string[]);
      if (roots === null || roots.some((root) => before.has(root))) return false;
      try {
        const now = new Date();
        utimesSync(join(kept, 'product.json'), now, now);
        for (const [index, root] of roots.entries()) {
          await copy(join(kept, String(index)), join(workspace, root));
          if (owner !== null) giveTree(join(workspace, root), owner.uid, owner.gid);
        }
        return true;
      } catch (error) {
        // The coordinator makes room: what it takes away begins with its list. Setup then runs as if nothing had been kept.
        if (existsSync(join(kept, 'product.json'))) throw error;
        for (const root of roots) await removeTree(join(workspace, root));
        return false;
      }
    },
    async keep() {
      if (before === null || key === null || job.from !== job.base || existsSync(kept)) return;
      const after = listing(workspace);
      const roots = after === null ? null : additions(before, after);
      if (roots === null) return;
      const fresh = temporaryFor(kept);
      mkdirSync(fresh, { recursive: true, mode: 0o700 });
      try {
        for (const [index, root] of roots.entries()) await copy(join(workspace, root), join(fresh, String(index)));
        writeFileSync(join(fresh, 'product.json'), JSON.stringify(roots));
        if (!existsSync(kept)) renameSync(fresh, kept);
      } catch (error) {
        if (!(error instanceof CopyFailed)) throw error;
      } finally {
        await removeTree(fresh);
      }
    },
  };
}

/** Null: there is no setup. */
function keyOf(job: SetupOrder, workspace: string, paths: readonly string[]): string | null {
  if (job.setup === null) return null;
  const kinds = new Map(paths.map((path) => [path, lstatSync(join(workspace, path))]));
  const files = paths.filter((path) => kinds.get(path)?.isDirectory() === false).sort();
  const read = (path: string): string => (kinds.get(path)?.isFile() ? readFileSync(join(workspace, path), 'utf8') : '');
  const basis = setupBasis(job.setup, job.setupInputs, files, read);
  const counted = files.filter(countsFor(basis, workspace));
  // the commit says all that is tracked, and an agent's commit may shape what manifests do not name
  const commit = basis.by === 'tree' || !job.isPersons ? job.from : null;
  const hash = createHash('sha256').update(
    JSON.stringify([job.setup, process.arch, job.isPersons, basis, commit, counted]),
  );
  for (const path of counted) hash.update(printOfContent(join(workspace, path)));
  return hash.digest('hex');
}

/** Selects the files that count. Of a whole tree these are the copied ones: the commit identifies the rest. */
function countsFor(basis: SetupBasis, workspace: string): (path: string) => boolean {
  switch (basis.by) {
    case 'manifests':
      return isManifest;
    case 'inputs': {
      const patterns = basis.patterns.map(pattern);
      return (path) => patterns.some((one) => matches(one, path));
    }
    case 'tree': {
      const copied = new Set(readRecord(recordOf(workspace))?.included.map(([path]) => path));
      return (path) => copied.has(path);
    }
  }
}

function printOfContent(path: string): Buffer {
  const stats = lstatSync(path);
  const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path) : '';
  return createHash('sha256')
    .update(`${stats.mode.toString(8)}\n`)
    .update(content)
    .digest();
}

/**
 * Every path but our own and git's, with what tells a changed file; directories change whenever something is added. Null: some path is
 * closed to us, or lies too deep to be named.
 */
function listing(workspace: string): ReadonlyMap<string, string> | null {
  try {
    return everyPath(workspace);
  } catch (error) {
    if (['EACCES', 'EPERM', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

function everyPath(workspace: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const entry of readdirSync(join(workspace, directory), { withFileTypes: true })) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (path === '.git' || path === '.tidegate') continue;
      found.set(path, entry.isDirectory() ? 'directory' : printOf(join(workspace, path)));
      if (entry.isDirectory()) walk(path);
    }
  };
  walk('');
  return found;
}

function printOf(path: string): string {
  const stats = lstatSync(path, { bigint: true });
  return `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.mode}`;
}

/** The outermost new paths; null when something that was there is not as it was. */
function additions(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] | null {
  for (const [path, print] of before) if (after.get(path) !== print) return null;
  const isNew = (path: string): boolean => !before.has(path);
  const above = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return [...after.keys()].filter((path) => isNew(path) && (above(path) === '' || !isNew(above(path))));
}

/** Shares blocks where the file system can. Links are copied as links, owners are kept. */
function copy(from: string, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/cp', ['-a', '--reflink=auto', '--', from, to], { env: {}, stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new CopyFailed(from, code))));
  });
}
