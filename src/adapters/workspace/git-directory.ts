import { mkdirSync, writeFileSync } from 'node:fs';
import type { CommitId } from '../../domain/base/ids.ts';
import { objectId } from '../git/process/index.ts';

/**
 * A repository on branch `work` that borrows its objects: the same as `clone --shared --no-checkout` without remote, without the refs
 * of other tasks. Files are checked out byte-exact. Few files: no process is needed. `cut`: commits whose parents are not there.
 */
export function writeGitDir(gitDir: string, objects: string, commit: CommitId, cut: readonly string[] = []): void {
  for (const folder of ['info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    mkdirSync(`${gitDir}/${folder}`, { recursive: true });
  writeFileSync(`${gitDir}/HEAD`, 'ref: refs/heads/work\n');
  writeFileSync(`${gitDir}/config`, objectId(commit).length === 64 ? `${config(1)}${sha256}` : config(0));
  writeFileSync(`${gitDir}/objects/info/alternates`, `${objects}\n`);
  writeFileSync(`${gitDir}/info/attributes`, '* -text -ident -filter -working-tree-encoding !eol\n');
  writeFileSync(`${gitDir}/refs/heads/work`, `${commit}\n`);
  if (cut.length > 0) writeFileSync(`${gitDir}/shallow`, `${cut.join('\n')}\n`);
}

/** An agent may commit for its own use; without a name git would refuse. */
const config = (version: 0 | 1): string =>
  [
    `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`,
    '[user]\n\tname = Tidegate agent\n\temail = agent@localhost\n',
    '[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n',
  ].join('');
const sha256 = '[extensions]\n\tobjectformat = sha256\n';
