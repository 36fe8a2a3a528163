import type { CommitId, TaskId } from '../base/ids.ts';
import type { Barrier } from '../closure/barriers.ts';
import type { BundleEvidence } from '../closure/exit-contract.ts';
import type { Finding } from '../findings/finding.ts';
import { leftToLand } from '../landing/undo.ts';
import { type FrozenPlan, plannedById } from '../plan/plan.ts';
import { coreOf } from '../run/round.ts';
import type { RunState } from '../run/run.ts';
import { bundlesOf, holdsLevel, neededLevel, standingBundles } from './bundle.ts';
import { lostComponents } from './components.ts';

/** The id of the barrier that a task without its proof is. */
export const bundleBarrier = (task: TaskId): string => `proof-${task}`;

/** Proofs that only a person can give and that these tasks still need. */
export const openBundles = (state: RunState, tasks: readonly TaskId[]): readonly Barrier[] =>
  tasks.flatMap((task): readonly Barrier[] => {
    const planned = plannedById(state.plan, task);
    const needed = planned === undefined ? null : neededLevel(planned);
    if (needed === null) return [];
    const standing = standingBundles(state, task);
    if (standing.some((bundle) => holdsLevel(bundle, needed))) return [];
    const [lower] = standing;
    const earlier = bundlesOf(state).findLast((bundle) => bundle.task === task && bundle.state !== 'superseded');
    const code =
      lower !== undefined
        ? 'proof-level-gap'
        : earlier === undefined
          ? 'missing-proof-bundle'
          : earlier.state === 'revoked'
            ? 'proof-revoked'
            : 'stale-proof-bundle';
    const because = { rule: 'proof-open', run: state.run, task, level: needed, code } as const;
    return [{ id: bundleBarrier(task), kind: 'proof', owner: 'person', task, because }];
  });

/**
 * Proofs that merged tasks and promoted components have lost since, which keeps the tasks from landing. A barrier that was resolved
 * for the merged tree stays resolved.
 */
export function unprovenToLand(state: RunState, tasks: readonly TaskId[] = leftToLand(state)): readonly Barrier[] {
  const left = leftToLand(state).filter((task) => tasks.includes(task));
  return state.waves.flatMap((wave) =>
    wave.rounds.flatMap((round): readonly Barrier[] => {
      if (round.status !== 'merged' || round.tip === null) return [];
      const { tree } = coreOf({ ...round, tip: round.tip });
      const merged = round.steps.map(({ task }) => task).filter((task) => left.includes(task));
      const components = lostComponents(state, wave.index, { levels: round.promoted?.levels ?? {}, left });
      return [...openBundles(state, merged), ...components]
        .filter(({ id }) => wave.resolved?.some((one) => one.barrier === id && one.tree === tree) !== true)
        .map((barrier) => ({ ...barrier, tree }));
    }),
  );
}

/** Judges recorded evidence: what keeps the task from closing, because it lacks its proof for exactly this snapshot. */
export function bundleFindings(
  plan: FrozenPlan,
  { task, snapshot }: { readonly task: TaskId; readonly snapshot: CommitId },
  bundles: readonly BundleEvidence[],
): readonly Finding[] {
  const planned = plannedById(plan, task);
  const level = planned === undefined ? null : neededLevel(planned);
  if (level === null) return [];
  const isProven = bundles.some(
    (bundle) => bundle.task === task && bundle.snapshot === snapshot && holdsLevel(bundle, level),
  );
  return isProven ? [] : [{ rule: 'proof-open', task, level, code: 'missing-proof-bundle' }];
}
