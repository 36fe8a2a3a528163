import type { CommitId } from '../../../domain/base/ids.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import { git, objectId, openObjects } from '../process/index.ts';

type NoText = FindingOf<'file-missing' | 'not-a-file' | 'file-too-large' | 'not-utf-8'>;

/** The text of one plain file of a commit. What is no UTF-8 text of at most so many bytes is a finding, and is not read. */
export async function readSmallText(
  gitDir: string,
  commit: CommitId,
  file: string,
  most: number,
): Promise<Result<string, NoText>> {
  const of = { file, where: file };
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', objectId(commit), '--', file];
  const listed = (await git({ gitDir, args })).toString('utf8');
  const [, mode, id, size] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t/.exec(listed) ?? [];
  if (mode === undefined || id === undefined) return err({ rule: 'file-missing', ...of });
  if (!mode.startsWith('100')) return err({ rule: 'not-a-file', isDirectory: mode === '040000', ...of });
  if (!(Number(size) <= most)) return err({ rule: 'file-too-large', bytes: Number(size), most, ...of });
  await using objects = openObjects(gitDir, most);
  const bytes = await objects.read(id);
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? undefined).replaceAll('\r\n', '\n'));
  } catch (error) {
    if (error instanceof TypeError) return err({ rule: 'not-utf-8', ...of });
    throw error;
  }
}
