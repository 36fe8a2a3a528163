import type { RepoAttestation } from '../domain/gates/evidence.ts';
import type { GitReader } from '../ports/merger.ts';

/** What a repository is known by. */
export async function attest(git: Pick<GitReader, 'rootCommit' | 'remotes'>): Promise<RepoAttestation> {
  return { rootCommit: await git.rootCommit(), remotes: await git.remotes() };
}
