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
  if (job.kind === 'check') return { snapshot: null, snapshotProblem: null };
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
