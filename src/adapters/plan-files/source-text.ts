import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FindingOf } from '../../domain/findings/finding.ts';

const sourceLimit = 1024 * 1024;

type SourceText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly finding: Unread };

type Unread = FindingOf<'file-missing' | 'not-a-file' | 'file-too-large' | 'not-utf-8' | 'file-unreadable'>;

/** Reads a file that a person wrote. What is no UTF-8 text of a sensible size is a finding, never repaired. */
export async function readSource(path: string, shown: string): Promise<SourceText> {
  const of = { file: shown, where: shown };
  const fail = (finding: Unread): SourceText => ({ ok: false, finding });
  try {
    // Non-blocking, so that a FIFO is seen for what it is instead of being waited for.
    await using file = await open(path, readWithoutWaiting);
    const stat = await file.stat();
    if (!stat.isFile()) return fail({ rule: 'not-a-file', isDirectory: stat.isDirectory(), ...of });
    if (stat.size > sourceLimit) return fail({ rule: 'file-too-large', bytes: stat.size, most: sourceLimit, ...of });
    const bytes = await file.readFile();
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { ok: true, text: text.replaceAll('\r\n', '\n') };
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

const readWithoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;
