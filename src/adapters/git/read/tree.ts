import { isUtf8 } from 'node:buffer';
import type { CommitId, TreeId } from '../../../domain/base/ids.ts';
import { explain } from '../../../domain/explain/explain.ts';
import { git, objectId } from '../process/index.ts';

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
