import { createReadStream } from 'node:fs';
import { lstat, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import { absentAsNull } from '../files/absent.ts';
import { copiedFile, promptFile } from './job-directory.ts';

const chunkBytes = 1 << 20;
const files = { log: 'output.log', transcript: 'transcript.jsonl', prompt: promptFile } as const;

/** What supervisors leave in `jobs/<id>/`, for people to look at. */
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
    // it may grow meanwhile: no more is read than was said
    read: (from: number, to: number): AsyncIterable<Buffer> =>
      from >= to ? Readable.from([]) : createReadStream(path, { start: from, end: to - 1 }),
  };
}

/** At most a chunk, ending with a whole character. */
async function readFrom(path: string, from: number): Promise<{ readonly text: string; readonly next: number }> {
  const opened = await open(path).catch(absentAsNull);
  if (opened === null) return { text: '', next: from };
  await using file = opened;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, from);
  const whole = wholeCharacters(buffer.subarray(0, bytesRead));
  return { text: whole.toString('utf8'), next: from + whole.length };
}

/** Disk use of a tree; links are not followed. */
async function bytesOf(path: string): Promise<number> {
  const found = await lstat(path).catch(absentAsNull);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.blocks * 512;
  const names = (await readdir(path).catch(absentAsNull)) ?? [];
  let sum = found.blocks * 512;
  for (const name of names) sum += await bytesOf(join(path, name));
  return sum;
}

/** Without the beginning of a character whose end is not there yet. What is not UTF-8 at all is kept. */
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
