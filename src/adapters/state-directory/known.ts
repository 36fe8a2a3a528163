import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { absentAsNull, isThere } from '../files/absent.ts';
import { writeDurably } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';
import { parseFields } from '../files/untrusted-json.ts';
import type { Repository } from './find-repository.ts';
import { repositoryName } from './place.ts';

type KnownRepository = {
  /** Its directory below the root; also how the API calls it. */
  readonly id: string;
  readonly checkout: string;
  /** False when the checkout is gone. */
  readonly present: boolean;
};

const file = 'repository.json';
const schema = z.object({ checkout: z.string(), commonDir: z.string() });

/** Records the repository of a state directory, unless it is recorded already. */
export async function recordRepository(directory: string, { toplevel, commonDir }: Repository): Promise<void> {
  const path = join(directory, file);
  const text = `${JSON.stringify({ checkout: toplevel, commonDir })}\n`;
  if (readCache(path, (kept) => kept) !== text) writeDurably(path, text);
}

/** Lists the repositories that keep their state below this root, by name. Ignores directories of others. */
export async function knownRepositories(root: string): Promise<readonly KnownRepository[]> {
  const names = (await readdir(root).catch(absentAsNull)) ?? [];
  const found = await Promise.all(
    names.toSorted().map(async (id): Promise<KnownRepository | null> => {
      const kept = readCache(join(root, id, file), (text) => schema.parse(parseFields(text)));
      if (kept === null || repositoryName(kept) !== id) return null;
      const { checkout, commonDir } = kept;
      if (await isThere(checkout)) return { id, checkout, present: true };
      // a linked worktree may go while the repository stays
      const main = dirname(commonDir);
      const isMain = basename(commonDir) === '.git' && (await isThere(commonDir));
      return isMain ? { id, checkout: main, present: true } : { id, checkout, present: false };
    }),
  );
  return found.filter((one) => one !== null);
}
