import { type FSWatcher, watch } from 'node:fs';
import { identify } from '../../adapters/process/process-identity.ts';
import type { StopReason } from '../../adapters/supervisors/control-protocol.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { Job } from '../../ports/supervisor.ts';
import { openSteering } from '../channel/steering.ts';
import { carryOut } from './carry-out.ts';
import type { Stop, SupervisorHost } from './context.ts';
import { openControl } from './control.ts';
import { makeRuntimeDirectory } from './runtime-directory.ts';

/**
 * Claims a job, carries it out, and stays until the coordinator has the exit in its ledger. Returns at once when another supervisor has
 * claimed the job.
 */
export async function supervise(
  job: Job,
  files: JobDirectory,
  host: SupervisorHost,
): Promise<'done' | 'claimed-by-another'> {
  const runtime = makeRuntimeDirectory(job, host);
  const stop = new AbortController();
  const end = (reason: Ending['reason'], because: Finding): void => stop.abort({ reason, because } satisfies Stop);
  const endOnRequest = (reason: StopReason): void =>
    reason === 'timed-out'
      ? end(reason, { rule: 'time-limit', minutes: job.minutes })
      : end(reason, { rule: 'stop-requested' });
  const steering = openSteering();
  const acknowledged = Promise.withResolvers<void>();
  const leave = alone(host.abandonAfterMs, () => {
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
    if (host.terminated.aborted) onTerm();
    host.terminated.addEventListener('abort', onTerm);
    const exit = await carryOut({
      ...host,
      job,
      files,
      runtime,
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
 * Waits for the coordinator. The record is on disk, so leaving would lose nothing; staying saves the coordinator from looking for a dead
 * process. Normally the socket brings the acknowledgement; the file is for a coordinator that is not attached.
 */
async function untilAcknowledged(files: JobDirectory, bySocket: Promise<void>): Promise<void> {
  const byFile = Promise.withResolvers<void>();
  const look = (): void => {
    if (files.isAcknowledged()) byFile.resolve();
  };
  const watcher = watchIfPossible(files.path, look);
  look();
  await Promise.race([bySocket, byFile.promise]);
  watcher?.close();
}

/** Null where the kernel has no watch left: then only the socket counts. */
function watchIfPossible(path: string, look: () => void): FSWatcher | null {
  try {
    return watch(path, look);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOSPC') return null;
    throw error;
  }
}

/** Calls `gone` when no coordinator has been attached for `after` ms. `hurry` shortens the wait when this process has to leave. */
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
