import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isTooLong, openWay } from '../../adapters/files/agent-files.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { GitFailed } from '../../adapters/git/process/index.ts';
import { SnapshotRefused, takeSnapshot } from '../../adapters/snapshot/index.ts';
import { recordOf } from '../../adapters/workspace/index.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { ExitRecord } from '../../ports/supervisor.ts';
import { redactTexts, secretsOf } from '../output/redact.ts';
import type { JobContext } from './context.ts';
import { lfsStores } from './workspace.ts';

/**
 * Takes the snapshot of a job. If it cannot be made, that is recorded and the exit is not lost: the workspace is still there. A git
 * that was killed on the way is tried again, which gives the same (I7).
 */
export async function jobSnapshot(
  { job, files, environment }: Pick<JobContext, 'job' | 'files' | 'environment'>,
  secrets: readonly string[] = secretsOf(job, environment),
): Promise<Pick<ExitRecord, 'snapshot' | 'snapshotProblem'>> {
  if (job.kind === 'check' || job.kind === 'orchestrator') return { snapshot: null, snapshotProblem: null };
  const take = (): Promise<SnapshotEvidence> =>
    takeSnapshot({
      repository: job.repository,
      workspace: files.workspace,
      base: job.base,
      from: job.from,
      statCache: recordOf(files.workspace),
      ref: refs.attempt(job.id),
      message: `Snapshot of ${job.id}`,
      secrets,
      lfs: lfsStores(job, environment),
      ...(job.evidence === undefined ? {} : { evidence: { ...job.evidence, store: files.evidence } }),
    });
  try {
    const snapshot = await take().catch((error: unknown) => {
      if (error instanceof GitFailed) return take();
      throw error;
    });
    return { snapshot, snapshotProblem: null };
  } catch (error) {
    return { snapshot: null, snapshotProblem: redactTexts(problemIn(error), secrets) };
  }
}

function problemIn(error: unknown): Finding {
  if (error instanceof SnapshotRefused) return error.finding;
  return { rule: 'snapshot-failed', words: boundedWords(error instanceof Error ? error.message : String(error)) };
}

const chunk = 4 << 20;

/**
 * Masks credentials in what an agent keeps for itself: its session has all that its tools printed. Each value is replaced by
 * one of the same length, so that its databases stay whole; a file that cannot be masked, or lies too deep, is removed. Call it when no process
 * of the attempt is alive. Links are not followed, because the agent made what lies here.
 */
export function scrubHome(directory: string, secrets: readonly string[]): void {
  const needles = secrets.map((secret) => Buffer.from(secret));
  if (needles.length === 0 || lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  openWay(directory, '');
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (isTooLong(path)) removeTreeSync(path);
    else if (entry.isDirectory()) scrubHome(path, secrets);
    else if (entry.isFile()) scrubOrRemove(path, needles);
  }
}

function scrubOrRemove(path: string, needles: readonly Buffer[]): void {
  try {
    scrubFile(path, needles);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    rmSync(path, { force: true });
  }
}

function scrubFile(path: string, needles: readonly Buffer[]): void {
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(file);
    const overlap = Math.max(...needles.map((needle) => needle.length));
    const bytes = Buffer.alloc(Math.min(size, chunk) + overlap);
    for (let at = 0; at < size; at += chunk) {
      const seen = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, at));
      for (const needle of needles) mask(file, at, seen, needle);
    }
  } finally {
    closeSync(file);
  }
}

function mask(file: number, at: number, seen: Buffer, needle: Buffer): void {
  const blank = Buffer.alloc(needle.length, 'x');
  for (let found = seen.indexOf(needle); found >= 0; found = seen.indexOf(needle, found + needle.length))
    writeSync(file, blank, 0, blank.length, at + found);
}
