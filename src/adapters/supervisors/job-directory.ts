import { createReadStream, existsSync, writeFileSync } from 'node:fs';
import { lstat, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Handoff } from '../../domain/gates/evidence.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import type { ExitRecord, Job, NumberedNote, StartedRecord, SupervisorRecord } from '../../ports/supervisor.ts';
import { claimDurably, writeDurably, writeWhole } from '../files/durable-file.ts';
import { absentAsNull, readStateFile } from '../files/state-file.ts';
import { failpoint } from '../process/failpoint.ts';
import type { ProcessIdentity } from '../process/process-identity.ts';

/** The files through which supervisor and coordinator inform each other. Each is written once, whole, and durably unless its comment says otherwise. */
export const jobDirectory = (path: string) => ({
  path,
  workspace: join(path, 'workspace'),
  /** Content of proofs, by its SHA-256. Written durably. */
  evidence: join(path, 'evidence'),
  output: join(path, 'output.log'),
  /** Written by the coordinator or the supervisor, in this order. Each file shows that a step was reached. */
  job: () => readRecord<Job>(join(path, 'job.json')),
  writeJob(job: Job): void {
    failpoint('supervisors-job-before');
    claimDurably(join(path, 'job.json'), JSON.stringify(job));
    failpoint('supervisors-job-written');
  },
  supervisor: () => readRecord<SupervisorRecord>(join(path, 'supervisor.json')),
  claim(record: SupervisorRecord): boolean {
    failpoint('supervisor-claim-before');
    const won = claimDurably(join(path, 'supervisor.json'), JSON.stringify(record));
    failpoint('supervisor-claimed');
    return won;
  },
  /** For people: the job has the same text. Not flushed. */
  writePrompt(text: string): void {
    failpoint('supervisor-prompt-before');
    writeWhole(join(path, promptFile), text);
    failpoint('supervisor-prompt-written');
  },
  /**
   * The first process of the fence, which must be ended if the supervisor is lost. Not flushed, because no process survives a
   * power cut.
   */
  fenceProcess: () => readRecord<ProcessIdentity>(join(path, 'fence.json')),
  writeFenceProcess(process: ProcessIdentity): void {
    writeWhole(join(path, 'fence.json'), JSON.stringify(process));
    failpoint('supervisor-fence-written');
  },
  /** Empty files in place of missing configuration. They are never part of a snapshot. */
  standIns: () => readRecord<readonly string[]>(join(path, 'stand-ins.json')) ?? [],
  writeStandIns(paths: readonly string[]): void {
    writeDurably(join(path, 'stand-ins.json'), JSON.stringify(paths));
    failpoint('supervisor-stand-ins-written');
  },
  handoff: () => readRecord<Handoff>(join(path, 'handoff.json')),
  started: () => readRecord<StartedRecord>(join(path, 'started.json')),
  /** Whole lines only: the last one may be half written. */
  notes: (): readonly NumberedNote[] =>
    readStateFile(join(path, 'notes.jsonl'), (text) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as NumberedNote),
    ) ?? [],
  /** Records the progress of the checkout, again and again. It is only for people to see, so a full disk is no failure. */
  writeCopied(copied: { readonly done: number; readonly total: number }): void {
    try {
      writeFileSync(join(path, copiedFile), JSON.stringify(copied), { mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  },
  writeStarted(record: StartedRecord): void {
    failpoint('supervisor-started-before');
    writeDurably(join(path, 'started.json'), JSON.stringify(record));
    failpoint('supervisor-started-written');
  },
  writeHandoff(handoff: Handoff): void {
    failpoint('supervisor-handoff-before');
    writeDurably(join(path, 'handoff.json'), JSON.stringify(handoff));
    failpoint('supervisor-handoff-written');
  },
  exit: () => readRecord<ExitRecord>(join(path, 'exit.json')),
  /** Writes the exit unless there is one: the first record is kept. */
  writeExit(record: ExitRecord): void {
    failpoint('supervisor-exit-before');
    claimDurably(join(path, 'exit.json'), JSON.stringify(record));
    failpoint('supervisor-exit-written');
  },
  isAcknowledged: () => existsSync(join(path, 'acknowledged')),
  /** Lets a living supervisor end. Not flushed, because the ledger records the exit itself. */
  acknowledge(): void {
    failpoint('supervisors-acknowledge-before');
    writeWhole(join(path, 'acknowledged'), '');
    failpoint('supervisors-acknowledged');
  },
});
const copiedFile = 'copied.json';
const promptFile = 'brief.md';
export type JobDirectory = ReturnType<typeof jobDirectory>;

/** Reads a record of ours. It was written whole, so one that does not parse means a broken disk and must not count as absent. */
const readRecord = <T>(path: string): T | null => readStateFile(path, (text) => JSON.parse(text) as T);

const chunkBytes = 1 << 20;
const files = { log: 'output.log', transcript: 'transcript.jsonl', prompt: promptFile } as const;

/** Reads the files that supervisors leave in `jobs/<id>/` for people to look at. */
export function jobFiles(state: StateDir) {
  return {
    readLog: (job: string, from: number) => readFrom(join(state.job(job), files.log), from),
    readTranscript: (job: string, from: number) => readFrom(join(state.job(job), files.transcript), from),
    content: (job: string, what: keyof typeof files) => contentOf(join(state.job(job), files[what])),
    readPrompt: (job: string) => readFile(join(state.job(job), promptFile), 'utf8').catch(absentAsNull),
    readCopied: async (job: string): Promise<{ readonly done: number; readonly total: number } | null> => {
      const text = await readFile(join(state.job(job), copiedFile), 'utf8').catch(absentAsNull);
      // it may be half written
      const [, done, total] = /^\{"done":(\d+),"total":(\d+)\}$/.exec(text ?? '') ?? [];
      return done === undefined ? null : { done: Number(done), total: Number(total) };
    },
    lfsBytes: (): Promise<number> => bytesOf(state.lfs),
    removeLfs: (): Promise<void> => rm(state.lfs, { recursive: true, force: true }),
  };
}

async function contentOf(path: string) {
  const found = await lstat(path).catch(absentAsNull);
  if (found === null || !found.isFile()) return null;
  return {
    bytes: found.size,
    // the file may grow meanwhile: no more is read than `bytes`
    read: (from: number, to: number): AsyncIterable<Buffer> =>
      from >= to ? Readable.from([]) : createReadStream(path, { start: from, end: to - 1 }),
  };
}

/** Reads at most one chunk, which ends with a whole character. */
async function readFrom(path: string, from: number): Promise<{ readonly text: string; readonly next: number }> {
  const opened = await open(path).catch(absentAsNull);
  if (opened === null) return { text: '', next: from };
  await using file = opened;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, from);
  const whole = wholeCharacters(buffer.subarray(0, bytesRead));
  return { text: whole.toString('utf8'), next: from + whole.length };
}

/** Returns the disk use of a tree. Links are not followed. */
async function bytesOf(path: string): Promise<number> {
  const found = await lstat(path).catch(absentAsNull);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.blocks * 512;
  const names = (await readdir(path).catch(absentAsNull)) ?? [];
  let sum = found.blocks * 512;
  for (const name of names) sum += await bytesOf(join(path, name));
  return sum;
}

/** Cuts off a character at the end that is not complete yet. Bytes that are not UTF-8 at all are kept. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    const cut = needed > back && bytes.length > back;
    return cut ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
