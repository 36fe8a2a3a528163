import type { FindingOf } from '../../../domain/findings/finding.ts';
import { git, runGit } from '../process/index.ts';

/** Says why a repository does not hold all objects of its commits; null when it should. */
export async function findIncompleteness(
  gitDir: string,
): Promise<FindingOf<'repository-shallow' | 'repository-partial'> | null> {
  const shallow = await git({ gitDir, args: ['rev-parse', '--is-shallow-repository'] });
  if (shallow.toString('latin1').trim() === 'true') return { rule: 'repository-shallow' };
  const promisor = ['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'];
  return (await runGit({ gitDir, args: promisor })).exitCode === 0 ? { rule: 'repository-partial' } : null;
}
