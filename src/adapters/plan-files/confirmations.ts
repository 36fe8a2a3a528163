import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { Loosening, Resolution } from '../../domain/settings/layers.ts';
import { writeDurably } from '../files/durable-file.ts';
import { readCache } from '../files/state-file.ts';

/**
 * Returns the hashes of the loosenings that a person confirmed for this repository. They lie in the state directory, out of reach of
 * the repository and of agents. Each holds for exactly one key and value.
 */
export async function readConfirmations(stateDirectory: string): Promise<readonly string[]> {
  // A damaged file confirms nothing: asking again is harmless, guessing is not.
  const parsed = readCache<unknown>(join(stateDirectory, fileName), JSON.parse);
  return Array.isArray(parsed) ? parsed.filter((hash): hash is string => typeof hash === 'string') : [];
}

/** Adds to earlier confirmations. The directory exists. */
export async function addConfirmations(stateDirectory: string, hashes: readonly string[]): Promise<void> {
  const all = new Set([...(await readConfirmations(stateDirectory)), ...hashes]);
  writeDurably(join(stateDirectory, fileName), `${JSON.stringify([...all].sort())}\n`);
}

const fileName = 'confirmed.json';

export const looseningHash = ({ key, value }: Loosening): string =>
  createHash('sha256').update(canonicalJson({ key, value })).digest('hex');

export const unconfirmedOf = (resolution: Resolution): readonly (Loosening & { readonly hash: string })[] =>
  resolution.loosenings.map(({ key, value }) => ({ key, value, hash: looseningHash({ key, value }) }));
