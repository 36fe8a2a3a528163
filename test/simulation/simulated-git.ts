import { hash as digest } from 'node:crypto';
import { type CommitId, commitId, type TreeId, treeId } from '../../src/domain/base/ids.ts';
import { err, ok, type Result } from '../../src/domain/base/result.ts';
import type { DiffEntry } from '../../src/domain/gates/evidence.ts';

export type Files = Readonly<Record<string, string>>;
type SimulatedCommit = { readonly tree: TreeId; readonly parents: readonly CommitId[]; readonly files: Files };

/** Commits, trees and refs in memory, with the three-way merge of whole files. Ids are hashes of content, as in git. */
export type SimulatedGit = {
  write(files: Files, parents: readonly CommitId[], message: string): CommitId;
  read(commit: CommitId): SimulatedCommit;
  find(commit: string): SimulatedCommit | null;
  diff(from: CommitId, to: CommitId): readonly DiffEntry[];
  /** What `theirs` changed since `base`, put onto `ours`; or the files that both changed. */
  merge(base: Files, ours: Files, theirs: Files): Result<Files, readonly string[]>;
  ref(name: string): CommitId | null;
  /** Compare-and-swap. */
  move(name: string, old: CommitId | null, next: CommitId): boolean;
  refs(): ReadonlyMap<string, CommitId>;
};

export function simulatedGit(): SimulatedGit {
  const commits = new Map<CommitId, SimulatedCommit>();
  const refs = new Map<string, CommitId>();
  const read = (commit: CommitId): SimulatedCommit => {
    const found = commits.get(commit);
    if (found === undefined) throw new Error(`no commit ${commit}`);
    return found;
  };
  return {
    write: (files, parents, message) => {
      const tree = treeOf(files);
      const id = commitId(digest('sha1', `commit ${tree} ${parents.join(' ')} ${message}`, 'hex'));
      commits.set(id, { tree, parents, files });
      return id;
    },
    read,
    find: (commit) => commits.get(commitId(commit)) ?? null,
    diff: (from, to) => diffOf(read(from).files, read(to).files),
    merge,
    ref: (name) => refs.get(name) ?? null,
    move: (name, old, next) => {
      if ((refs.get(name) ?? null) !== old) return false;
      refs.set(name, next);
      return true;
    },
    refs: () => refs,
  };
}

function treeOf(files: Files): TreeId {
  const text = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => `${path}\0${content}\0`)
    .join('');
  return treeId(digest('sha1', `tree ${text}`, 'hex'));
}

function diffOf(before: Files, after: Files): readonly DiffEntry[] {
  return pathsOf(before, after).flatMap((path): readonly DiffEntry[] => {
    const [old, next] = [before[path], after[path]];
    if (old === next) return [];
    const change = old === undefined ? 'added' : next === undefined ? 'deleted' : 'modified';
    const mode = (content: string | undefined): string => (content === undefined ? '000000' : '100644');
    return [{ path, change, oldMode: mode(old), newMode: mode(next) }];
  });
}

function merge(base: Files, ours: Files, theirs: Files): Result<Files, readonly string[]> {
  const result: Record<string, string> = { ...ours };
  const conflicts: string[] = [];
  for (const path of pathsOf(base, theirs)) {
    const next = theirs[path];
    if (next === base[path] || next === ours[path]) continue;
    if (ours[path] !== base[path]) conflicts.push(path);
    else if (next === undefined) delete result[path];
    else result[path] = next;
  }
  return conflicts.length > 0 ? err(conflicts) : ok(result);
}

const pathsOf = (...sides: readonly Files[]): readonly string[] =>
  [...new Set(sides.flatMap((files) => Object.keys(files)))].sort();
