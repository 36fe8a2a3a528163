import type { FindingsOf } from '../../findings/finding.ts';
import type { PreflightRules, RepositoryRules } from '../../findings/repository-rules.ts';
import { oldestGit, setAuthor } from '../commands.ts';
import type { Sentences } from '../sentence.ts';
import { few } from '../text.ts';

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

const named = (files: readonly string[], count: number): string =>
  `${files.join(', ')}${count > files.length ? ` and ${count - files.length} more` : ''}`;
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const preflightSentences: Sentences<PreflightRules> = {
  'checkout-changed': ({ base, files, count }) => ({
    detail: `your checkout has ${counted(count, 'uncommitted change')}: ${named(files, count)}. Agents start from the last commit of ${base} and do not see ${count === 1 ? 'it' : 'them'}`,
    fix: 'commit first, or add --with-uncommitted',
  }),
  'uncommitted-seen': ({ base, files, count }) =>
    `agents start from your checkout with ${counted(count, 'uncommitted change')}: ${named(files, count)}. Only what they add lands on ${base}; your changes stay uncommitted`,
  'uncommitted-secret': ({ shape }) => ({
    detail: `a secret in an uncommitted change (${shape}), which agents would see`,
    fix: 'move it out of the checkout, or ignore the file',
  }),
  'uncommitted-refused': ({ findings }, explain) => ({
    detail: `your uncommitted changes cannot be shown to agents: ${few(
      findings.map((finding) => `${finding.where ?? ''}: ${explain(finding).detail}`),
      3,
      '; ',
    )}`,
    fix: 'move these files out of the checkout, or ignore them',
  }),
  'uncommitted-unfit': (finding) =>
    finding.fault === 'other-branch'
      ? {
          detail: `--with-uncommitted takes changes to ${finding.base}, and your checkout is on ${finding.branch ?? 'no branch'}`,
          fix: `git switch ${finding.base}`,
        }
      : {
          detail: `--with-uncommitted does not go with \`land: ${finding.land}\`: your uncommitted changes would be on the branch of the run`,
          fix: 'commit first, or use another `land:`',
        },
  'untracked-in-the-way': ({ files, count, tasks }) => ({
    detail: `${counted(count, 'untracked file')} where ${few(tasks)} may write: ${named(files, count)}. Landing never overwrites untracked files`,
    fix: 'commit, move or remove them before the run lands',
  }),
  'wave-continues': ({ run, branch }) => `goes on from ${branch}, where ${run} left the waves before`,
  'signing-fails': ({ words }) => ({
    detail: `your git signs commits (commit.gpgsign), and signing fails${words === '' ? '' : `: ${words}`}`,
    fix: 'git commit --allow-empty -S -m try   # shows why; or: git config commit.gpgsign false',
  }),
  'agent-unready': ({ agent, tasks, because }, explain) => {
    const { detail, fix } = explain(because);
    return {
      detail: `${few(tasks)} would do without ${agent}: ${detail}`,
      ...(fix === undefined ? {} : { fix }),
    };
  },
  'no-agent-ready': ({ tasks, findings }, explain) => {
    const [first, ...more] = findings.map(explain);
    const fixes = [first, ...more].flatMap((one) => one?.fix ?? []);
    return {
      detail: `no agent can be started for ${few(tasks)}: ${[first, ...more].map((one) => one?.detail).join('; ')}`,
      ...(fixes.length === 0 ? {} : { fix: fixes.join('\nor: ') }),
    };
  },
};
