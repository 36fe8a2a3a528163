import { type FSWatcher, watch } from 'node:fs';
import { identify } from '../../adapters/process/process-identity.ts';
import type { StopReason } from '../../adapters/supervisors/control-protocol.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { Job } from '../../ports/supervisor.ts';
import { openSteering } from '../channel/steering.ts';
import { carryOut } from './carry-out.ts';
import { openControl } from './control.ts';
import type { JobClock } from './limits.ts';
import type { Stop } from './run-fenced.ts';
import { makeRuntimeDirectory } from './runtime-directory.ts';

/** What main/ knows and the rest of the supervisor must not look up by itself. */
export type SupervisorHost = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: JobClock;
  readonly node: string;
  /** The in-fence client, one file. */
  readonly client: string;
  /** Without a coordinator for so long the attempt is ended. */
  readonly abandonAfterMs: number;
  /** Aborted by SIGTERM. */
  readonly terminated: AbortSignal;
};

/**
 * The life of one supervisor: claim, carry out, stay until the coordinator has the exit in its ledger.
 * Returns at once when another supervisor has the job.
 */
export async function supervise(
  job: Job,
  files: JobDirectory,
  around: SupervisorHost,
): Promise<'done' | 'claimed-by-another'> {
  const runtime = makeRuntimeDirectory(job, around);
  const stop = new AbortController();
  const end = (reason: Ending['reason'], because: Finding): void => stop.abort({ reason, because } satisfies Stop);
  const endOnRequest = (reason: StopReason): void =>
    reason === 'timed-out'
      ? end(reason, { rule: 'time-limit', minutes: job.minutes })
      : end(reason, { rule: 'stop-requested' });
  const steering = openSteering();
  const acknowledged = Promise.withResolvers<void>();
  const leave = alone(around.abandonAfterMs, () => {
    end('abandoned', { rule: 'no-coordinator' });
    acknowledged.resolve();
  });
  try {
    await using control = await openControl(runtime.controlSocket, job.nonce, {
      stop: endOnRequest,
      acknowledge: acknowledged.resolve,
      tell: steering.tell,
      send: steering.send,
      attended: leave.attended,
    });
    const record = { ...identify(), nonce: job.nonce, socket: runtime.controlSocket };
    if (!files.claim(record)) return 'claimed-by-another';
    if (job.brief !== '') files.writePrompt(job.brief);
    const onTerm = (): void => {
      endOnRequest('stopped');
      leave.hurry();
    };
    if (around.terminated.aborted) onTerm();
    around.terminated.addEventListener('abort', onTerm);
    const exit = await carryOut({
      job,
      files,
      runtime,
      around,
      stop: stop.signal,
      steering,
      end,
      onStarted: () => control.notify({ event: 'started' }),
      onNoted: () => control.notify({ event: 'noted' }),
    });
    files.writeExit(exit);
    control.notify({ event: 'ended' });
    await untilAcknowledged(files, acknowledged.promise);
    return 'done';
  } finally {
    leave.close();
    runtime.remove();
  }
}

/**
 * The record is on disk, so nothing is lost by leaving; staying only saves the coordinator from looking for a dead process.
 * Normally told by the socket; the file is for a coordinator that is not attached.
 */
async function untilAcknowledged(files: JobDirectory, told: Promise<void>): Promise<void> {
  const seen = Promise.withResolvers<void>();
  const look = (): void => {
    if (files.isAcknowledged()) seen.resolve();
  };
  const watcher = watchIfPossible(files.path, look);
  look();
  await Promise.race([told, seen.promise]);
  watcher?.close();
}

/** The kernel gives out watches sparingly; without one the socket has to do. */
function watchIfPossible(path: string, look: () => void): FSWatcher | null {
  try {
    return watch(path, look);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOSPC') return null;
    throw error;
  }
}

/** Calls `gone` when nobody has been attached for `after` ms. `hurry`: somebody wants us to leave, wait a moment only. */
function alone(after: number, gone: () => void) {
  let timer: NodeJS.Timeout | undefined = setTimeout(gone, after);
  return {
    attended(isAttended: boolean): void {
      clearTimeout(timer);
      timer = isAttended ? undefined : setTimeout(gone, after);
    },
    hurry(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = setTimeout(gone, Math.min(after, 30_000));
    },
    close: () => clearTimeout(timer),
  };
}
