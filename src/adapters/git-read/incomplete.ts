import { git, runGit } from '../git-process/index.ts';

type Incompleteness = {
  readonly reason: 'shallow' | 'partial';
  readonly detail: string;
  readonly fix: string;
};

/** Says why a repository does not hold all objects of its commits; null when it should. */
export async function findIncompleteness(gitDir: string): Promise<Incompleteness | null> {
  const shallow = await git({ gitDir, args: ['rev-parse', '--is-shallow-repository'] });
  if (shallow.toString('latin1').trim() === 'true')
    return { reason: 'shallow', detail: 'the repository is a shallow clone', fix: 'git fetch --unshallow' };
  const promisor = ['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'];
  if ((await runGit({ gitDir, args: promisor })).exitCode === 0)
    return {
      reason: 'partial',
      detail: 'the repository is a partial clone: some objects are only on the server',
      fix: 'make a full clone: git clone --no-filter <url>',
    };
  return null;
}
