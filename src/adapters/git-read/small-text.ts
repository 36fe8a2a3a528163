import type { Finding } from '../../domain/findings/finding.ts';
import type { CommitId } from '../../domain/ids.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { git, objectId, openObjects } from '../git-process/index.ts';

/** The text of one plain file of a commit. What is no UTF-8 text of at most so many bytes is a finding, and is not read. */
export async function readSmallText(
  gitDir: string,
  commit: CommitId,
  file: string,
  most: number,
): Promise<Result<string, Finding>> {
  const fail = (rule: string, detail: string): Result<string, Finding> => err({ rule, detail, where: file });
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', objectId(commit), '--', file];
  const listed = (await git({ gitDir, args })).toString('utf8');
  const [, mode, id, size] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t/.exec(listed) ?? [];
  if (mode === undefined || id === undefined) return fail('file-missing', `${file} does not exist`);
  if (!mode.startsWith('100')) return fail('not-a-file', `${file} is not a regular file`);
  if (!(Number(size) <= most))
    return fail('file-too-large', `${file} has ${size} bytes, at most ${most / 1024} KB are read`);
  await using objects = openObjects(gitDir, most);
  const bytes = await objects.read(id);
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? undefined).replaceAll('\r\n', '\n'));
  } catch (error) {
    if (error instanceof TypeError) return fail('not-utf-8', `${file} is not valid UTF-8`);
    throw error;
  }
}
