import type { FindingsOf } from '../../findings/finding.ts';
import type { RepositoryRules } from '../../findings/plan/repository-rules.ts';
import { oldestGit, setAuthor } from '../../texts/commands.ts';
import { few } from '../../texts/told.ts';
import type { Sentences } from '../sentence.ts';

const installGit = `install git ${oldestGit} or newer (Debian, Ubuntu: apt-get install git; macOS: brew install git)`;

function notCopied(finding: FindingsOf<Pick<RepositoryRules, 'worktree-include'>>): string {
  switch (finding.fault) {
    case 'behind-link':
      return 'reached through a link';
    case 'no-plain-file':
      return 'not a plain file';
    case 'is-directory':
      return 'a directory in the commit';
    case 'file-too-large':
      return `larger than ${finding.megabytes} MB`;
    case 'too-much':
      return `more than ${finding.megabytes} MB in all`;
    case 'below-file':
      return `${finding.file} is a file in the commit`;
  }
}

export const repositorySentences: Sentences<RepositoryRules> = {
  'checkout-gone': ({ checkout }) => ({
    detail: `${checkout} is not there any more, so its agents were ended`,
    fix: 'bring it back, then `tidegate resume`; the work is kept',
  }),
  'repository-gone': ({ repository }) => ({
    detail: `the repository ${repository} is gone, and nothing of this run can be resumed without it`,
    fix: `put it back at ${repository}; the work is kept`,
  }),
  'git-missing': () => ({ detail: 'git is not installed', fix: installGit }),
  'git-too-old': ({ version }) => ({
    detail: `git ${version} is older than ${oldestGit}, which fixed known holes`,
    fix: installGit,
  }),
  'not-a-repository': ({ directory }) => ({
    detail: `${directory} is not inside the working tree of a git repository`,
    fix: 'git init',
  }),
  'no-commit': () => ({ detail: 'the repository has no commit yet', fix: 'git commit --allow-empty -m start' }),
  'repository-shallow': () => ({ detail: 'the repository is a shallow clone', fix: 'git fetch --unshallow' }),
  'repository-partial': () => ({
    detail: 'the repository is a partial clone: some objects are only on the server',
    fix: 'make a full clone: git clone --no-filter <url>',
  }),
  'network-file-system': () => 'the checkout is on a network file system: locks may not hold',
  'name-not-utf-8': () => ({
    detail: 'the repository holds a file name that is not valid UTF-8',
    fix: 'rename the file to valid UTF-8 and commit',
  }),
  'submodules-missing': ({ files }) => ({
    detail: `submodules that are not here are empty directories for agents: ${few(files, 5)}`,
    fix: 'git submodule update --init --recursive',
  }),
  'git-filter': ({ filter }) => `the git filter ${JSON.stringify(filter)} is not supported`,
  'lfs-missing': ({ missing, all }) => ({
    detail: `${missing} of ${all} LFS objects are not in this repository: agents see the pointers instead`,
    fix: 'git lfs fetch',
  }),
  'worktree-include': notCopied,
  author: () => ({
    detail: 'git does not know who you are, and merged commits carry your name',
    fix: setAuthor,
  }),
  'hooks-skipped': ({ hooks, directory }) => ({
    detail: `your hooks do not run on the commits of a run: ${hooks.join(', ')} (${directory})`,
    fix: 'add what they check to `checks`',
  }),
};
