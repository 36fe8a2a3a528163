import type { CommitId } from '../domain/base/ids.ts';
import type { Finding } from '../domain/findings/finding.ts';

/** A plan that is in a snapshot and nowhere else yet. `branch`: what it would start from, if it names none. */
type DraftedPlan = { readonly commit: CommitId; readonly file: string; readonly branch: string };

/** Reads what an agent drafted as `tidegate run` would read it. */
export interface Drafts {
  /**
   * All that would keep it from being started, each with its place; none: a person may be asked. Takes limited time and memory,
   * whatever is in it. Rejects with `EnvironmentFailed` when it could not be looked at.
   */
  mistakes(plan: DraftedPlan): Promise<readonly Finding[]>;
}
