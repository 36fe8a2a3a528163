import type { RunId, TaskId } from '../base/ids.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { Finding } from './finding.ts';

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

/** Facts about the checkout and the machine that a person has to know before a run starts. */
export type PreflightRules = {
  /** Changes that no commit holds: agents start from the last commit and do not see them. `files` names the first few. */
  'checkout-changed': { readonly base: string; readonly files: readonly string[]; readonly count: number };
  /** The same with `--with-uncommitted`: agents see them, and they do not land. */
  'uncommitted-seen': { readonly base: string; readonly files: readonly string[]; readonly count: number };
  /** `where` is a file that `--with-uncommitted` would show to agents. */
  'uncommitted-secret': { readonly shape: string };
  /** What stands against files that `--with-uncommitted` would show to agents, found when the run began. */
  'uncommitted-refused': { readonly findings: readonly Finding[] };
  /** Why uncommitted changes cannot be taken along. */
  'uncommitted-unfit':
    | { readonly fault: 'other-branch'; readonly base: string; readonly branch: string | null }
    | { readonly fault: 'lands-on-branch'; readonly land: FrozenPlan['land'] };
  /** Files that git does not track, where these tasks may write: landing would be refused. */
  'untracked-in-the-way': {
    readonly files: readonly string[];
    readonly count: number;
    readonly tasks: readonly TaskId[];
  };
  /** The wave goes on from the branch of an earlier run. */
  'wave-continues': { readonly run: RunId; readonly branch: string };
  /** `words`: what git and the signing program printed. */
  'signing-fails': { readonly words: string };
  /** Agents of the chain of these tasks that cannot be started here, while another can. */
  'agent-unready': { readonly agent: string; readonly tasks: readonly TaskId[]; readonly because: Finding };
  /** No agent of the chain of these tasks can be started here. */
  'no-agent-ready': { readonly tasks: readonly TaskId[]; readonly findings: readonly Finding[] };
};
