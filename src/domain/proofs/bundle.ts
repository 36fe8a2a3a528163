import type { CommitId, TaskId, TreeId } from '../base/ids.ts';
import { type BundleEvidence, type ExitTerms, exitParts, reaches } from '../closure/exit-contract.ts';
import type { By } from '../ledger/requests.ts';
import type { PlannedTask } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { snapshotOf, type TaskState } from '../run/task.ts';

/** The levels of a proof, from the lowest on. */
export const bundleLevels = ['unit', 'integration', 'authoritative', 'live'] as const;
export type BundleLevel = (typeof bundleLevels)[number];

/** One artifact of a bundle: a file that Tidegate keeps a copy of, or an address that is never fetched. */
export type ProofArtifact =
  | { readonly kind: 'file'; readonly name: string; readonly sha256: string; readonly bytes: number }
  /** `at`: when the person saw this content there. */
  | { readonly kind: 'url'; readonly url: string; readonly sha256: string; readonly at: string };

/** A proof that a person gave for one snapshot of a task. It counts for exactly that snapshot. */
export type BundleContent = {
  readonly task: TaskId;
  readonly snapshot: CommitId;
  readonly tree: TreeId;
  readonly level: BundleLevel;
  /** The levels of components that it proves; absent for none. */
  readonly components?: Readonly<Record<string, string>>;
  readonly artifacts: readonly ProofArtifact[];
  readonly attestation: string;
  /** The id of the bundle that it replaces. */
  readonly supersedes?: string;
  readonly by: By;
};

/** A bundle in the registry of a run. */
export type Bundle = BundleContent & {
  readonly id: string;
  readonly state: 'active' | 'superseded' | 'revoked';
  /** Why it was revoked. */
  readonly reason?: string;
};

export const bundlesOf = ({ bundles = [] }: Pick<RunState, 'bundles'>): readonly Bundle[] => bundles;

/** The levels of an exit contract that a bundle of each level holds up. */
const held: Readonly<Record<BundleLevel, ExitTerms>> = {
  unit: { proof: 'unit' },
  integration: { proof: 'integration', completion: 'integrated' },
  authoritative: { proof: 'integration', completion: 'authoritative' },
  live: { proof: 'live', completion: 'live' },
};

export const holdsOf = (level: BundleLevel): ExitTerms => held[level];

/** The level that only a person can prove, because it is about a system outside the fence. Null when the task needs none. */
export function neededLevel({ exit }: Pick<PlannedTask, 'exit'>): 'authoritative' | 'live' | null {
  if (exit.proof === 'live' || exit.completion === 'live') return 'live';
  return exit.completion === 'authoritative' ? 'authoritative' : null;
}

/** Tells whether a bundle holds up everything that a bundle of this level would. */
export const holdsLevel = ({ holds }: Pick<BundleEvidence, 'holds'>, level: BundleLevel): boolean =>
  exitParts.every((part) => {
    const required = held[level][part];
    return required === undefined || reaches(part, holds[part], required);
  });

/** A bundle proves nothing about a later snapshot. */
export const isStale = ({ snapshot }: Pick<Bundle, 'snapshot'>, task: TaskState | undefined): boolean =>
  task === undefined || snapshotOf(task)?.commit !== snapshot;

/** The bundles that count for the current snapshot of a task, as evidence for gates. */
export const standingBundles = (state: RunState, task: TaskId): readonly BundleEvidence[] =>
  bundlesOf(state)
    .filter((bundle) => bundle.task === task && bundle.state === 'active' && !isStale(bundle, state.tasks[task]))
    .map(bundleEvidence);

const bundleEvidence = ({ id, task, snapshot, tree, level, components }: Bundle): BundleEvidence => ({
  id,
  task,
  snapshot,
  tree,
  holds: held[level],
  ...(components === undefined ? {} : { components }),
});
