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
 * Supervisors as processes of their own. What happened is read from the job's files; sockets and watches only say when to look.
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
  /** Resolves when a supervisor has the job, or had it. */
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
  const told = { started: false, notes: 0, over: false };
  let line: SupervisorLine | null = null;
  const tell = (event: SupervisorEvent): void => {
    if (!left.signal.aborted) listener(event);
  };
  const report = (): void => {
    const started = told.started ? null : files.started();
    const exit = told.over ? null : files.exit();
    if (started !== null) {
      told.started = true;
      tell({ type: 'started', record: started, pid: files.supervisor()?.pid ?? 0 });
      if (!left.signal.aborted) spare.prepare();
    }
    const notes = job.kind !== 'attempt' || told.over ? [] : files.notes();
    if (notes.length > told.notes) {
      told.notes = notes.length;
      tell({ type: 'noted', notes });
    }
    if (exit === null) return;
    told.over = true;
    tell({ type: 'ended', record: exit });
  };
  const follow = async (): Promise<void> => {
    for (let starts = 0; !left.signal.aborted; ) {
      report();
      const record = files.supervisor();
      if (record !== null && isAlive(record)) {
        line = await attach(record, report);
        // let go of while we connected: an open line would keep us from ending
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
      if (told.over) return;
      if (starts++ >= maxStarts) {
        tell({ type: 'ended', record: nothingKnown(files, { rule: 'supervisor-unable', words: lastWords(files) }) });
        return;
      }
      if (record === null) await startSupervisor(followed, left.signal);
      else await rescue(files, program);
    }
  };
  const done = follow().finally(running.resolve);
  done.catch((error: unknown) =>
    tell({
      type: 'ended',
      record: nothingKnown(files, {
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

/** Dead: nothing that it may have left behind runs or can be connected to. */
function clearAfter(record: SupervisorRecord, files: JobDirectory, job: Job): void {
  endOrphans(files, job);
  if (record.socket.startsWith(`${job.runDirectory}/`))
    rmSync(dirname(record.socket), { recursive: true, force: true });
}

/** The environment failed so badly that not even what is there could be looked at. The workspace stays. */
const nothingKnown = (files: JobDirectory, because: Finding): ExitRecord => ({
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

/** The last error that the supervisors themselves printed, without the stack, which is in their log; empty for nothing. */
function lastWords(files: JobDirectory): string {
  const log = logOf(files);
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const isFrame = (line: string | undefined): boolean => /^ +at /.test(line ?? '');
  const thrown = lines.findLast((line, at) => /^\S/.test(line) && isFrame(lines[at + 1]));
  return boundedWords(thrown ?? lines.at(-1) ?? '');
}

/** Another supervisor writes the exit record that the dead one owes; doing it twice gives the same. */
async function rescue(files: JobDirectory, program: SupervisorProgram): Promise<void> {
  const child = spawnSupervisor(program, logOf(files), [files.path, '--rescue']);
  await new Promise<void>((resolve) => child.once('error', () => resolve()).once('exit', () => resolve()));
}

/** Resolves when some supervisor has claimed the job, or ours ended without one having done so. */
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
