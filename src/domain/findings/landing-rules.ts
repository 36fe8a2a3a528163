import type { CommitId, RunId, TaskId, TreeId } from '../base/ids.ts';
import type { RecordKind } from '../board/kinds.ts';
import type { Unclear, Worse } from '../checks/standing.ts';
import type { DefinitionDispute } from '../landing/earlier-definitions.ts';
import type { Opener } from '../landing/pull-request.ts';
import type { ForeignCommit } from '../ledger/landing-events.ts';
import type { Finding } from './finding.ts';

/** Reasons why the person's branch did not move. Nothing was changed. */
export type LandingRules = ObstacleRules & UnprovenRules & UndoRules & PullRequestRules;

/** Obstacles in the person's repository, found before anything changes. `worktree` has the branch checked out. */
export type ObstacleRules = {
  'dirty-checkout': Files & { readonly worktree: string };
  'untracked-files': Files & { readonly worktree: string };
  /** `operation` is git's name for it: rebase, merge, cherry-pick … */
  'operation-unfinished': { readonly worktree: string; readonly operation: string };
  'submodules-move': Files;
  'lfs-unusable': Files;
  'git-locked': Files;
  'not-a-branch': { readonly ref: string };
  'several-worktrees': { readonly ref: string; readonly worktrees: readonly string[] };
  'worktree-missing': { readonly ref: string; readonly worktree: string };
  'branch-checked-out': { readonly ref: string; readonly worktree: string };
  /** `words` is git's output. */
  'files-refused': { readonly words: string };
  /** Needs no person: the coordinator tries again. */
  'branch-moved': { readonly ref: string; readonly expected: CommitId | null; readonly actual: CommitId | null };
  'branch-gone': { readonly branch: string };
  /** A landing was killed, and left neither the old state nor the new one. */
  'landing-cut-off': {
    readonly run: string;
    readonly ref: string;
    readonly old: CommitId | null;
    readonly new: CommitId | null;
    readonly worktree: string | null;
  } & (
    | { readonly fault: 'git-running'; readonly pid: number }
    | { readonly fault: 'ref-elsewhere'; readonly actual: CommitId | null }
    | { readonly fault: 'ref-moved' }
    | ({ readonly fault: 'index-mixed' } & Files)
  );
};

/** The landing is not proven or not approved. `tasks` holds the chosen tasks; null for the whole run. */
type UnprovenRules = {
  'none-merged': unknown;
  'landing-unapproved': unknown;
  'plan-unapproved': unknown;
  'landing-unbuilt': { readonly tasks: readonly TaskId[] };
  'landing-outdated': unknown;
  'landing-diverged': { readonly commit: CommitId; readonly expected: number; readonly actual: number };
  'landing-unchecked': { readonly branch: string; readonly checks: readonly string[] };
  'landing-not-ahead': { readonly branch: string };
  'landing-busy': { readonly branch: string; readonly tries: number };
  /**
   * `task` conflicts with the commits `against`, which are on the branch. `uncommitted`: the run started from uncommitted
   * changes of the person.
   */
  'landing-conflicts': Files &
    Chosen & {
      readonly task?: TaskId | undefined;
      readonly against?: readonly ForeignCommit[] | undefined;
      readonly uncommitted?: true;
    };
  'landing-check': Chosen & {
    readonly check: string;
    readonly tree: TreeId;
    readonly uncommitted?: true;
    /** Set when the check fails only with the definitions of the branch; `tree` then has those. */
    readonly defined?: DefinitionDispute;
    /** In what it is worse than on the branch, or why the two cannot be compared. */
    readonly worse?: Worse;
    readonly unclear?: Unclear;
  };
  /** A record that nobody has settled keeps the run from landing. `kind` is absent for a question. */
  'landing-question': {
    readonly run: RunId;
    readonly record: string;
    readonly branch: string;
    readonly kind?: RecordKind;
  };
  /** A closure role has to judge the landing again, and does not let it pass. `because` is absent when it has not reported. */
  'landing-role': {
    readonly run: RunId;
    readonly branch: string;
    readonly task: TaskId;
    readonly because?: Finding;
  };
  'need-left-out': { readonly task: TaskId; readonly need: TaskId };
  'generated-left-out': { readonly task: TaskId };
  'history-unrelated': { readonly branch: string };
};

type UndoRules = {
  /** Answers a request to undo. */
  'undo-refused': { readonly run: RunId; readonly task: TaskId | null; readonly because: Finding };
  'undo-busy': { readonly branch: string; readonly tries: number; readonly reverts: readonly CommitId[] };
  'undo-check': {
    readonly run: RunId;
    readonly task: TaskId | null;
    readonly branch: string;
    readonly check: string;
    readonly reverts: readonly CommitId[];
  };
  'undo-diverged': { readonly commit: CommitId };
  'no-landed-commit': { readonly task: TaskId | null };
  'landing-lost': { readonly branch: string };
  'branch-moved-on': { readonly branch: string };
  /** `words` is the title of the commit. */
  'built-upon': Files & { readonly commit: CommitId; readonly words: string };
  'commit-without-parent': { readonly commit: CommitId };
};

type Files = { readonly files: readonly string[] };
type Chosen = { readonly run: RunId; readonly branch: string; readonly tasks: readonly TaskId[] | null };

/** A run with `land: pr` has no pull request yet, or already has one. The target branch never moves. */
type PullRequestRules = {
  /** `remotes` holds the names of the repository's remotes. */
  'no-remote': { readonly branch: string; readonly remotes: readonly string[] };
  /** `words` is git's output. */
  'push-failed': {
    readonly remote: string;
    readonly branch: string;
    readonly fault: 'rejected' | 'unreachable' | 'timeout';
    readonly words: string;
  };
  /** `words` is the program's output. */
  'pull-request-failed': {
    readonly opener: Opener;
    readonly remote: string;
    readonly branch: string;
    readonly fault: 'login' | 'failed' | 'timeout' | 'no-address';
    readonly words: string;
  };
  /** Answers a second request to land. */
  'pull-request-open': { readonly branch: string; readonly url: string };
  /** Answers a request to undo. `url` is null when Tidegate did not open the pull request. */
  'undo-pull-request': { readonly branch: string; readonly url: string | null };
};
