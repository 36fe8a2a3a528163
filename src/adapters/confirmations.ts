import { join } from 'node:path';
import { writeDurably } from './files/durable-file.ts';
import { readCache } from './files/state-file.ts';

/**
 * Hashes of what a person let this repository loosen. They lie in the state directory, out of reach of the repository
 * and of agents, and each holds for exactly one key and value.
 */
export async function readConfirmations(stateDirectory: string): Promise<readonly string[]> {
  // A damaged file confirms nothing: asking again is harmless, guessing is not.
  const parsed = readCache<unknown>(join(stateDirectory, name), JSON.parse);
  return Array.isArray(parsed) ? parsed.filter((hash): hash is string => typeof hash === 'string') : [];
}

/** Adds to what was confirmed before. The directory exists. */
export async function addConfirmations(stateDirectory: string, hashes: readonly string[]): Promise<void> {
  const all = new Set([...(await readConfirmations(stateDirectory)), ...hashes]);
  writeDurably(join(stateDirectory, name), `${JSON.stringify([...all].sort())}\n`);
}

const name = 'confirmed.json';
