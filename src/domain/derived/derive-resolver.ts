import { type TaskId, taskId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import { requiredLevels } from '../closure/exit-contract.ts';
import type { SnapshotEvidence } from '../gates/evidence.ts';
import type { DerivedTaskEvent, RepairInputs } from '../ledger/derived-task-events.ts';
import { type FrozenPlan, type PlannedTask, plannedById } from '../plan/plan.ts';
import { isOverBudget } from '../run/costs.ts';
import type { RunState } from '../run/run.ts';
import type { TaskState } from '../run/task.ts';
import { type Granted, grantPattern, grantsOf } from '../scope/claims.ts';
import { matches, parsePattern } from '../scope/pattern.ts';
import { scopeOf, whyForeign } from '../scope/scope.ts';
import { derivedFor, heldForRepair, isSamePair, isStanding, type RepairHold } from './derived-tasks.ts';

type Derived = Extract<DerivedTaskEvent, { type: 'task-derived' }>;

/**
 * Decides whether a held task gets a resolver. Null when the plan has none, when this pair of snapshot and integrated work had one, or
 * when it would need more than the task may do: a path outside of its scope, or money beyond its budget. Null as well when an exit
 * contract, a declared proof or the level of a component is bound to the very snapshot that it would replace, and when a file that
 * conflicts is new, removed or renamed.
 */
export function deriveResolver(state: RunState, task: TaskState): Derived | null {
  const { plan } = state;
  const granted = grantsIn(state);
  const stands = plannedById(plan, task.id);
  const held = heldForRepair(task);
  if (plan.resolver === undefined || stands === undefined || held === null) return null;
  const inputs = inputsOf(held);
  if (Object.values(state.derived ?? {}).some((made) => isSamePair(made.inputs, inputs))) return null;
  if (isBoundToSnapshot(stands) || isOverBudget(state, task)) return null;
  if (!areWithin(plan, stands, inputs.paths, granted)) return null;
  if (inputs.failing === undefined && !areModified(held.snapshot, inputs.paths)) return null;
  const id = freeId(state, task.id);
  return {
    type: 'task-derived',
    task: id,
    wave: task.wave,
    purpose: 'resolver',
    planned: plannedResolver(plan, stands, { id, owns: inputs.paths }),
    standsFor: [task.id],
    ...inheritedGrants(task.id, inputs.paths, granted),
    inputs,
  };
}

/**
 * Tells whether a snapshot changes all of these files, and each was there before under the same name. Of a file that is new, removed or
 * renamed, the lines of both sides cannot be compared.
 */
export const areModified = ({ diff }: Pick<SnapshotEvidence, 'diff'>, paths: readonly string[]): boolean =>
  paths.every((path) => diff.some((entry) => entry.path === path && entry.change === 'modified'));

/** Tells whether something of the task is proven for its own snapshot only. */
export const isBoundToSnapshot = ({ exit, artifacts = [], promotes }: PlannedTask): boolean =>
  requiredLevels(exit).length + artifacts.length > 0 || promotes !== undefined;

const grantsIn = ({ tasks }: RunState): Granted =>
  Object.values(tasks).map(({ id, granted }) => ({ task: id, paths: granted }));

/** Those of the paths that people granted to the task; absent for none. */
export function inheritedGrants(task: TaskId, paths: readonly string[], granted: Granted): Pick<Derived, 'granted'> {
  const own = grantsOf(task, granted).map(grantPattern);
  const inherited = paths.filter((path) => own.some((one) => matches(one, path)));
  return inherited.length === 0 ? {} : { granted: inherited };
}

/** Tells whether a held task waits for a resolver, or will get one, so that no person has to act. */
export function isBeingResolved(state: RunState, task: TaskState): boolean {
  if (heldForRepair(task) === null) return false;
  const isAtWork = derivedFor(state, task.id).some(
    (derived) =>
      isStanding(state, derived) &&
      !['held', 'failed', 'dropped'].includes(state.tasks[derived.task]?.progress.status ?? ''),
  );
  return isAtWork || deriveResolver(state, task) !== null;
}

const inputsOf = ({ hold, repair, snapshot }: RepairHold): RepairInputs => ({
  ...repair,
  snapshot: snapshot.commit,
  base: snapshot.base,
  ...(hold.because === 'check' ? { check: hold.check } : {}),
});

/** Tells whether the task may change each of these paths as a whole. A path that is no pattern of itself cannot be owned. */
export function areWithin(plan: FrozenPlan, task: PlannedTask, paths: readonly string[], granted: Granted): boolean {
  const scope = scopeOf(plan, task, granted);
  return (
    paths.length > 0 &&
    paths.every((path) => {
      const parsed = parsePattern(path);
      const isItself = parsed.ok && parsed.value.literal && matches(parsed.value, path);
      return isItself && whyForeign(scope, path, null) === null;
    })
  );
}

/** A resolver as a task: it stands for another, owns the paths that it repairs, and promises nothing else. */
export function plannedResolver(
  { resolver, forbid }: FrozenPlan,
  { repo }: PlannedTask,
  { id, owns }: { readonly id: TaskId; readonly owns: readonly string[] },
): PlannedTask {
  return {
    id,
    directive: { file: null, text: '', clauses: forbid.length === 0 ? ['merge-gate'] : ['merge-gate', 'forbid'] },
    role: 'integration',
    agent: resolver?.agent ?? [],
    command: resolver?.command ?? null,
    owns,
    needs: [],
    reads: [],
    shares: [],
    locks: [],
    model: resolver?.model ?? null,
    priority: 5,
    capabilities: [],
    components: [],
    deliverables: [],
    proofs: [],
    exit: { completion: null, durability: null, proof: null, docs: null },
    allowEmpty: false,
    purpose: 'resolver',
    ...present({ repo }),
  };
}

/** The first id that no task of the run has. An id has at most 64 characters. */
function freeId({ tasks }: RunState, task: TaskId): TaskId {
  for (let number = 1; ; number += 1) {
    const end = `-${number}`;
    const id = taskId(`resolve-${task}`.slice(0, 64 - end.length) + end);
    if (tasks[id] === undefined) return id;
  }
}
