import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { fastImport, GitFailed, objectId, quotedPath, refName } from '../process/index.ts';
import type { Identity } from '../read/person.ts';
import { absent, type Change, type Commit, readCommits } from './objects.ts';

type StackedCommit = {
  /** Each path is made what its new side says, whatever it was. */
  readonly changes: readonly Change[];
  readonly message: string;
  readonly by: Identity;
  readonly date: string;
};

/**
 * Commits one on the other, each the one before with its changes made to it, for one process that leaves `ref` at the last.
 * The same input gives the same commits. All is on disk when it returns.
 */
export async function writeStack<Commits extends readonly StackedCommit[]>(
  gitDir: string,
  stack: { readonly ref: string; readonly parent: CommitId; readonly commits: Commits },
): Promise<{ readonly [At in keyof Commits]: Commit }> {
  const ids = (await fastImport(gitDir, stack.ref, script(stack))).map((id) => commitId(objectId(id)));
  const read = await readCommits(gitDir, ids);
  const written = ids.flatMap((id) => read.get(id) ?? []);
  if (written.length !== stack.commits.length)
    throw new GitFailed(['fast-import'], 0, {
      rule: 'commits-written',
      expected: stack.commits.length,
      actual: written.length,
    });
  return written as { readonly [At in keyof Commits]: Commit };
}

/** Names that git would tidy up in a commit; fast-import takes them as they are, or not at all. */
export const isTidy = ({ name, email }: Identity): boolean =>
  [name, email].every((text) => /^[^\p{Cc}<>]+$/u.test(text) && !/^[\s.,:;"\\']|[\s.,:;"\\']$/.test(text));

function* script({ ref, parent, commits }: Parameters<typeof writeStack>[1]): Generator<string> {
  for (const [at, { changes, message, by, date }] of commits.entries()) {
    const who = `${by.name} <${by.email}> ${date}`;
    yield `commit ${refName(ref)}\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\n`;
    yield `data ${Buffer.byteLength(message)}\n${message}\n`;
    if (at === 0) yield `from ${objectId(parent)}\n`;
    yield changes.map(line).join('');
  }
  yield commits.map((_, at) => `get-mark :${at + 1}\n`).join('');
}

const line = ({ path, newMode, newId }: Change): string =>
  newMode === absent ? `D ${quotedPath(path)}\n` : `M ${newMode} ${objectId(newId)} ${quotedPath(path)}\n`;
