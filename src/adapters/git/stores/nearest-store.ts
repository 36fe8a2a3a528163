import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { objectIdPattern } from '../../../domain/base/ids.ts';
import { launchError, spawnGit } from '../process/index.ts';
import { isWhole, namesIn, packsOf } from './link-store.ts';
import { mostLinked } from './whole-packs.ts';

/** Git looks for an object in one pack after the other: with more, a store is built on one that has few again. */
const mostPacks = 32;
const fewPacks = mostLinked + 1;

/** The newest commit among these and their ancestors that has a store to build on; null when there is none. */
export async function nearestStore(gitDir: string, stores: string, tips: readonly string[]): Promise<string | null> {
  const known = new Set(namesIn(stores).filter((name) => objectIdPattern.test(name)));
  if (known.size === 0) return null;
  const call = { gitDir, args: ['rev-list', ...tips] };
  const walk = spawnGit(call);
  if (walk.stdout === null) throw new Error('git without pipes');
  const ended = once(walk, 'close').catch((error: Error) => {
    throw launchError(call, error);
  });
  let most = mostPacks - 1;
  let found: string | null = null;
  for await (const commit of createInterface({ input: walk.stdout })) {
    if (!known.has(commit)) continue;
    const packs = namesIn(packsOf(`${stores}/${commit}`)).filter((name) => name.endsWith('.idx')).length;
    if (!isWhole(`${stores}/${commit}`)) continue;
    if (packs <= most) {
      found = commit;
      break;
    }
    most = fewPacks;
  }
  walk.kill('SIGKILL');
  await ended;
  return found;
}
