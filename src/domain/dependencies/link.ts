import type { RunId, TaskId } from '../base/ids.ts';
import { dueEnding } from '../landing/due-ending.ts';
import { isUndone, leftToLand } from '../landing/undo.ts';
import type { DependencyEnd, DependencyEvent, MeetingLanding } from '../ledger/dependency-events.ts';
import { landsOnOwnBranch } from '../plan/plan.ts';
import { type RunState, selectedWaves } from '../run/run.ts';
import { dependenciesOf, isDropped, isOfBranch } from './blocks.ts';
import { type Dependency, isDependencyOpen, isMetByLanding, otherRun, type UnmetCause } from './dependency.ts';

/** The other runs of the repository, as far as dependencies concern them. */
export type LinkedRuns = {
  stateOf(run: RunId): RunState | null;
  /** Dependencies of other runs on this one. */
  readonly requiring: readonly { readonly state: RunState; readonly dependency: Dependency }[];
  /** Dependencies of branches, as the repository has them. */
  readonly branches: readonly Dependency[];
};

const policy = { who: 'tidegate', via: 'policy' } as const;

/**
 * Returns the next fact about dependencies that follows from the other runs, or null. The same facts follow again after a crash, so
 * nothing has to be written into two streams at once.
 */
export function linkedFact(state: RunState, linked: LinkedRuns): DependencyEvent | null {
  for (const dependency of dependenciesOf(state)) {
    if (!mayChange(dependency)) continue;
    const fact =
      dependency.side === 'requires' ? ofRequirement(state, dependency, linked) : ofDebt(state, dependency, linked);
    if (fact !== null) return fact;
  }
  return (state.ended === null ? newDebt(state, linked) : null) ?? newRequirement(state, linked);
}

/** Returns the next fact about the dependencies of branches, or null. They follow from the runs that owe something. */
export function branchFact(branches: readonly Dependency[], stateOf: LinkedRuns['stateOf']): DependencyEvent | null {
  for (const dependency of branches) {
    const { branch } = dependency;
    const owing = mayChange(dependency) ? owingRun(dependency, stateOf) : null;
    const fact = owing === null || branch === undefined ? null : byOwing(dependency, owing, branch);
    if (fact !== null) return fact;
  }
  return null;
}

/** It is open, or the landing that met it may be undone. */
const mayChange = (dependency: Dependency): boolean => isDependencyOpen(dependency) || isMetByLanding(dependency);

const owingRun = ({ other }: Dependency, stateOf: LinkedRuns['stateOf']): RunState | null =>
  'run' in other ? stateOf(other.run) : null;

function ofRequirement(state: RunState, dependency: Dependency, linked: LinkedRuns): DependencyEvent | null {
  if (isMetByLanding(dependency) && !mayStillLand(state)) return null;
  const { id } = dependency;
  if (isOfBranch(dependency))
    return asDecided(
      dependency,
      linked.branches.find((one) => one.id === id),
    );
  const owing = owingRun(dependency, linked.stateOf);
  return owing === null ? null : byOwing(dependency, owing, state.target.branch);
}

/** The run that owes something has landed it on this branch, has undone that, or is over without it. */
function byOwing(dependency: Dependency, run: RunState, branch: string): DependencyEvent | null {
  const { id, other, status } = dependency;
  const task = 'run' in other ? (other.task ?? null) : null;
  if (isMetByLanding(dependency)) return isTakenBack(run, task) ? undone(id) : null;
  const landed = meetingLanding(run, branch, task);
  if (landed !== null) return { type: 'dependency-resolved', dependency: id, landed, by: policy };
  const because = status === 'open' ? unmetCause(run, task) : null;
  return because === null ? null : { type: 'dependency-unmet', dependency: id, because };
}

const undone = (dependency: string): DependencyEvent => ({ type: 'dependency-unmet', dependency, because: 'undone' });

/** The end that owes follows its own landing, and then whatever the end that requires has recorded. */
function ofDebt(state: RunState, dependency: Dependency, linked: LinkedRuns): DependencyEvent | null {
  const { id, task, branch = '', status } = dependency;
  const from = otherRun(dependency);
  const requiring = from === null ? null : linked.stateOf(from);
  const known = from === null ? linked.branches : requiring === null ? [] : dependenciesOf(requiring);
  const theirs = known.find((one) => one.id === id);
  if (isMetByLanding(dependency))
    return state.ended === null && theirs?.unmet === 'undone' && isTakenBack(state, task) ? undone(id) : null;
  const landed = meetingLanding(state, branch, task);
  if (landed !== null) return { type: 'dependency-resolved', dependency: id, landed, by: policy };
  const decided = asDecided(dependency, theirs);
  if (requiring === null || theirs === undefined || decided !== null) return decided;
  const because = requiring.ended ?? (isDropped(requiring, theirs.task) ? 'dropped' : null);
  return status === 'open' && because !== null ? { type: 'dependency-unmet', dependency: id, because } : null;
}

/** Follows what the end that requires has recorded about a dependency, for another run that has it as well. */
function asDecided(dependency: Dependency, theirs: Dependency | undefined): DependencyEvent | null {
  if (theirs === undefined) return null;
  const { id, side, status } = dependency;
  const { settled, unmet } = theirs;
  if (isMetByLanding(dependency)) return theirs.status === 'unmet' && unmet === 'undone' ? undone(id) : null;
  // the end that owes believes its own landings only
  if (theirs.status === 'resolved' && settled !== undefined && (side === 'requires' || !isMetByLanding(theirs)))
    return { type: 'dependency-resolved', dependency: id, ...settled };
  if (theirs.status === 'cancelled' && settled !== undefined)
    return { type: 'dependency-cancelled', dependency: id, reason: settled.reason ?? '', by: settled.by };
  return side === 'requires' && status === 'open' && unmet !== undefined
    ? { type: 'dependency-unmet', dependency: id, because: unmet }
    : null;
}

/** A dependency on this run that its own stream does not know yet. */
function newDebt(state: RunState, { requiring, branches }: LinkedRuns): DependencyEvent | null {
  const known = new Set(dependenciesOf(state).map(({ id }) => id));
  const ofBranch = branches.find(
    (one) => isDependencyOpen(one) && otherRun(one) === state.run && !known.has(one.id) && one.branch !== undefined,
  );
  if (ofBranch?.branch !== undefined) return owedBy(ofBranch, { branch: ofBranch.branch }, ofBranch.branch);
  const fresh = requiring.find(({ dependency }) => isDependencyOpen(dependency) && !known.has(dependency.id));
  if (fresh === undefined || !('run' in fresh.dependency.other)) return null;
  const { task } = fresh.dependency;
  const of = { run: fresh.state.run, ...(task === null ? {} : { task }) };
  return owedBy(fresh.dependency, of, fresh.state.target.branch);
}

function owedBy({ id, other, required, text, by }: Dependency, of: DependencyEnd, branch: string): DependencyEvent {
  const owed = 'task' in other && other.task !== undefined ? { task: other.task } : {};
  return { type: 'dependency-owed', dependency: id, ...owed, of, branch, required, text, by };
}

/**
 * A dependency of the branch that this run lands on, which its own stream does not know yet. The run that owes it is not held: its
 * landing is what the branch waits for.
 */
function newRequirement(state: RunState, { branches }: LinkedRuns): DependencyEvent | null {
  const known = new Set(dependenciesOf(state).map(({ id }) => id));
  const isLive = state.ended === null || (state.ended === 'done' && state.taps.land?.status === 'approved');
  const fresh = branches.find(
    (one) =>
      isLive &&
      isDependencyOpen(one) &&
      one.branch === state.target.branch &&
      otherRun(one) !== state.run &&
      !known.has(one.id),
  );
  if (fresh === undefined) return null;
  const { id, branch = '', other: on, required, text, by } = fresh;
  return { type: 'dependency-added', dependency: id, branch, on, required, text, by };
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

/** Tells whether the landing of the run, or of its task, was undone. Without one of its tasks a run is not whole. */
const isTakenBack = (state: RunState, task: TaskId | null): boolean =>
  isUndone(state, task) || (task === null && state.undo.tasks.length > 0);

/** False for a run that has landed, and for one that is over. One that ended on its own branch may land later. */
const mayStillLand = (state: RunState): boolean =>
  state.ended === null ? dueEnding(state) !== 'landed' : state.ended === 'done';

/** Says why the other end will not meet a dependency by itself; null while it may. */
function unmetCause(state: RunState, task: TaskId | null): UnmetCause | null {
  const { ended, tasks } = state;
  if (ended !== null) return isTakenBack(state, task) ? 'undone' : ended;
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
    // one of a branch is the repository's
    const run = one.side === 'requires' && !isOfBranch(one) ? otherRun(one) : null;
    if (run !== null) targets.set(run, [...(targets.get(run) ?? []), one]);
  }
  return targets;
}
