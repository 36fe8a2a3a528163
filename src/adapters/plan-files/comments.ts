import { resolve } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { explain } from '../../domain/explain/explain.ts';
import { readSource } from './source-text.ts';

/** As much as an agent is told at once. */
const limit = 64 * 1024;

/** What a person wrote for an agent to mend: a file, or `-` for standard input. UTF-8, and no more than an agent reads. */
export async function readComments(
  file: string,
  cwd: string,
  input: NodeJS.ReadStream,
): Promise<Result<string, string>> {
  const read = file === '-' ? await readInput(input) : await readFile(file, cwd);
  if (!read.ok) return read;
  const bytes = Buffer.byteLength(read.value);
  return bytes > limit ? err(`${shown(file)} has ${bytes} bytes; an agent is told at most ${limit}`) : read;
}

async function readFile(file: string, cwd: string): Promise<Result<string, string>> {
  const read = await readSource(resolve(cwd, file), file);
  return read.ok ? ok(read.text) : err(explain(read.finding).detail);
}

async function readInput(input: NodeJS.ReadStream): Promise<Result<string, string>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > limit) break;
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (error) {
    // what was cut in the middle of a character is too long, not wrong
    if (error instanceof TypeError)
      return err(size > limit ? `${shown('-')} has more than ${limit} bytes` : `${shown('-')} is not valid UTF-8`);
    throw error;
  }
}

const shown = (file: string): string => (file === '-' ? 'standard input' : file);
