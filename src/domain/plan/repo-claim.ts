import type { RepoAttestation, RepoClaim } from '../gates/evidence.ts';
import type { WrittenRepo } from '../settings/written-settings.ts';
import { allTasks, type FrozenPlan } from './plan.ts';

/** A commit id, or the beginning of one. */
export const rootPattern = /^[0-9a-f]{7,64}$/;

/** Reads `repo:` as it is written: one text is a root commit if it looks like one, else a remote. */
export function repoClaim(written: WrittenRepo | undefined): Omit<RepoClaim, 'task'> {
  if (written === undefined || written === null) return { root: null, remote: null };
  if (typeof written === 'string')
    return rootPattern.test(written) ? { root: written, remote: null } : { root: null, remote: written };
  return { root: written.root ?? null, remote: written.remote ?? null };
}

/** Returns the repository that each task is for, by itself or by its plan. Tasks without a claim are left out. */
export const repoClaims = (plan: FrozenPlan): readonly RepoClaim[] =>
  allTasks(plan).flatMap(({ id, repo }) => {
    const root = repo?.root ?? plan.repo?.root ?? null;
    const remote = repo?.remote ?? plan.repo?.remote ?? null;
    return root === null && remote === null ? [] : [{ task: id, root, remote }];
  });

/** Returns the part of a claim that this repository contradicts; null when it fits. Any of its remotes may match. */
export function contradictionOf(
  { root, remote }: RepoClaim,
  { rootCommit, remotes }: RepoAttestation,
): 'root' | 'remote' | null {
  if (root !== null && !rootCommit.startsWith(root)) return 'root';
  if (remote === null) return null;
  return remotes.some(({ url }) => plainRemote(url) === plainRemote(remote)) ? null : 'remote';
}

/** Returns the address for messages: that of `origin`, else of the first remote; null when there is none. */
export const mainRemote = ({ remotes }: RepoAttestation): string | null =>
  (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.url ?? null;

/** `git@example.org:team/shop.git` and `https://example.org/team/shop` name the same repository. */
export function plainRemote(url: string): string {
  const plain = url
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)\/?/, '$1/')
    .replace(/^([^/:]+):\d+\//, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  const [host = '', ...path] = plain.split('/');
  return [host.toLowerCase(), ...path].join('/');
}
