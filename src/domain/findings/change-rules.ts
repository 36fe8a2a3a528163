import type { RunId, TaskId } from '../base/ids.ts';
import type { DefinitionHit } from '../check-definitions/definition.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import type { Claim } from '../scope/claims.ts';
import type { Steering } from '../scope/steering.ts';

/** Paths that a task must not change, or that no snapshot can hold. `where` is the path. */
export type ChangeRules = ScopeRules & SnapshotRules;

export type ScopeRules = {
  'read-only': Changed;
  locked: Changed & { readonly by: TaskId; readonly pattern: string };
  /** `steers` is absent in verdicts of earlier versions. */
  'agent-config': Changed & { readonly config: string; readonly steers?: Steering };
  /** The file decides what these checks and closure roles prove. `keys`: only these keys of it do. */
  'check-definition': Changed & DefinitionHit;
  /** `by` claims it with `pattern`; null when the task lists its paths and this is not one of them. */
  'out-of-scope': Changed & { readonly by: TaskId | null; readonly pattern: string | null };
  protected: Changed & { readonly pattern: string };
  // unsafe for every owner
  'bad-path': Changed & { readonly fault: 'segments' | 'characters' };
  'git-path': Changed;
  'reserved-path': Changed;
  'nested-repository': Changed;
  'bad-mode': Changed & { readonly mode: string };
  'link-leaves': Changed & { readonly fault: LinkFault; readonly target: string };
  /** `task` is absent when a snapshot is taken. */
  'two-spellings': { readonly task?: TaskId; readonly spelled: string; readonly first: string };
  // plans
  /** Each pair starts with the task that comes first in the plan. `more`: not all overlaps are listed. */
  'ownership-conflict': { readonly overlaps: readonly Overlap[]; readonly more: boolean; readonly role?: true };
  /** A closure role must not own this pattern. */
  'role-owns': {
    readonly task: TaskId;
    readonly pattern: string;
    readonly fault: 'everything' | 'protected' | 'check-definition' | 'whole-tree';
  };
  /** A live run on the same branch has the same plan. */
  'plan-live': { readonly run: RunId };
  /** `other`, a task of a live run, may also write `path`. */
  'owns-elsewhere': { readonly task: TaskId; readonly run: RunId; readonly other: TaskId; readonly path: string };
  /** `wide`: the pattern has a wildcard, which does not open protected paths. */
  'owns-protected': {
    readonly task: TaskId;
    readonly pattern: string;
    readonly protected: string;
    readonly wide?: true;
  };
};

export type LinkFault = 'empty' | 'absolute' | 'unclear' | 'leaves' | 'git';

/** `grantable`: a person can allow the change. `change` is absent for a call that was refused beforehand. */
type Changed = { readonly task: TaskId; readonly change?: DiffEntry['change']; readonly grantable: boolean };

/** Two patterns that overlap, and a path that both match. `folded`: only where case or normalisation is ignored. */
type Overlap = {
  readonly claims: readonly [ClaimFact, ClaimFact];
  readonly path: string;
  readonly folded: boolean;
};

/** `at` is its place in the plan or in a directive; absent for a frozen plan. */
type ClaimFact = Claim & { readonly pattern: string; readonly at?: string };

export type SnapshotRules = {
  'nested-git': unknown;
  'unfit-name': { readonly fault: 'line-break' | 'encoding' };
  /** `directory`: it cannot be listed; `entry`: its directory denies access to it. */
  unreadable: { readonly kind: 'directory' | 'entry' | 'file' };
  'too-deep': unknown;
  /** The contents of a submodule changed; `files` holds some of them. `where` is the submodule, or `.gitmodules`. */
  'submodule-changed': { readonly files: readonly string[] };
  'special-file': { readonly kind: 'FIFO' | 'socket' | 'device' };
  /** `bytes` is the limit for one file, for all new files, or for all new LFS files. */
  'too-large': { readonly limit: 'file' | 'total' | 'lfs-total'; readonly bytes: number };
  /** A credential of the run, in a name or in added content. Never the value. */
  'known-value': { readonly in: 'name' | 'content' };
  /** A text that looks like a credential, in a name or in added content. `shape` is the rule that matched. Never the text. */
  'secret-shape': { readonly shape: string; readonly in: 'name' | 'content' };
  // no snapshot at all
  'no-workspace': unknown;
  'workspace-moved': unknown;
  'workspace-too-large': { readonly entries: number };
  'too-many-refused': { readonly most: number };
  'snapshot-failed': { readonly words: string };
} & { readonly [K in EarlierShape]: unknown };

/** Rules of earlier versions, which ledgers still hold. */
type EarlierShape =
  | 'private-key'
  | 'aws-access-key'
  | 'github-token'
  | 'anthropic-key'
  | 'openai-key'
  | 'slack-token'
  | 'google-api-key';
