import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { FindingOf } from '../../domain/findings/finding.ts';

const sourceLimit = 1024 * 1024;
/** The most that an agent is given at once. */
const commentLimit = 64 * 1024;

type SourceText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly finding: Unread };

type Unread = FindingOf<'file-missing' | 'not-a-file' | 'file-too-large' | 'not-utf-8' | 'file-unreadable'>;

/** Reads a file that a person wrote. A file that is not UTF-8 text of a sensible size is a finding, never repaired. */
export async function readSource(path: string, shown: string): Promise<SourceText> {
  const of = { file: shown, where: shown };
  const fail = (finding: Unread): SourceText => ({ ok: false, finding });
  try {
    // Non-blocking, so that a FIFO is seen for what it is instead of being waited for.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return fail({ rule: 'not-a-file', isDirectory: stat.isDirectory(), ...of });
    if (stat.size > sourceLimit) return fail({ rule: 'file-too-large', bytes: stat.size, most: sourceLimit, ...of });
    return { ok: true, text: decode(await file.readFile()).replaceAll('\r\n', '\n') };
  } catch (error) {
    if (error instanceof TypeError) return fail({ rule: 'not-utf-8', ...of });
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return fail({ rule: 'file-missing', ...of });
    if (code === 'EACCES' || code === 'EPERM') return fail({ rule: 'file-unreadable', fault: 'denied', ...of });
    if (code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'ERR_INVALID_ARG_VALUE')
      return fail({ rule: 'file-unreadable', fault: 'path', ...of });
    throw error;
  }
}

/** Reads a person's comments for an agent, from a file or, for `-`, from standard input. */
export async function readComments(
  file: string,
  cwd: string,
  input: NodeJS.ReadStream,
): Promise<Result<string, string>> {
  const read = file === '-' ? await readInput(input) : await readSource(resolve(cwd, file), file);
  if (!read.ok) return err('finding' in read ? explain(read.finding).detail : read.error);
  const text = 'text' in read ? read.text : read.value;
  const bytes = Buffer.byteLength(text);
  const name = file === '-' ? standardInput : file;
  return bytes > commentLimit ? err(`${name} has ${bytes} bytes. An agent gets at most ${commentLimit}.`) : ok(text);
}

const standardInput = 'standard input';

async function readInput(input: NodeJS.ReadStream): Promise<Result<string, string>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > commentLimit) break;
  }
  try {
    return ok(decode(Buffer.concat(chunks)));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // a text that was cut in the middle of a character is too long, not wrong
    const fault = size > commentLimit ? `has more than ${commentLimit} bytes` : 'is not valid UTF-8';
    return err(`${standardInput} ${fault}`);
  }
}

const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/**
 * Returns the file that `path` names from `directory`, if it lies in the repository: by its spelling, and by where links lead.
 * A file that does not exist counts by its spelling; reading it will say that it is missing.
 */
export async function insideRepository(root: string, directory: string, path: string): Promise<string | null> {
  if (isAbsolute(path) || path.includes('\0')) return null;
  const spelled = resolve(directory, path);
  if (!isWithin(root, spelled)) return null;
  const real = await realpath(spelled).catch(nullIfMissing);
  return real === null || isWithin(await realpath(root), real) ? spelled : null;
}

function nullIfMissing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'EACCES')
    return null;
  throw error;
}

/** As people write it: from the root, with `/`. */
export const pathFromRoot = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

export const fromRoot = (root: string, path: string): string => (isAbsolute(path) ? path : join(root, path));
