import type { FindingsOf } from '../../findings/finding.ts';
import type { RepositoryRules } from '../../findings/repository-rules.ts';
import { oldestGit, setAuthor } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { few, plural } from '../text.ts';

export const repositorySentences: Sentences<RepositoryRules> = {
  'checkout-gone': ({ checkout }) => ({
    detail: `${checkout} no longer exists, so its agents were stopped`,
    fix: 'restore it, then run `tidegate resume`; the work is kept',
  }),
  'repository-gone': ({ repository }) => ({
    detail: `the repository ${repository} no longer exists, so the run cannot continue`,
    fix: `restore it at ${repository}; the work is kept`,
  }),
  'git-missing': () => ({ detail: 'git is not installed', fix: installGit }),
  'git-too-old': ({ version }) => ({
    detail: `git ${version} is too old: versions before ${oldestGit} have known security holes`,
    fix: installGit,
  }),
  'not-a-repository': ({ directory }) => ({
    detail: `${directory} is not in the working tree of a git repository`,
    fix: 'git init',
  }),
  'no-commit': () => ({ detail: 'the repository has no commit yet', fix: 'git commit --allow-empty -m start' }),
  'repository-shallow': () => ({ detail: 'the repository is a shallow clone', fix: 'git fetch --unshallow' }),
  'repository-partial': () => ({
    detail: 'the repository is a partial clone: some objects are only on the server',
    fix: 'make a full clone: git clone --no-filter <url>',
  }),
  'network-file-system': () => 'the checkout is on a network file system, where file locks are not reliable',
  'name-not-utf-8': () => ({
    detail: 'a file name in the repository is not valid UTF-8',
    fix: 'rename the file and commit',
  }),
  'submodules-missing': ({ files }) => ({
    detail: `submodules are not checked out, so agents see empty directories: ${few(files, 5)}`,
    fix: 'git submodule update --init --recursive',
  }),
  'git-filter': ({ filter }) => `the git filter ${JSON.stringify(filter)} is not supported`,
  'lfs-missing': ({ missing, all }) => ({
    detail: `${missing} of ${all} LFS objects are missing, so agents see pointers instead of files`,
    fix: 'git lfs fetch',
  }),
  'worktree-include': notCopied,
  author: () => ({ detail: 'git has no name and email for you, and merged commits need them', fix: setAuthor }),
  'hooks-skipped': ({ hooks, directory }) => ({
    detail: `your git hooks do not run on the commits of a run: ${hooks.join(', ')} (${directory})`,
    fix: 'add what they verify to `checks`',
  }),
  'checkout-changed': ({ base, files, count: all }) => ({
    detail: `your checkout has ${plural(all, 'uncommitted change')}: ${listed(files, all)}. Agents start from the last commit of ${base} and do not see ${all === 1 ? 'it' : 'them'}`,
    fix: 'commit first, or add --with-uncommitted',
  }),
  'uncommitted-seen': ({ base, files, count: all }) =>
    `agents start from your checkout with ${plural(all, 'uncommitted change')}: ${listed(files, all)}. Your changes stay uncommitted; only the agents' work lands on ${base}`,
  'uncommitted-secret': ({ shape }) => ({
    detail: `an uncommitted change contains a secret (${shape}), which agents would see`,
    fix: 'move the file out of the checkout, or ignore it',
  }),
  'uncommitted-refused': ({ findings }, explain) => ({
    detail: `agents cannot see your uncommitted changes: ${few(
      findings.map((finding) => `${finding.where ?? ''}: ${explain(finding).detail}`),
      3,
      '; ',
    )}`,
    fix: 'move these files out of the checkout, or ignore them',
  }),
  'uncommitted-unfit': (finding) =>
    finding.fault === 'other-branch'
      ? {
          detail: `--with-uncommitted needs a checkout of ${finding.base}, but yours is on ${finding.branch ?? 'no branch'}`,
          fix: `git switch ${finding.base}`,
        }
      : {
          detail: `--with-uncommitted cannot be used with \`land: ${finding.land}\`: the branch of the run would contain your uncommitted changes`,
          fix: 'commit first, or use another `land:`',
        },
  'untracked-in-the-way': ({ files, count: all, tasks }) => ({
    detail: `${few(tasks)} may write where you have ${plural(all, 'untracked file')}: ${listed(files, all)}. Landing never overwrites untracked files`,
    fix: 'commit, move or remove them before the run lands',
  }),
  'wave-continues': ({ run, branch }) => `continues from ${branch}, which has the earlier waves of ${run}`,
  'signing-fails': ({ words }) => ({
    detail: `your git signs commits (commit.gpgsign), but signing fails${words === '' ? '' : `: ${words}`}`,
    fix: 'git commit --allow-empty -S -m try   # shows the error; or: git config commit.gpgsign false',
  }),
  'agent-unready': ({ agent, tasks, because }, explain) => {
    const { detail, fix } = explain(because);
    return { detail: `${few(tasks)} will run without ${agent}: ${detail}`, ...(fix === undefined ? {} : { fix }) };
  },
  'no-agent-ready': ({ tasks, findings }, explain) => {
    const causes = findings.map(explain);
    const fixes = causes.flatMap(({ fix }) => fix ?? []);
    return {
      detail: `no agent can start for ${few(tasks)}: ${causes.map(({ detail }) => detail).join('; ')}`,
      ...(fixes.length === 0 ? {} : { fix: fixes.join('\nor: ') }),
    };
  },
};

const installGit = `install git ${oldestGit} or newer (Debian, Ubuntu: apt-get install git; macOS: brew install git)`;

const listed = (files: readonly string[], all: number): string =>
  `${files.join(', ')}${all > files.length ? ` and ${all - files.length} more` : ''}`;

function notCopied(finding: FindingsOf<Pick<RepositoryRules, 'worktree-include'>>): string {
  switch (finding.fault) {
    case 'behind-link':
      return 'not copied: it is behind a symbolic link';
    case 'no-plain-file':
      return 'not copied: it is not a regular file';
    case 'is-directory':
      return 'not copied: it is a directory in the commit';
    case 'file-too-large':
      return `not copied: it is larger than ${finding.megabytes} MB`;
    case 'too-much':
      return `not copied: the files exceed ${finding.megabytes} MB in total`;
    case 'below-file':
      return `not copied: ${finding.file} is a file in the commit`;
  }
}
