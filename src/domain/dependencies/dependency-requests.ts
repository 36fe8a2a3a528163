import { type RunId, type TaskId, taskId } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { DependencyEnd, DependencyEvent, DependencyRequest } from '../ledger/dependency-events.ts';
import { theRepository } from '../repository/repository.ts';
import type { RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import { dependenciesOf, isOfBranch, openDependencies } from './blocks.ts';
import { type Dependency, endName, isDependencyOpen, otherRun } from './dependency.ts';
import { meetingLanding } from './link.ts';

type AddRequest = Extract<DependencyRequest, { readonly type: 'requested-dependency' }>;
type EndRequest = Extract<DependencyRequest, { readonly type: 'requested-dependency-end' }>;

/** Everything of the repository that a new dependency is decided by. */
export type Surroundings = {
  readonly runs: readonly RunState[];
  /** Dependencies of branches. */
  readonly branches: readonly Dependency[];
  /** `on` is the name of a branch of the person. */
  readonly isBranch: boolean;
};

/** Decides what the run alone can tell. The coordinator decides the rest, for one dependency of the repository at a time. */
export function examineDependency(state: RunState, request: AddRequest): Result<'later', Finding> {
  const { subject } = request;
  const fault = faultOfText(request);
  if (fault !== null) return err(fault);
  if (subject === null) return ok('later');
  const task = state.tasks[subject];
  if (task === undefined)
    return err({ rule: 'no-such-task', run: state.run, task: subject, known: Object.keys(state.tasks) });
  const isOver = task.progress.status === 'dropped' || state.undo.landed.includes(subject);
  return isOver ? err({ rule: 'dependency-task', run: state.run, task: subject }) : ok('later');
}

/** The same for a dependency of a branch. */
export function examineBranchDependency(request: AddRequest): Result<'later', Finding> {
  const fault = faultOfText(request);
  return fault === null ? ok('later') : err(fault);
}

function faultOfText({ on, text }: AddRequest): Finding | null {
  if (typeof text !== 'string' || text.trim() === '') return { rule: 'post-empty' };
  if (text.length > policy.recordCharacters) return { rule: 'post-long', limit: policy.recordCharacters };
  return typeof on !== 'string' || on.trim() === '' || on.length > 250 ? { rule: 'dependency-on' } : null;
}

/** Adds a dependency, or refuses it: the other end is unknown or over, or the two would wait for each other. */
export function addDependency(
  state: RunState,
  request: AddRequest,
  surroundings: Surroundings,
): Result<DependencyEvent, Finding> {
  const { runs, isBranch } = surroundings;
  const examined = examineDependency(state, request);
  if (!examined.ok) return examined;
  const named = endNamed(request.on, runs, isBranch);
  if (!named.ok) return named;
  const on = named.value;
  const refusal = 'run' in on ? refusedEnd(state, on.run, on.task ?? null, surroundings, request.required) : null;
  if (refusal !== null) return err(refusal);
  const { subject, required, text, by } = request;
  const same = openDependencies(state).find(
    (one) =>
      one.side === 'requires' &&
      one.task === subject &&
      one.required === required &&
      endName(one.other) === endName(on) &&
      'branch' in one.other === 'branch' in on,
  );
  if (same !== undefined) return err({ rule: 'dependency-known', dependency: same.id, named: endName(on) });
  const task = subject === null ? {} : { task: subject };
  return ok({ type: 'dependency-added', dependency: nextId(surroundings), ...task, on, required, text, by });
}

/**
 * Adds a dependency of a branch, or refuses it. Every live run that lands there would wait, so none of them may be one that the other
 * end requires.
 */
export function addBranchDependency(
  request: AddRequest,
  surroundings: Surroundings & { readonly isDependent: boolean },
): Result<DependencyEvent, Finding> {
  const { runs, isBranch } = surroundings;
  const { branch, required, text, by } = request;
  const fault = faultOfText(request);
  if (fault !== null) return err(fault);
  if (typeof branch !== 'string' || !surroundings.isDependent)
    return err({ rule: 'dependency-branch', named: String(branch) });
  const named = endNamed(request.on, runs, isBranch);
  if (!named.ok) return named;
  const on = named.value;
  if ('branch' in on && on.branch === branch) return err({ rule: 'dependency-same-branch', branch });
  const refusal = 'run' in on ? refusedForBranch(on, branch, surroundings, required) : null;
  if (refusal !== null) return err(refusal);
  return ok({ type: 'dependency-added', dependency: nextId(surroundings), branch, on, required, text, by });
}

function refusedForBranch(
  { run, task }: Extract<DependencyEnd, { readonly run: RunId }>,
  branch: string,
  surroundings: Surroundings,
  required: boolean,
): Finding | null {
  const over = refusedOver(run, task ?? null, branch, surroundings);
  if (over !== null || !required) return over;
  for (const waiting of surroundings.runs) {
    if (waiting.run === run || waiting.ended !== null || waiting.target.branch !== branch) continue;
    const ring = ringOf(waiting.run, run, surroundings);
    if (ring !== null) return { rule: 'dependency-cycle', run: waiting.run, ring };
  }
  return null;
}

/** Finds the end that a person typed: a run, a unique prefix of one, run/task, or else a branch. */
function endNamed(typed: string, runs: readonly RunState[], isBranch: boolean): Result<DependencyEnd, Finding> {
  const [runPart = '', taskPart, ...more] = typed.split('/');
  const found = more.length > 0 || runPart === '' ? [] : runsNamed(runs, runPart);
  const [run, ...others] = found;
  if (run !== undefined && others.length === 0) {
    if (taskPart === undefined) return ok({ run: run.run });
    if (Object.hasOwn(run.tasks, taskPart)) return ok({ run: run.run, task: taskId(taskPart) });
  }
  if (isBranch) return ok({ branch: typed });
  if (others.length > 0)
    return err({ rule: 'dependency-ambiguous', named: runPart, open: found.map((one) => one.run) });
  return run === undefined || taskPart === undefined
    ? err({ rule: 'dependency-unknown', named: typed })
    : err({ rule: 'no-such-task', run: run.run, task: taskPart, known: Object.keys(run.tasks) });
}

/** The run of this name; otherwise the open ones with this prefix, or all with it. */
function runsNamed(runs: readonly RunState[], name: string): readonly RunState[] {
  const exact = runs.filter(({ run }) => run === name);
  if (exact.length > 0) return exact;
  const fitting = runs.filter(({ run }) => run.startsWith(name));
  const open = fitting.filter(({ ended }) => ended === null);
  return open.length > 0 ? open : fitting;
}

function refusedEnd(
  state: RunState,
  run: RunId,
  task: TaskId | null,
  surroundings: Surroundings,
  required: boolean,
): Finding | null {
  if (run === state.run) return { rule: 'dependency-self', run };
  const over = refusedOver(run, task, state.target.branch, surroundings);
  const ring = over === null && required ? ringOf(state.run, run, surroundings) : null;
  return ring === null ? over : { rule: 'dependency-cycle', run: state.run, ring };
}

/** The other end is unknown, has landed on the branch already, or is over. */
function refusedOver(run: RunId, task: TaskId | null, branch: string, { runs }: Surroundings): Finding | null {
  const other = runs.find((one) => one.run === run);
  if (other === undefined) return { rule: 'dependency-unknown', named: run };
  if (meetingLanding(other, branch, task) !== null)
    return { rule: 'dependency-met', named: endName(task === null ? { run } : { run, task }), branch };
  // one that ended on its own branch can still land
  if (other.ended !== null && other.ended !== 'done') return { rule: 'dependency-over', run, outcome: other.ended };
  const isDropped = task !== null && other.tasks[task]?.progress.status === 'dropped';
  return isDropped ? { rule: 'dependency-task', run, task } : null;
}

/** The runs by which `on` requires `from` already, from one to the other; null when it does not. */
function ringOf(from: RunId, on: RunId, { runs, branches }: Surroundings): readonly string[] | null {
  const byRun = new Map(runs.map((one) => [one.run, one]));
  const before = new Map<RunId, RunId | null>([[on, null]]);
  const queue: RunId[] = [on];
  for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
    const state = byRun.get(run);
    for (const next of state === undefined ? [] : requiredRuns(state, branches)) {
      if (before.has(next)) continue;
      before.set(next, run);
      queue.push(next);
    }
  }
  if (!before.has(from)) return null;
  const ring: string[] = [];
  for (let run: RunId | null = from; run !== null; run = before.get(run) ?? null) ring.unshift(run);
  return ring;
}

/** The runs that a run waits for, also by the branch that it lands on. */
const requiredRuns = (state: RunState, branches: readonly Dependency[]): readonly RunId[] =>
  [...dependenciesOf(state), ...branches.filter(({ branch }) => branch === state.target.branch)]
    .filter((one) => one.side === 'requires' && one.required && isDependencyOpen(one))
    .flatMap((one) => otherRun(one) ?? [])
    .filter((run) => run !== state.run);

/** The next free id of the repository. */
function nextId({ runs, branches }: Surroundings): string {
  const numbers = [...branches, ...runs.flatMap(dependenciesOf)].map(({ id }) => Number(id.slice(1)));
  return `d${numbers.reduce((most, number) => Math.max(most, number), 0) + 1}`;
}

/** Decides a person's resolution or cancellation of a dependency. The end that requires decides for both. */
export function endDependency(
  state: Pick<RunState, 'run' | 'dependencies'>,
  { dependency, end, reason, by }: EndRequest,
): Result<readonly DependencyEvent[], Finding> {
  if (typeof reason !== 'string' || reason.trim() === '') return err({ rule: 'dependency-reason' });
  if (reason.length > policy.recordCharacters) return err({ rule: 'post-long', limit: policy.recordCharacters });
  const known = dependenciesOf(state);
  const found = known.find(({ id }) => id === dependency);
  if (found === undefined)
    return err({ rule: 'no-such-dependency', run: state.run, named: dependency, known: known.map(({ id }) => id) });
  const elsewhere =
    found.side === 'owes' ? found.other : isOfBranch(found) && state.run !== theRepository ? found : null;
  if (elsewhere !== null && 'run' in elsewhere)
    return err({ rule: 'dependency-elsewhere', dependency, run: elsewhere.run });
  if (elsewhere?.branch !== undefined)
    return err({ rule: 'dependency-elsewhere', dependency, run: theRepository, branch: elsewhere.branch });
  if (!isDependencyOpen(found)) return err({ rule: 'dependency-settled', dependency, status: found.status });
  return ok([{ type: end === 'resolved' ? 'dependency-resolved' : 'dependency-cancelled', dependency, reason, by }]);
}
