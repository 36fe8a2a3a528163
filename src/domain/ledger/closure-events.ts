import type { CommitId, TaskId, TreeId } from '../base/ids.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { Maturity } from '../plan/maturity.ts';
import type { BundleContent } from '../proofs/bundle.ts';
import type { By } from './requests.ts';

/** The closing of a wave: its closure roles, components, proofs, and barriers that people resolved. */
export type ClosureEvent =
  /**
   * A closure role starts on this commit of the candidate. `tree` is the tree that its report will be about. What it did for an earlier
   * tree counts no longer. `by` is set when a person starts it again.
   */
  | {
      readonly type: 'role-opened';
      readonly wave: number;
      readonly round: number;
      readonly task: TaskId;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** Set when it judges a landing on a branch that has moved. */
      readonly landing?: true;
      /** The message of the person who started it again. */
      readonly message?: string;
      /** The snapshot that it continues from; absent when it starts on `commit`. */
      readonly from?: CommitId;
      readonly by?: By;
    }
  /** The candidate with the new levels in the matrix of components: one more commit, before closure roles start. */
  | {
      readonly type: 'components-promoted';
      readonly wave: number;
      readonly round: number;
      readonly levels: Readonly<Record<string, Maturity>>;
      readonly commit: CommitId;
      readonly tree: TreeId;
      /** The same with the earlier definitions of the checks; absent when no task changed them. */
      readonly before?: EarlierDefinitions;
    }
  /** The candidate with the changes of a closure role: one more commit. */
  | {
      readonly type: 'candidate-extended';
      readonly wave: number;
      readonly round: number;
      readonly task: TaskId;
      readonly snapshot: CommitId;
      readonly commit: CommitId;
      readonly tree: TreeId;
    }
  /** A person registered a proof. It counts for this snapshot only. */
  | ({ readonly type: 'proof-registered'; readonly bundle: string } & BundleContent)
  | { readonly type: 'proof-revoked'; readonly bundle: string; readonly reason: string; readonly by: By }
  /** A person decided that a barrier does not keep this tree from being merged. */
  | {
      readonly type: 'barrier-resolved';
      readonly wave: number;
      readonly barrier: string;
      readonly tree: TreeId;
      readonly reason: string;
      /** The task whose gates judge it again; absent for a barrier of the wave. */
      readonly task?: TaskId;
      readonly by: By;
    };
