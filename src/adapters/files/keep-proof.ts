import { createHash } from 'node:crypto';
import { constants, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { ProofArtifact } from '../../domain/proofs/bundle.ts';
import { secretIn } from '../../domain/secrets/secret-shapes.ts';
import { policy } from '../../domain/settings/policy.ts';
import { flushFile, syncDirectory, temporaryFor } from './durable-file.ts';

/**
 * Copies a file of the person into a store, by its SHA-256. Opens plain files only, and keeps no content with a secret in it. Repeating
 * it gives the same.
 */
export async function keepProof(store: string, cwd: string, file: string): Promise<Result<ProofArtifact, Finding>> {
  const content = await readPlain(resolve(cwd, file));
  if (content === null) return err({ rule: 'proof-file', file, fault: 'unreadable' });
  if (content === 'too-large')
    return err({ rule: 'proof-file', file, fault: 'too-large', bytes: policy.proofFileBytes });
  const shape = secretIn(content.toString('latin1'));
  if (shape !== null) return err({ rule: 'proof-file', file, fault: 'secret', shape });
  const sha256 = createHash('sha256').update(content).digest('hex');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const path = `${store}/${sha256}`;
  const temporary = temporaryFor(path);
  writeFileSync(temporary, content, { mode: 0o600 });
  flushFile(temporary);
  renameSync(temporary, path);
  syncDirectory(store);
  return ok({ kind: 'file', name: basename(file), sha256, bytes: content.length });
}

/** Null for anything that is not a plain file. A FIFO is not waited for. */
async function readPlain(path: string): Promise<Buffer | 'too-large' | null> {
  const opened = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (opened === null) return null;
  try {
    const stats = await opened.stat();
    if (!stats.isFile()) return null;
    return stats.size > policy.proofFileBytes ? 'too-large' : await opened.readFile();
  } finally {
    await opened.close();
  }
}
