import type { CommitId, RunId } from '../base/ids.ts';
import type { EarlierTask } from '../gates/evidence.ts';
import { isUndone } from '../landing/undo.ts';
import { currentWave, type RunState } from '../run/run.ts';
import {
  canonicalJson,
  dependentsOf,
  type FrozenPlan,
  landsOnOwnBranch,
  type PlannedTask,
  plannedById,
} from './plan.ts';

/** Says why a task of an earlier wave does not count as done; null when it does. */
export type WhyMissing = 'absent' | 'unfinished' | 'unlanded' | 'undone' | 'dropped' | 'on-branch' | 'not-in-base';

/** A dropped task counts as missing when a task of a later wave needs it. Any other dropped task was discarded by name. */
export function whyMissing(plan: FrozenPlan, task: EarlierTask): WhyMissing | null {
  switch (task.status) {
    case 'absent':
      return 'absent';
    case 'open':
      return 'unfinished';
    case 'done':
      return null;
    case 'dropped':
      return isNeededLater(plan, task) ? 'dropped' : null;
    case 'merged':
      if (task.undone) return 'undone';
      if (task.commit === null) return 'unlanded';
      if (task.inBase) return null;
      return task.branch === undefined ? 'not-in-base' : 'on-branch';
  }
}

const isNeededLater = (plan: FrozenPlan, { task, wave }: EarlierTask): boolean => {
  const here = new Set(plan.waves[wave]?.tasks.map(({ id }) => id));
  return dependentsOf(plan, task).some((id) => !here.has(id));
};

/** A task as one run left it: everything that is known about it without a look into git. */
export type EarlierResult = Omit<EarlierTask, 'inBase'>;

/** Returns for each task of the plan its results in earlier runs, the newest run first. `runs` are oldest first. */
export function earlierResults(
  plan: FrozenPlan,
  runs: readonly (RunState | null)[],
): readonly { readonly absent: EarlierResult; readonly results: readonly EarlierResult[] }[] {
  const newest = runs.flatMap((run) => (run?.plan.name === plan.name ? [run] : [])).toReversed();
  return plan.waves.flatMap(({ tasks }, wave) =>
    tasks.map((task) => ({
      absent: { task: task.id, wave, run: null, status: 'absent', commit: null, undone: false } as const,
      results: newest.flatMap((run) => resultIn(run, task, wave)),
    })),
  );
}

function resultIn(run: RunState, task: PlannedTask, wave: number): readonly EarlierResult[] {
  const had = plannedById(run.plan, task.id);
  const state = run.tasks[task.id];
  const isSelected = run.only === null || run.only === state?.wave;
  if (had === undefined || state === undefined || !isSelected || workOf(had) !== workOf(task)) return [];
  const { progress } = state;
  const of = { task: task.id, wave, run: run.run, commit: null, undone: false } as const;
  switch (progress.status) {
    case 'done':
    case 'dropped':
      return [{ ...of, status: progress.status }];
    case 'merged': {
      const branch = ownBranch(run);
      const commit = run.undo.commits[task.id] ?? (run.landing.status === 'offered' ? progress.commit : null);
      // it lands with the rest of its run
      if (commit === null && run.ended === null && currentWave(run) !== undefined) return [{ ...of, status: 'open' }];
      // nothing of it can be missing
      if (commit !== null && progress.snapshot.diff.length === 0) return [{ ...of, status: 'done' }];
      return [
        { ...of, status: 'merged', commit, undone: isUndone(run, task.id), ...(branch === null ? {} : { branch }) },
      ];
    }
    default:
      return run.ended === null ? [{ ...of, status: 'open' }] : [];
  }
}

/** Returns the work of a task in a form for comparison. A task whose place in the order changes is still the same task. */
function workOf({ needs: _, priority: __, ...work }: PlannedTask): string {
  return canonicalJson(work);
}

/** Returns runs of this plan that have a branch of their own, newest first. With `land: branch` or `pr` another wave starts from there. */
export function ownBranches(
  plan: FrozenPlan,
  runs: readonly (RunState | null)[],
): readonly { readonly run: RunId; readonly branch: string }[] {
  if (!landsOnOwnBranch(plan)) return [];
  return runs.toReversed().flatMap((run) => {
    const branch = run?.plan.name === plan.name ? ownBranch(run) : null;
    return run === null || branch === null ? [] : [{ run: run.run, branch }];
  });
}

/** Returns the branch that holds the work of a run instead of the person's branch: for good, or until its pull request is merged. */
function ownBranch({ landing, target }: RunState): string | null {
  const isLeft = landing.status === 'landed' || landing.status === 'offered';
  return isLeft && landing.branch !== target.branch ? landing.branch : null;
}

/** Tells whether every task of the waves before this one counts as done. */
export const isComplete = (plan: FrozenPlan, wave: number, earlier: readonly EarlierTask[]): boolean =>
  earlier.every((task) => task.wave >= wave || whyMissing(plan, task) === null);

/** The commit that a run begins at, and the run whose branch it is; absent in most orders. */
export type Continuation = { readonly run: RunId; readonly branch: string; readonly commit: CommitId };
