import { isUtf8 } from 'node:buffer';
import type { CommitId, TreeId } from '../../../domain/base/ids.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import { explain } from '../../../domain/explain/explain.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import type { DiffEntry } from '../../../domain/gates/evidence.ts';
import type { FoundFiles, WantedFiles } from '../../../ports/merger.ts';
import { git, objectId, openObjects } from '../process/index.ts';

export type TreeEntry = { readonly path: string; readonly mode: string; readonly id: string };

/** A path of the repository is not valid UTF-8, so that it cannot be named in a plan, a diff or a ledger. */
export class UnreadablePath extends Error {
  override readonly name = 'UnreadablePath';
  readonly finding = { rule: 'name-not-utf-8' } as const;
  constructor() {
    super(explain({ rule: 'name-not-utf-8' }).detail);
  }
}

/** Every file, link and gitlink of a commit or tree, in git's order. */
export async function listTree(gitDir: string, of: CommitId | TreeId): Promise<readonly TreeEntry[]> {
  const out = await git({ gitDir, args: ['ls-tree', '-r', '-z', '--full-tree', objectId(of)] });
  return parseTree(out);
}

/** Reads what `ls-tree -r -z` prints. */
export const parseTree = (out: Buffer): readonly TreeEntry[] =>
  splitNul(out).map((record) => {
    const tab = record.indexOf('\t');
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ');
    return { path: record.slice(tab + 1), mode, id };
  });

/** Records that git ended with NUL. Throws `UnreadablePath` rather than let two names become one. */
export function splitNul(out: Buffer): string[] {
  if (!isUtf8(out)) throw new UnreadablePath();
  const records = out.toString('utf8').split('\0');
  records.pop();
  return records;
}

/** With the object id of the new side; all zeros when it was deleted. */
export type RawDiffEntry = DiffEntry & { readonly id: string };

/** Lists the changes between two commits or trees, by git's own trees alone: no renames, no drivers, no working tree. */
export async function readDiff(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly DiffEntry[]> {
  return await nameLinks(gitDir, await rawDiff(gitDir, from, to));
}

/** Adds the targets of links, drops the ids. */
export async function nameLinks(gitDir: string, changes: readonly RawDiffEntry[]): Promise<readonly DiffEntry[]> {
  if (!changes.some(isNewLink)) return changes.map(({ id: _, ...entry }) => entry);
  await using objects = openObjects(gitDir);
  return await Promise.all(
    changes.map(async ({ id, ...entry }) =>
      isNewLink(entry) ? { ...entry, linkTarget: (await objects.read(id))?.toString('utf8') ?? '' } : entry,
    ),
  );
}

const isNewLink = (entry: DiffEntry): boolean => entry.newMode === '120000';

/** The same with object ids and without link targets. */
export async function rawDiff(
  gitDir: string,
  from: CommitId | TreeId,
  to: CommitId | TreeId,
): Promise<readonly RawDiffEntry[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'];
  const records = splitNul(await git({ gitDir, args: [...args, objectId(from), objectId(to)] }));
  const entries: RawDiffEntry[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [oldMode = '', newMode = '', , id = '', status = ''] = (records[at] ?? '').slice(1).split(' ');
    entries.push({ path: records[at + 1] ?? '', change: changeOf(status), oldMode, newMode, id });
  }
  return entries;
}

/** `T` (type changed) is a modification like any other: the modes tell it. */
function changeOf(status: string): DiffEntry['change'] {
  if (status === 'A') return 'added';
  return status === 'D' ? 'deleted' : 'modified';
}

/** Reads sizes only of the named entries: git has to look up every object for them. */
export async function findFiles(gitDir: string, commit: CommitId, wanted: WantedFiles): Promise<FoundFiles> {
  const { below, matches, most } = wanted;
  if (below.length === 0) return { total: 0, files: [] };
  const paths = (await list(gitDir, commit, ['--name-only'], below.includes('') ? [] : below)).filter(matches);
  if (paths.length === 0) return { total: 0, files: [] };
  const records = await list(gitDir, commit, ['-l'], paths.slice(0, most));
  return { total: paths.length, files: records.map(sizeOf) };
}

const list = async (gitDir: string, commit: CommitId, format: readonly string[], paths: readonly string[]) =>
  splitNul(
    await git({
      gitDir,
      args: ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', ...format, objectId(commit), '--', ...paths],
    }),
  );

/** `mode type id  size<TAB>path`; a submodule has no size. */
function sizeOf(record: string): FoundFiles['files'][number] {
  const tab = record.indexOf('\t');
  const size = record.slice(0, tab).trim().split(/\s+/)[3] ?? '';
  return { path: record.slice(tab + 1), bytes: Number.parseInt(size, 10) || 0 };
}

type NoText = FindingOf<'file-missing' | 'not-a-file' | 'file-too-large' | 'not-utf-8'>;

/** Reads one plain file of a commit as text. Anything but UTF-8 of at most `most` bytes is a finding. */
export async function readSmallText(
  gitDir: string,
  commit: CommitId,
  file: string,
  most: number,
): Promise<Result<string, NoText>> {
  const of = { file, where: file };
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', objectId(commit), '--', file];
  const record = (await git({ gitDir, args })).toString('utf8');
  const [, mode, id, size] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t/.exec(record) ?? [];
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
