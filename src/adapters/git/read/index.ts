import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { withoutCredentials } from '../../../domain/landing/pull-request.ts';
import { refs } from '../../../domain/ledger/state-dir.ts';
import type { GitReader } from '../../../ports/merger.ts';
import { type GitCall, objectId, runGit } from '../process/index.ts';
import { findCheckout } from './checkout.ts';
import { findFiles, readDiff } from './tree.ts';

export {
  findCheckout,
  findSkippedHooks,
  NotARepository,
  objectFormat,
  readCheckoutState,
  secretsInCheckout,
  trySigning,
} from './checkout.ts';
export { type IgnoreRules, openIgnoreRules } from './ignore-rules.ts';
export { findIncompleteness, inspectRepository } from './inspect.ts';
export { keptSnapshots, readLineCounts, readLog, readPatch } from './patch.ts';
export { type Author, globalConfigText, isAuthorKnown, personsEnvironment, readAuthor } from './person.ts';
export {
  findSubmodules,
  gitlinksIn,
  insideAny,
  moduleHolders,
  type Submodule,
} from './submodules.ts';
export {
  listTree,
  nameLinks,
  type RawDiffEntry,
  rawDiff,
  readDiff,
  readSmallText,
  splitNul,
  type TreeEntry,
  UnreadablePath,
} from './tree.ts';

/** The branch has no commit yet, so there is nothing to start from. */
class NoCommits extends Error {
  override readonly name = 'NoCommits';
}

/**
 * Reads the person's repository and, for commits that only we have, our bare one. Writes nothing anywhere.
 * `repository` need not exist yet.
 */
export function gitReader(places: { readonly checkout: string; readonly repository: string }): GitReader {
  const persons = { cwd: places.checkout };
  const holder = async (commit: CommitId) =>
    (await hasCommit(places.repository, commit)) ? places.repository : (await findCheckout(places.checkout)).gitDir;
  return {
    toplevel: async () => (await findCheckout(places.checkout)).toplevel,
    async rootCommit() {
      const root = await oneLine({ ...persons, args: ['rev-list', '--first-parent', '--max-parents=0', 'HEAD', '--'] });
      if (root === null) throw new NoCommits(`${places.checkout} has no commit yet`);
      return commitId(root);
    },
    async remotes() {
      const done = await runGit({ ...persons, args: ['config', '--null', '--get-regexp', '^remote\\..*\\.url$'] });
      const entries = done.stdout.toString('utf8').split('\0');
      return entries.flatMap((entry) => {
        const [key = '', url = ''] = entry.split('\n');
        const name = key.slice('remote.'.length, -'.url'.length);
        return url === '' ? [] : [{ name, url: withoutCredentials(url) }];
      });
    },
    async branchTip(branch) {
      // `main~1` names a commit and no branch; git allows none of this in the name of one
      if (/[~^:?*[\\\s]|\.\.|@\{/.test(branch)) return null;
      const tip = await oneLine({
        ...persons,
        args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`],
      });
      return tip === null ? null : commitId(tip);
    },
    runBranchTip: (run) => refTip(places.repository, refs.runBranch(run)),
    currentBranch: () => oneLine({ ...persons, args: ['symbolic-ref', '--quiet', '--short', 'HEAD'] }),
    async isAncestor(ancestor, of) {
      const args = ['merge-base', '--is-ancestor', objectId(ancestor), objectId(of)];
      return (await runGit({ ...persons, args })).exitCode === 0;
    },
    files: async (commit, wanted) => findFiles(await holder(commit), commit, wanted),
    diff: async (from, to) => readDiff(await holder(to), from, to),
  };
}

async function hasCommit(gitDir: string, commit: CommitId): Promise<boolean> {
  return (await runGit({ gitDir, args: ['cat-file', '-e', `${objectId(commit)}^{commit}`] })).exitCode === 0;
}

/** The commit that a ref of ours points to, or null. */
export async function refTip(gitDir: string, ref: string): Promise<CommitId | null> {
  const tip = await oneLine({
    gitDir,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
  });
  return tip === null ? null : commitId(tip);
}

/** The first line of output, or null when git says no. */
async function oneLine(call: GitCall): Promise<string | null> {
  const done = await runGit(call);
  const line = done.stdout.toString('utf8').split('\n')[0] ?? '';
  return done.exitCode === 0 && line !== '' ? line : null;
}
