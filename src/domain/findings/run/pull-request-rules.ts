import type { Opener } from '../../landing/pull-request.ts';

/** Why a run with `land: pr` has no pull request yet, or why one stands in the way. The target branch never moved. */
export type PullRequestRules = {
  /** `remotes`: the names that the repository has. */
  'no-remote': { readonly branch: string; readonly remotes: readonly string[] };
  /** `words` is what git said. */
  'push-failed': {
    readonly remote: string;
    readonly branch: string;
    readonly fault: 'rejected' | 'unreachable' | 'timeout';
    readonly words: string;
  };
  /** `words` is what the program said. */
  'pull-request-failed': {
    readonly opener: Opener;
    readonly remote: string;
    readonly branch: string;
    readonly fault: 'login' | 'failed' | 'timeout' | 'no-address';
    readonly words: string;
  };
  /** Answers a second request to land. */
  'pull-request-open': { readonly branch: string; readonly url: string };
  /** Answers the request for an undo. `url`: null when a person opened it, if anybody did. */
  'undo-pull-request': { readonly branch: string; readonly url: string | null };
};
