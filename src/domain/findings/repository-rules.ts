/** Problems of a person's machine or repository, and differences between it and a workspace. */
export type RepositoryRules = {
  'git-missing': unknown;
  'git-too-old': { readonly version: string };
  'not-a-repository': { readonly directory: string };
  /** Gone while runs of it were at work. */
  'checkout-gone': { readonly checkout: string };
  'no-commit': unknown;
  'repository-shallow': unknown;
  'repository-partial': unknown;
  'network-file-system': unknown;
  'name-not-utf-8': unknown;
  submodule: unknown;
  'git-filter': { readonly filter: string };
  'lfs-missing': { readonly missing: number; readonly all: number };
  /** A file that `.worktreeinclude` names was not copied. */
  'worktree-include':
    | { readonly fault: 'behind-link' | 'no-plain-file' | 'is-directory' }
    | { readonly fault: 'file-too-large' | 'too-much'; readonly megabytes: number }
    | { readonly fault: 'below-file'; readonly file: string };
  /** git does not know who the person is. */
  author: unknown;
};
