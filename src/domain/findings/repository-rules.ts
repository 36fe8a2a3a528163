import type { RunId, TaskId } from '../base/ids.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { Finding } from './finding.ts';

/** Problems with a person's machine or repository, and facts about them that matter before a run starts. */
export type RepositoryRules = {
  'git-missing': unknown;
  'git-too-old': { readonly version: string };
  'not-a-repository': { readonly directory: string };
  /** The checkout disappeared while runs of it were active. */
  'checkout-gone': { readonly checkout: string };
  /** Git was to run in this directory. */
  'repository-gone': { readonly repository: string };
  'no-commit': unknown;
  'repository-shallow': unknown;
  'repository-partial': unknown;
  'network-file-system': unknown;
  'name-not-utf-8': unknown;
  /** A warning: agents see them as empty directories. */
  'submodules-missing': { readonly files: readonly string[] };
  'git-filter': { readonly filter: string };
  'lfs-missing': { readonly missing: number; readonly all: number };
  /** A file named in `.worktreeinclude` was not copied. */
  'worktree-include':
    | { readonly fault: 'behind-link' | 'no-plain-file' | 'is-directory' }
    | { readonly fault: 'file-too-large' | 'too-much'; readonly megabytes: number }
    | { readonly fault: 'below-file'; readonly file: string };
  /** git has no name and email for the person. */
  author: unknown;
  /** A warning: these hooks do not run on the commits of a run. */
  'hooks-skipped': { readonly hooks: readonly SkippableHook[]; readonly directory: string };
  // before a run starts
  /** Uncommitted changes, which agents do not see. `files` holds the first few. */
  'checkout-changed': { readonly base: string; readonly files: readonly string[]; readonly count: number };
  /** Uncommitted changes with `--with-uncommitted`: agents see them, and they do not land. */
  'uncommitted-seen': { readonly base: string; readonly files: readonly string[]; readonly count: number };
  /** `where` is a file that agents would see with `--with-uncommitted`. */
  'uncommitted-secret': { readonly shape: string };
  /** Findings about files that agents would see with `--with-uncommitted`, made when the run started. */
  'uncommitted-refused': { readonly findings: readonly Finding[] };
  /** Uncommitted changes cannot be included. */
  'uncommitted-unfit':
    | { readonly fault: 'other-branch'; readonly base: string; readonly branch: string | null }
    | { readonly fault: 'lands-on-branch'; readonly land: FrozenPlan['land'] };
  /** Untracked files where these tasks may write. Landing would be refused. */
  'untracked-in-the-way': {
    readonly files: readonly string[];
    readonly count: number;
    readonly tasks: readonly TaskId[];
  };
  /** The wave continues from the branch of an earlier run. */
  'wave-continues': { readonly run: RunId; readonly branch: string };
  /** `words` is the output of git and the signing program. */
  'signing-fails': { readonly words: string };
  /** This agent cannot start here, but another one in the chain of these tasks can. */
  'agent-unready': { readonly agent: string; readonly tasks: readonly TaskId[]; readonly because: Finding };
  /** No agent in the chain of these tasks can start here. */
  'no-agent-ready': { readonly tasks: readonly TaskId[]; readonly findings: readonly Finding[] };
};

/** Hooks of git that can change or refuse a commit or a push. */
export const skippableHooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'pre-push'] as const;
type SkippableHook = (typeof skippableHooks)[number];
