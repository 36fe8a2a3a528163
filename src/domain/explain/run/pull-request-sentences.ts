import { shellWord } from '../../base/shell-word.ts';
import type { PullRequestRules } from '../../findings/run/pull-request-rules.ts';
import type { Sentences } from '../sentence.ts';

export const pullRequestSentences: Sentences<PullRequestRules> = {
  'no-remote': ({ branch, remotes }) => ({
    detail: `${branch} has no remote to push to`,
    fix:
      remotes.length === 0
        ? 'git remote add origin <address>'
        : `git config ${shellWord(`branch.${branch}.remote`)} ${shellWord(remotes[0] ?? 'origin')}`,
  }),
  'push-failed': ({ remote, branch, fault, words }) => ({
    detail: `${branch} could not be pushed to ${remote}${pushFaults[fault]}${said(words)}`,
    fix: `see that this works: git push ${shellWord(remote)} ${shellWord(branch)}`,
  }),
  'pull-request-failed': ({ opener, remote, branch, fault, words }) => ({
    detail: `${branch} is pushed to ${remote}, but ${opener} ${requestFaults[fault]}${said(words)}`,
    ...(fault === 'login' ? { fix: `${opener} auth login` } : {}),
  }),
  'pull-request-open': ({ url }) => ({
    detail: `the pull request is open: ${url}`,
    fix: 'merge it there, then pull',
  }),
  'undo-pull-request': ({ branch, url }) => ({
    detail: `the run has a pull request, and Tidegate does not move your branch for it`,
    fix: url === null ? `close the pull request of ${branch}, or revert it` : `close or revert it at ${url}`,
  }),
};

const pushFaults = {
  rejected: '',
  unreachable: '',
  timeout: ' in time',
} as const;

const requestFaults = {
  login: 'is not logged in',
  failed: 'could not open the pull request',
  timeout: 'did not open the pull request in time',
  'no-address': 'did not say where the pull request is',
} as const;

const said = (words: string): string => (words === '' ? '' : `: ${words}`);
