import { existsSync, rmSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { stateDir } from '../../../domain/ledger/state-dir.ts';
import { policy } from '../../../domain/settings/policy.ts';
import { isAbsent } from '../../files/state-file.ts';
import { type HistoryLimits, isWhole, linkStore, readCut, removeStore } from './link-store.ts';
import { makeStore, type Roots, storeName } from './make-store.ts';

export { countObjects, isCut, objectsBeside } from './link-store.ts';

/**
 * Makes sure that there is a store of all objects that these commits reach, and of no other, and returns its directory. A store
 * has its name only when it is whole, and never changes; of several processes that make the same one the first counts.
 */
export async function ensureStore(
  repository: string,
  roots: Roots,
  limits: HistoryLimits = { objects: policy.historyObjects, commits: policy.historyCommits },
): Promise<string> {
  const place = `${stateDir(dirname(repository)).stores}/${storeName(roots)}`;
  if (isThere(place)) return place;
  // A damaged store would block the new one.
  if (existsSync(place) && !isWhole(place)) await removeStore(place);
  await makeStore(repository, roots, place, limits);
  return place;
}

/**
 * Makes `directory` an object directory that holds what these commits reach and nothing else. Packs of a store are linked, not
 * named, so removing the store takes nothing from a workspace. Returns the commits whose parents are left out; none for a whole
 * history.
 */
export async function borrowObjects(
  repository: string,
  roots: Roots,
  directory: string,
  limits?: HistoryLimits,
): Promise<readonly string[]> {
  for (;;) {
    const store = await ensureStore(repository, roots, limits);
    rmSync(directory, { recursive: true, force: true });
    if (linkStore(store, directory)) return readCut(directory);
    // Somebody makes room on the disk, or it is damaged: it is made once more.
    await removeStore(store);
  }
}

/**
 * Tells whether a store is there, and marks it as used: the store that was not used for longest is removed first. A damaged store
 * counts as absent.
 */
function isThere(store: string): boolean {
  if (!isWhole(store)) return false;
  const now = new Date();
  try {
    utimesSync(store, now, now);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
