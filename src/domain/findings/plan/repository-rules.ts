/** Problems of a person's machine or repository, and differences between it and a workspace. */
export type RepositoryRules = {
  'git-missing': unknown;
  'git-too-old': { readonly version: string };
  'not-a-repository': { readonly directory: string };
  /** Gone while runs of it were at work. */
  'checkout-gone': { readonly checkout: string };
  /** Git was to run in it. */
  'repository-gone': { readonly repository: string };
  'no-commit': unknown;
  'repository-shallow': unknown;
  'repository-partial': unknown;
  'network-file-system': unknown;
  'name-not-utf-8': unknown;
  /** A warning: they are empty directories for agents. */
  'submodules-missing': { readonly files: readonly string[] };
  'git-filter': { readonly filter: string };
  'lfs-missing': { readonly missing: number; readonly all: number };
  /** A file that `.worktreeinclude` names was not copied. */
  'worktree-include':
    | { readonly fault: 'behind-link' | 'no-plain-file' | 'is-directory' }
    | { readonly fault: 'file-too-large' | 'too-much'; readonly megabytes: number }
    | { readonly fault: 'below-file'; readonly file: string };
  /** git does not know who the person is. */
  author: unknown;
  /** A warning: none of them runs on the commits of a run. */
  'hooks-skipped': { readonly hooks: readonly SkippableHook[]; readonly directory: string };
};

/** Hooks of git that can change or refuse a commit or a push. */
export const skippableHooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'pre-push'] as const;
type SkippableHook = (typeof skippableHooks)[number];
