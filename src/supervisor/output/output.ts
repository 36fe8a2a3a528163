import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { LogEvidence } from '../../domain/gates/evidence.ts';
import { type KnownSecrets, redactor, redactTexts } from './redact.ts';

const caps = { head: 8 << 20, tail: 2 << 20, shown: 4096 };

export type Output = {
  write(chunk: Uint8Array): void;
  /** The last 4 KB, safe to show on a terminal. */
  shown(): string;
  /** Puts the tail behind the head and makes the file durable. */
  close(): LogEvidence;
};

/**
 * The attempt's log: the first 8 MB as they come, then only the last 2 MB. Memory stays bounded whatever is written, in lines
 * or in one endless one; values of `secrets` are never in it. A full disk loses log, never the attempt: `bytes` counts all, `kept` what is in the file.
 */
export function openOutput(file: string, secrets: KnownSecrets = () => [], cap = caps): Output {
  const descriptor = openSync(file, 'w', 0o600);
  const hash = createHash('sha256');
  const tail = ring(cap.tail);
  const shown = ring(cap.shown);
  let bytes = 0;
  let kept = 0;
  const keep = (chunk: Uint8Array): void => {
    const written = writeWhatFits(descriptor, chunk);
    hash.update(chunk.subarray(0, written));
    kept += written;
  };
  const take = redactor(secrets, (chunk) => {
    const room = Math.max(0, cap.head - bytes);
    bytes += chunk.length;
    shown.push(chunk);
    if (room > 0) keep(chunk.subarray(0, room));
    if (room < chunk.length) tail.push(chunk.subarray(room));
  });
  return {
    write: take.write,
    // a colour within a secret kept it from being found before
    shown: () => redactTexts(displayed(shown.content()), secrets()),
    close() {
      take.end();
      const left = bytes - cap.head - tail.content().length;
      if (left > 0) keep(Buffer.from(`\n[tidegate: ${left} bytes left out]\n`));
      keep(tail.content());
      fsyncSync(descriptor);
      closeSync(descriptor);
      return { file: nameOfLog(file), bytes, kept, sha256: hash.digest('hex') };
    },
  };
}

function writeWhatFits(descriptor: number, chunk: Uint8Array): number {
  let written = 0;
  try {
    while (written < chunk.length) written += writeSync(descriptor, chunk, written);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EFBIG') throw error;
  }
  return written;
}

/** Returns a path as the ledger names it: below `jobs/`, so that a state directory may be moved. */
export const nameOfLog = (path: string): string => path.split('/').slice(-2).join('/');

/** The last `size` bytes; memory is taken when the first byte comes. */
function ring(size: number): { push(chunk: Uint8Array): void; content(): Buffer } {
  let buffer: Buffer | null = null;
  let total = 0;
  return {
    push(chunk) {
      buffer ??= Buffer.alloc(size);
      const last = chunk.subarray(Math.max(0, chunk.length - size));
      const at = (total + chunk.length - last.length) % size;
      const first = last.subarray(0, size - at);
      buffer.set(first, at);
      buffer.set(last.subarray(first.length), 0);
      total += chunk.length;
    },
    content() {
      if (buffer === null) return Buffer.alloc(0);
      if (total <= size) return buffer.subarray(0, total);
      const at = total % size;
      return Buffer.concat([buffer.subarray(at), buffer.subarray(0, at)]);
    },
  };
}

/** Colours are left out. Other control characters could move the reader's cursor or retitle the terminal: they are shown, not obeyed. */
export function displayed(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes).replaceAll(colours, '');
  return [...text.replaceAll('\r\n', '\n')].map((char) => (isControl(char) ? escaped(char) : char)).join('');
}

/** Select graphic rendition, and the erasure to the end of the line that goes with it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const colours = /\x1b\[[0-9;:]*[mK]/g;

function isControl(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  const direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return (code < 0x20 && char !== '\n' && char !== '\t') || (code >= 0x7f && code < 0xa0) || direction;
}

const escaped = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/**
 * A real pipe for stdout and stderr. Node's own are sockets, which a program cannot open again as /dev/stdout or
 * /dev/stderr. The agent's uid may open it for writing only.
 */
export type OutputPipe = {
  readonly writeEnd: number;
  /** Call when the child has it: the end of the output is seen only when nobody else holds the write end. */
  closeWriteEnd(): void;
  /** Everything that was written has been given to `take`. */
  readonly drained: Promise<void>;
  /** Ends reading although somebody still holds the write end. */
  abandon(): void;
};

export function openOutputPipe(
  path: string,
  mkfifo: string,
  owner: number,
  take: (chunk: Uint8Array) => void,
): OutputPipe {
  rmSync(path, { force: true });
  const made = spawnSync(mkfifo, ['-m', '600', '--', path], { env: {} });
  if (made.status !== 0) throw new Error(`mkfifo failed: ${made.error?.message ?? made.stderr.toString()}`);
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  if (process.getuid?.() === 0) chownSync(path, owner, owner);
  chmodSync(path, 0o200);
  rmSync(path);
  // One buffer for all chunks: a gigabyte of output must not become a gigabyte of garbage.
  const buffer = Buffer.alloc(64 * 1024);
  const options = {
    fd: readEnd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (length: number): boolean => {
        take(buffer.subarray(0, length));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  const drained = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
  });
  socket.resume();
  return { writeEnd, closeWriteEnd: () => closeSync(writeEnd), drained, abandon: () => void socket.destroy() };
}
