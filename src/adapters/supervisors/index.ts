import { existsSync, mkdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { ExitRecord, Job, SupervisorEvent, SupervisorRecord, Supervisors } from '../../ports/supervisor.ts';
import { isAlive } from '../process/process-identity.ts';
import type { ControlRequest, StopReason } from './control-protocol.ts';
import { attach, type SupervisorLine } from './control-protocol.ts';
import { type JobDirectory, jobDirectory } from './job-directory.ts';
import { endOrphans, untilDead } from './orphans.ts';
import { keepSpare, logOf, type Spare, type SupervisorProgram, spawnSupervisor } from './spare.ts';

export type { SupervisorProgram } from './spare.ts';

/**
 * Runs supervisors as processes of their own. Events are read from the job's files; sockets and watches only say when to read them.
 */
export function processSupervisors(program: SupervisorProgram): Supervisors {
  const followed = new Map<string, Follow>();
  const spare = keepSpare(program);
  const filesOf = (id: string): JobDirectory => jobDirectory(`${program.jobs}/${id}`);
  return {
    async ensure(job, listener) {
      followed.get(job.id)?.leave();
      const files = filesOf(job.id);
      mkdirSync(files.path, { recursive: true, mode: 0o700 });
      files.writeJob(job);
      const follow = followJob({ job, files, program, spare }, listener);
      followed.set(job.id, follow);
      await follow.running;
    },
    async stop(id, reason) {
      await followed.get(id)?.send({ do: 'stop', reason } satisfies { do: 'stop'; reason: StopReason });
    },
    async tell(id, terms) {
      return (await followed.get(id)?.ask({ do: 'tell', terms })) === true;
    },
    async send(id, number, text) {
      const taken = (await followed.get(id)?.ask({ do: 'send', number, text })) ?? null;
      return taken === null ? 'over' : taken ? 'taken' : 'refused';
    },
    async acknowledge(id) {
      filesOf(id).acknowledge();
      await followed.get(id)?.send({ do: 'acknowledge' });
      followed.get(id)?.leave();
      followed.delete(id);
    },
    async release(ids) {
      for (const id of new Set(ids)) {
        const files = filesOf(id);
        if (existsSync(files.path) && !files.isAcknowledged()) files.acknowledge();
      }
    },
    async detach() {
      for (const follow of followed.values()) follow.leave();
      followed.clear();
      spare.drop();
    },
  };
}

type Follow = {
  /** Resolves when a supervisor has the job, or has had it. */
  readonly running: Promise<void>;
  send(request: ControlRequest): Promise<void>;
  readonly ask: SupervisorLine['ask'];
  leave(): void;
};

type Followed = {
  readonly job: Job;
  readonly files: JobDirectory;
  readonly program: SupervisorProgram;
  readonly spare: Spare;
};

function followJob(followed: Followed, listener: (event: SupervisorEvent) => void): Follow {
  const { job, files, program, spare } = followed;
  const left = new AbortController();
  const running = Promise.withResolvers<void>();
  const reported = { started: false, notes: 0, over: false };
  let line: SupervisorLine | null = null;
  const notify = (event: SupervisorEvent): void => {
    if (!left.signal.aborted) listener(event);
  };
  const report = (): void => {
    const started = reported.started ? null : files.started();
    const exit = reported.over ? null : files.exit();
    if (started !== null) {
      reported.started = true;
      notify({ type: 'started', record: started, pid: files.supervisor()?.pid ?? 0 });
      if (!left.signal.aborted) spare.prepare();
    }
    const notes = (job.kind !== 'attempt' && job.kind !== 'orchestrator') || reported.over ? [] : files.notes();
    if (notes.length > reported.notes) {
      reported.notes = notes.length;
      notify({ type: 'noted', notes });
    }
    if (exit === null) return;
    reported.over = true;
    notify({ type: 'ended', record: exit });
  };
  const follow = async (): Promise<void> => {
    for (let starts = 0; !left.signal.aborted; ) {
      report();
      const record = files.supervisor();
      if (record !== null && isAlive(record)) {
        line = await attach(record, report);
        // `leave` was called while we connected: an open line would keep this process alive
        if (left.signal.aborted) return line?.close();
        if (line === null) await untilDead(record);
        else {
          running.resolve();
          report();
          await line.closed;
        }
        continue;
      }
      if (record !== null) clearAfter(record, files, job);
      report();
      if (reported.over) return;
      if (starts++ >= maxStarts) {
        notify({ type: 'ended', record: unknownExit(files, { rule: 'supervisor-unable', words: lastWords(files) }) });
        return;
      }
      if (record === null) await startSupervisor(followed, left.signal);
      else await rescue(files, program);
    }
  };
  const done = follow().finally(running.resolve);
  done.catch((error: unknown) =>
    notify({
      type: 'ended',
      record: unknownExit(files, {
        rule: 'supervisor-unwatched',
        words: boundedWords(error instanceof Error ? error.message : String(error)),
      }),
    }),
  );
  return {
    running: running.promise,
    async send(request) {
      await running.promise;
      line?.send(request);
    },
    async ask(question) {
      await running.promise;
      return (await line?.ask(question)) ?? null;
    },
    leave() {
      left.abort();
      line?.close();
    },
  };
}

const maxStarts = 3;

/** Ends the processes of a dead supervisor and removes its socket. */
function clearAfter(record: SupervisorRecord, files: JobDirectory, job: Job): void {
  endOrphans(files, job);
  if (record.socket.startsWith(`${job.runDirectory}/`))
    rmSync(dirname(record.socket), { recursive: true, force: true });
}

/** The exit record of a job that nothing is known about, because the environment failed. The workspace is kept. */
const unknownExit = (files: JobDirectory, because: Finding): ExitRecord => ({
  ending: { reason: 'lost', code: null, signal: null, because },
  handoff: { kind: 'absent' },
  snapshot: null,
  snapshotProblem: because,
  log: { file: files.output, bytes: 0, kept: 0, sha256: '' },
  tail: '',
  reminded: false,
  chargedSeconds: 0,
  refusals: [],
});

/** Returns the last error that the job's supervisors printed, without its stack, which is in their log; '' when there is none. */
function lastWords(files: JobDirectory): string {
  const log = logOf(files);
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const isFrame = (line: string | undefined): boolean => /^ +at /.test(line ?? '');
  const thrown = lines.findLast((line, at) => /^\S/.test(line) && isFrame(lines[at + 1]));
  return boundedWords(thrown ?? lines.at(-1) ?? '');
}

/** Starts another supervisor, which writes the exit record in place of the dead one. Doing it twice gives the same record. */
async function rescue(files: JobDirectory, program: SupervisorProgram): Promise<void> {
  const child = spawnSupervisor(program, logOf(files), [files.path, '--rescue']);
  await new Promise<void>((resolve) => child.once('error', () => resolve()).once('exit', () => resolve()));
}

/** Starts a supervisor. Resolves when any supervisor has claimed the job, or when ours ended without a claim. */
async function startSupervisor({ files, program, spare }: Followed, left: AbortSignal): Promise<void> {
  const claimed = Promise.withResolvers<void>();
  const look = (): void => {
    if (files.supervisor() !== null) claimed.resolve();
  };
  const watcher = watch(files.path, look);
  left.addEventListener('abort', () => claimed.resolve(), { once: true });
  const child = spare.take(files) ?? spawnSupervisor(program, logOf(files), [files.path]);
  child.once('error', () => claimed.resolve());
  child.once('exit', () => claimed.resolve());
  look();
  await claimed.promise;
  watcher.close();
}
