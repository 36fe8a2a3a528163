import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Finding } from '../../domain/findings/finding.ts';

const sourceLimit = 1024 * 1024;

type SourceText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly finding: Finding };

/** Reads a file that a person wrote. What is no UTF-8 text of a sensible size is a finding, never repaired. */
export async function readSource(path: string, shown: string): Promise<SourceText> {
  const fail = (rule: string, detail: string, fix?: string): SourceText => ({
    ok: false,
    missing: rule === 'file-missing',
    finding: { rule, detail, where: shown, ...(fix === undefined ? {} : { fix }) },
  });
  try {
    // Non-blocking, so that a FIFO is seen for what it is instead of being waited for.
    await using file = await open(path, readWithoutWaiting);
    const stat = await file.stat();
    if (stat.isDirectory()) return fail('not-a-file', `${shown} is a directory, not a file`);
    if (!stat.isFile()) return fail('not-a-file', `${shown} is not a regular file`);
    if (stat.size > sourceLimit) return fail('file-too-large', `${shown} has ${stat.size} bytes, at most 1 MB is read`);
    const bytes = await file.readFile();
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { ok: true, text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    if (error instanceof TypeError) return fail('not-utf-8', `${shown} is not valid UTF-8`, 'save it as UTF-8');
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return fail('file-missing', `${shown} does not exist`);
    if (code === 'EACCES' || code === 'EPERM') return fail('file-unreadable', `${shown} cannot be read`);
    if (code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'ERR_INVALID_ARG_VALUE')
      return fail('file-unreadable', `${shown} is not a usable path`);
    throw error;
  }
}

const readWithoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;
