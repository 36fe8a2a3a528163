import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StateDir } from '../domain/ledger/state-dir.ts';

/** Locks that only a merger takes. Those of attempts belong to supervisors, which may be alive. */
export function removeLocks(repository: string): void {
  const owned = ['runs', 'bases', 'candidates', 'landing', 'undo', 'dropped', 'uncommitted'].map(
    (name) => `refs/tidegate/${name}`,
  );
  const found = [repository, ...owned.map((folder) => join(repository, folder))].flatMap((folder) =>
    namesIn(folder, folder !== repository)
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join(folder, name)),
  );
  for (const lock of found) rmSync(lock, { force: true });
}

/**
 * Objects that a git began and could not finish, on a full disk or because it was killed. Call it when no earlier merger is
 * alive: then only supervisors, when they take snapshots, can be writing some. Looked for before the processes are: what
 * one that starts later writes is not among them.
 */
export function removeHalfObjects(state: StateDir): void {
  const objects = join(state.repository, 'objects');
  const folders = [objects, ...namesIn(objects, false).map((name) => join(objects, name))];
  const found = folders.flatMap((folder) =>
    namesIn(folder, false)
      .filter((name) => /^(tmp_|\.tmp-)/.test(name))
      .map((name) => join(folder, name)),
  );
  if (found.length === 0 || isSupervised(state.jobs)) return;
  for (const path of found) rmSync(path, { recursive: true, force: true });
}

/** Some process was told of a job of this repository, or waits for one. */
function isSupervised(jobs: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => argumentsOf(pid).some((argument) => argument === jobs || argument.startsWith(`${jobs}/`)));
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function namesIn(folder: string, recursive: boolean): readonly string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
