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
