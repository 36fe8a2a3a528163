import type { RunId, TaskId } from '../base/ids.ts';
import { isUndone, leftToLand } from '../landing/undo.ts';
import type { DependencyEvent, MeetingLanding } from '../ledger/dependency-events.ts';
import { landsOnOwnBranch } from '../plan/plan.ts';
import { type RunState, selectedWaves } from '../run/run.ts';
import { dependenciesOf } from './blocks.ts';
import { type Dependency, isDependencyOpen, otherRun, type UnmetCause } from './dependency.ts';

/** The other runs of the repository, as far as dependencies concern them. */
export type LinkedRuns = {
  stateOf(run: RunId): RunState | null;
  /** Dependencies of other runs on this one. */
  readonly requiring: readonly { readonly state: RunState; readonly dependency: Dependency }[];
};

const policy = { who: 'tidegate', via: 'policy' } as const;

/**
 * Returns the next fact about dependencies that follows from the other runs, or null. The same facts follow again after a crash, so
 * nothing has to be written into two streams at once.
 */
export function linkedFact(state: RunState, linked: LinkedRuns): DependencyEvent | null {
  for (const dependency of dependenciesOf(state)) {
    if (!isDependencyOpen(dependency)) continue;
    const fact =
      dependency.side === 'requires' ? ofRequirement(state, dependency, linked) : ofDebt(state, dependency, linked);
    if (fact !== null) return fact;
  }
  return state.ended === null ? newDebt(state, linked) : null;
}

function ofRequirement(state: RunState, dependency: Dependency, linked: LinkedRuns): DependencyEvent | null {
  const { id, other, status } = dependency;
  const run = 'run' in other ? linked.stateOf(other.run) : null;
  if (run === null || !('run' in other)) return null;
  const { task = null } = other;
  const landed = meetingLanding(run, state.target.branch, task);
  if (landed !== null) return { type: 'dependency-resolved', dependency: id, landed, by: policy };
  const because = status === 'open' ? unmetCause(run, task) : null;
  return because === null ? null : { type: 'dependency-unmet', dependency: id, because };
}

/** The end that owes follows its own landing, and then whatever the end that requires has recorded. */
function ofDebt(state: RunState, dependency: Dependency, linked: LinkedRuns): DependencyEvent | null {
  const { id, task, branch = '', status } = dependency;
  const landed = meetingLanding(state, branch, task);
  if (landed !== null) return { type: 'dependency-resolved', dependency: id, landed, by: policy };
  const from = otherRun(dependency);
  const requiring = from === null ? null : linked.stateOf(from);
  const theirs = requiring === null ? undefined : dependenciesOf(requiring).find((one) => one.id === id);
  if (requiring === null || theirs === undefined) return null;
  const { settled } = theirs;
  if (theirs.status === 'resolved' && settled !== undefined)
    return { type: 'dependency-resolved', dependency: id, ...settled };
  if (theirs.status === 'cancelled' && settled !== undefined)
    return { type: 'dependency-cancelled', dependency: id, reason: settled.reason ?? '', by: settled.by };
  return status === 'open' && requiring.ended !== null
    ? { type: 'dependency-unmet', dependency: id, because: requiring.ended }
    : null;
}

/** A dependency on this run that its own stream does not know yet. */
function newDebt(state: RunState, { requiring }: LinkedRuns): DependencyEvent | null {
  const known = new Set(dependenciesOf(state).map(({ id }) => id));
  const fresh = requiring.find(({ dependency }) => isDependencyOpen(dependency) && !known.has(dependency.id));
  if (fresh === undefined || !('run' in fresh.dependency.other)) return null;
  const { id, other, task, required, text, by } = fresh.dependency;
  const of = { run: fresh.state.run, ...(task === null ? {} : { task }) };
  const owed = 'task' in other && other.task !== undefined ? { task: other.task } : {};
  const { branch } = fresh.state.target;
  return { type: 'dependency-owed', dependency: id, ...owed, of, branch, required, text, by };
}

/** The landing of the run, or of its task, on this branch; null while there is none, and after it was undone. */
export function meetingLanding(state: RunState, branch: string, task: TaskId | null): MeetingLanding | null {
  const { run, landing, plan, target, undo } = state;
  const where = landing.status === 'landed' ? landing.branch : landsOnOwnBranch(plan) ? null : target.branch;
  if (undo.status !== 'landed' || where !== branch || isUndone(state, task)) return null;
  if (task !== null) {
    const commit = undo.commits[task];
    return commit === undefined || !undo.landed.includes(task) ? null : { run, task, branch, commit };
  }
  const isWhole = selectedWaves(state).every(({ closed }) => closed) && leftToLand(state).length === 0;
  return isWhole && landing.status === 'landed' && undo.tasks.length === 0
    ? { run, branch, commit: landing.new }
    : null;
}

/** Says why the other end will not meet a dependency by itself; null while it may. */
function unmetCause({ ended, tasks }: RunState, task: TaskId | null): UnmetCause | null {
  if (ended !== null) return ended;
  const owed = task === null ? undefined : tasks[task]?.progress.status;
  return task !== null && (owed === undefined || owed === 'dropped') ? 'dropped' : null;
}

const byTarget = new WeakMap<readonly Dependency[], ReadonlyMap<RunId, readonly Dependency[]>>();

/** Dependencies of a run on another one. A list of dependencies never changes, so each is looked through once. */
export function requirementsOn({ dependencies }: RunState, run: RunId): readonly Dependency[] {
  if (dependencies === undefined) return [];
  const known = byTarget.get(dependencies) ?? groupByTarget(dependencies);
  byTarget.set(dependencies, known);
  return known.get(run) ?? [];
}

function groupByTarget(dependencies: readonly Dependency[]): ReadonlyMap<RunId, readonly Dependency[]> {
  const targets = new Map<RunId, Dependency[]>();
  for (const one of dependencies) {
    const run = one.side === 'requires' ? otherRun(one) : null;
    if (run !== null) targets.set(run, [...(targets.get(run) ?? []), one]);
  }
  return targets;
}
