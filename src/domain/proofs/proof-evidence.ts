import type { TaskId } from '../base/ids.ts';
import type { BundleEvidence } from '../closure/exit-contract.ts';
import type { ComponentEvidence } from '../gates/evidence.ts';
import { plannedById } from '../plan/plan.ts';
import { coreOf, type RoundStep, type Tip } from '../run/round.ts';
import type { RunState } from '../run/run.ts';
import { snapshotOf } from '../run/task.ts';
import { neededLevel, standingBundles } from './bundle.ts';
import { componentBarrier, dueInRound, needsBundle, type Promotion, promotionsOf } from './components.ts';
import { bundleBarrier } from './open-bundles.ts';

type Candidate = { readonly steps: readonly RoundStep[]; readonly tip: Tip; readonly core?: Tip };

/** The components that a candidate promotes, with the snapshots of all their owners. */
export const componentEvidence = (state: RunState, wave: number, { steps }: Candidate): readonly ComponentEvidence[] =>
  dueInRound(state, wave, steps).map(({ component, to, owners }) => ({
    component,
    level: to,
    owners: owners.flatMap((task) => {
      const known = state.tasks[task];
      const snapshot = known === undefined ? null : snapshotOf(known);
      return snapshot === null ? [] : [{ task, snapshot: snapshot.commit }];
    }),
  }));

/** The proofs that the tasks and components of a candidate rely on. */
export function bundlesNeeded(state: RunState, wave: number, { steps }: Candidate): readonly BundleEvidence[] {
  const promoted = dueInRound(state, wave, steps).filter(({ to }) => needsBundle(to));
  const tasks = new Set<TaskId>([
    ...steps.map(({ task }) => task).filter((task) => needsProof(state, task)),
    ...promoted.flatMap(({ owners }: Promotion) => owners),
  ]);
  return [...tasks].flatMap((task) => standingBundles(state, task));
}

function needsProof({ plan }: RunState, task: TaskId): boolean {
  const planned = plannedById(plan, task);
  return planned !== undefined && neededLevel(planned) !== null;
}

/** Barriers that people resolved: of proofs for this candidate, and of components that the wave leaves at their level. */
export function resolvedProofs(state: RunState, wave: number, candidate: Candidate): readonly string[] {
  const { tree } = coreOf(candidate);
  const bundles = new Set(candidate.steps.map(({ task }) => bundleBarrier(task)));
  const components = new Set(promotionsOf(state.plan, wave).map(({ component }) => componentBarrier(component)));
  const resolved = (state.waves[wave]?.resolved ?? []).filter(
    (one) => components.has(one.barrier) || (one.tree === tree && bundles.has(one.barrier)),
  );
  return [...new Set(resolved.map(({ barrier }) => barrier))];
}
