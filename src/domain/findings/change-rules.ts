import type { RunId, TaskId } from '../base/ids.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import type { Claim } from '../scope/claims.ts';
import type { Steering } from '../scope/steering.ts';

/** A change that is not the task's to make. `where` is its path. */
export type ScopeRules = {
  'read-only': Changed;
  locked: Changed & { readonly by: TaskId; readonly pattern: string };
  /** `steers` is absent in what an earlier version judged. */
  'agent-config': Changed & { readonly config: string; readonly steers?: Steering };
  /** It decides what these checks prove. `keys`: only these of it do. */
  'check-definition': Changed & { readonly checks: readonly string[]; readonly keys?: readonly string[] };
  /** `by` claims it with `pattern`; null when the task owns paths by name and this is none of them. */
  'out-of-scope': Changed & { readonly by: TaskId | null; readonly pattern: string | null };
  protected: Changed & { readonly pattern: string };
  // whoever owns it
  'bad-path': Changed & { readonly fault: 'segments' | 'characters' };
  'git-path': Changed;
  'reserved-path': Changed;
  'nested-repository': Changed;
  'bad-mode': Changed & { readonly mode: string };
  'link-leaves': Changed & { readonly fault: LinkFault; readonly target: string };
  /** `task` is absent where a snapshot is taken, which knows none. */
  'two-spellings': { readonly task?: TaskId; readonly spelled: string; readonly first: string };
  // of a plan
  /** Of two tasks, the one that the plan names first is the first of each pair. `more`: not all overlaps are listed. */
  'ownership-conflict': { readonly overlaps: readonly Overlap[]; readonly more: boolean };
  /** A live run on the same branch has this very plan. */
  'plan-live': { readonly run: RunId };
  /** `other` of a live run may write `path` too. */
  'owns-elsewhere': { readonly task: TaskId; readonly run: RunId; readonly other: TaskId; readonly path: string };
  /** `wide`: the pattern has a wildcard, and so does not open it. */
  'owns-protected': {
    readonly task: TaskId;
    readonly pattern: string;
    readonly protected: string;
    readonly wide?: true;
  };
};

export type LinkFault = 'empty' | 'absolute' | 'unclear' | 'leaves' | 'git';

/** `grantable`: a person can let the task change it. `change` is absent where a call was refused before it changed anything. */
type Changed = { readonly task: TaskId; readonly change?: DiffEntry['change']; readonly grantable: boolean };

/** Two patterns that meet, and a path that both match; `folded`: only where case or normalisation is ignored. */
type Overlap = {
  readonly claims: readonly [ClaimFact, ClaimFact];
  readonly path: string;
  readonly folded: boolean;
};

/** `at` is its place in the plan or in a directive; absent where the plan is known as frozen only. */
type ClaimFact = Claim & { readonly pattern: string; readonly at?: string };

/** A path of a workspace that cannot be taken into a snapshot, or must not be. `where` is that path. */
export type SnapshotRules = {
  'nested-git': unknown;
  'unfit-name': { readonly fault: 'line-break' | 'encoding' };
  /** `directory`: it cannot be listed; `entry`: its directory lets nobody look at it. */
  unreadable: { readonly kind: 'directory' | 'entry' | 'file' };
  'too-deep': unknown;
  /** Contents of a submodule are not as they were; `files` are some of them. `where` is the submodule, or `.gitmodules`. */
  'submodule-changed': { readonly files: readonly string[] };
  'special-file': { readonly kind: 'FIFO' | 'socket' | 'device' };
  /** `bytes` is the limit: of one file, of all new files, of all new files that LFS keeps. */
  'too-large': { readonly limit: 'file' | 'total' | 'lfs-total'; readonly bytes: number };
  /** A credential of the run, in a name or in added content. Never the value. */
  'known-value': { readonly in: 'name' | 'content' };
  /** Something that looks like a credential, in a name or in added content. `shape` is the rule that found it. Never the text. */
  'secret-shape': { readonly shape: string; readonly in: 'name' | 'content' };
  // why there is no snapshot at all
  'no-workspace': unknown;
  'workspace-moved': unknown;
  'workspace-too-large': { readonly entries: number };
  'too-many-refused': { readonly most: number };
  'snapshot-failed': { readonly words: string };
} & { readonly [K in EarlierShape]: unknown };

/** Rules of their own until the list was kept by others; ledgers have them. */
type EarlierShape =
  | 'private-key'
  | 'aws-access-key'
  | 'github-token'
  | 'anthropic-key'
  | 'openai-key'
  | 'slack-token'
  | 'google-api-key';
