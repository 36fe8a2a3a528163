import { GitFailed } from '../../adapters/git/process/index.ts';
import { SnapshotRefused, takeSnapshot } from '../../adapters/snapshot/index.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { recordOf } from '../../adapters/workspace/index.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { ExitRecord, Job } from '../../ports/supervisor.ts';
import { secretsOf } from '../output/known-secrets.ts';
import { redactTexts } from '../output/redact.ts';
import { lfsStores } from './lfs-stores.ts';

/**
 * A snapshot that cannot be made is a fact to record, not a reason to lose the exit: the workspace is still there. A git
 * that was killed on the way is no such fact: doing it again gives the same (I7).
 */
export async function jobSnapshot(
  job: Job,
  files: JobDirectory,
  environment: Readonly<Record<string, string | undefined>>,
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
