import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import type { RunId } from '../../domain/base/ids.ts';
import type { FindingOf } from '../../domain/findings/finding.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import type { KeptFile } from '../../domain/proofs/kept-files.ts';
import { hasCode } from '../files/state-file.ts';
import { objectChunks, objectPath } from '../git/lfs/index.ts';

/** Names each of these files that is gone, or that is not the one that was kept. */
export async function damagedProofs(
  state: StateDir,
  run: RunId,
  files: readonly KeptFile[],
): Promise<readonly FindingOf<'proof-damaged'>[]> {
  const found: FindingOf<'proof-damaged'>[] = [];
  for (const file of files) {
    const { task, name, sha256 } = file;
    const fault = await faultOf(placeOf(state, run, file), sha256);
    const bundle = 'bundle' in file ? { bundle: file.bundle } : {};
    if (fault !== null) found.push({ rule: 'proof-damaged', run, task, file: name, fault, ...bundle });
  }
  return found;
}

/** Tells whether somebody removed the whole store of this file, as `tidegate clean` does when nobody needs it any more. */
export const isCleaned = (state: StateDir, run: RunId, file: KeptFile): boolean =>
  !existsSync(storeOf(state, run, file));

const storeOf = (state: StateDir, run: RunId, file: KeptFile): string =>
  'bundle' in file ? state.proofs(run) : state.evidence(file.attempt);

const placeOf = (state: StateDir, run: RunId, file: KeptFile): string =>
  'bundle' in file ? `${storeOf(state, run, file)}/${file.sha256}` : objectPath(storeOf(state, run, file), file.sha256);

async function faultOf(path: string, sha256: string): Promise<'missing' | 'differs' | null> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  if (!stats.isFile()) return 'differs';
  const hash = createHash('sha256');
  try {
    for await (const chunk of objectChunks(path)) hash.update(chunk);
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    return 'differs';
  }
  return hash.digest('hex') === sha256 ? null : 'differs';
}
