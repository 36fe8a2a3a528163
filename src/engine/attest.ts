import type { RepoAttestation } from '../domain/evidence.ts';
import type { GitReader } from '../ports/merger.ts';

/** What a repository is known by. */
export async function attest(git: Pick<GitReader, 'rootCommit' | 'remote' | 'remotes'>): Promise<RepoAttestation> {
  const remotes = await git.remotes();
  return {
    rootCommit: await git.rootCommit(),
    remote: await git.remote(),
    ...(remotes.length === 0 ? {} : { remotes }),
  };
}
