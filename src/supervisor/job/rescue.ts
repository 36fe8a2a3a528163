import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { removeCanary } from '../../adapters/fence/index.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { readRecord } from '../../adapters/files/workspace-record.ts';
import { chooseHandoff, readHandoffFile } from '../../adapters/handoff/index.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { recordOf } from '../../adapters/workspace/index.ts';
import type { HandoffEvidence, LogEvidence } from '../../domain/gates/evidence.ts';
import type { ExitRecord, Job } from '../../ports/supervisor.ts';
import { agentHome } from '../agent/launch.ts';
import { displayed, nameOfLog } from '../output/output.ts';
import { redactTexts, secretsOf } from '../output/redact.ts';
import { hasRepository } from './context.ts';
import { removeStandIns } from './read-only-paths.ts';
import { jobSnapshot, scrubHome } from './snapshot.ts';

/**
 * Writes the exit record of a supervisor that died: the process ended in an unknown way, but its work is there. Call it when nothing of
 * the attempt is alive. Repeating it gives the same.
 */
export async function rescue(
  job: Job,
  files: JobDirectory,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (files.exit() !== null) return;
  const began = files.started() !== null;
  const hasWorkspace = readRecord(recordOf(files.workspace)) !== null;
  if (hasWorkspace) removeStandIns(files);
  if (hasWorkspace && job.fence.mode !== 'none') removeCanary(files.workspace, job.nonce);
  if (!hasRepository(job)) removeTreeSync(files.workspace);
  scrubHome(agentHome(files, job), secretsOf(job, environment));
  const { log, tail } = logOf(files);
  const record: ExitRecord = {
    ending: { reason: 'lost', code: null, signal: null, because: { rule: 'supervisor-died', began } },
    handoff: hasWorkspace ? redactTexts(handoffOf(job, files), secretsOf(job, environment)) : { kind: 'absent' },
    ...(hasWorkspace
      ? await jobSnapshot({ job, files, environment })
      : { snapshot: null, snapshotProblem: { rule: 'no-workspace' } as const }),
    log,
    tail,
    reminded: false,
    chargedSeconds: 0,
    refusals: [],
  };
  files.writeExit(record);
}

const handoffOf = (job: Job, files: JobDirectory): HandoffEvidence =>
  job.kind === 'attempt'
    ? chooseHandoff(files.handoff(), readHandoffFile(files.workspace, job), job.closes)
    : { kind: 'absent' };

/** At most head and tail of the cap: small enough to read whole. */
function logOf(files: JobDirectory): { readonly log: LogEvidence; readonly tail: string } {
  const content = contentOf(files.output);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const log = { file: nameOfLog(files.output), bytes: content.length, kept: content.length, sha256 };
  return { log, tail: displayed(content.subarray(-4096)) };
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
