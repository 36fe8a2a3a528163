import { type RunId, type TaskId, taskId } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { DependencyEnd, DependencyEvent, DependencyRequest } from '../ledger/dependency-events.ts';
import type { RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import { dependenciesOf } from './blocks.ts';
import { type Dependency, endName, isDependencyOpen, otherRun } from './dependency.ts';
import { meetingLanding } from './link.ts';

type AddRequest = Extract<DependencyRequest, { readonly type: 'requested-dependency' }>;
type EndRequest = Extract<DependencyRequest, { readonly type: 'requested-dependency-end' }>;

/** Everything of the repository that a new dependency is decided by. */
export type Surroundings = {
  readonly runs: readonly RunState[];
  /** `on` is the name of a branch of the person. */
  readonly isBranch: boolean;
};

/** Decides what the run alone can tell. The coordinator decides the rest, for one dependency of the repository at a time. */
export function examineDependency(state: RunState, { subject, on, text }: AddRequest): Result<'later', Finding> {
  if (typeof text !== 'string' || text.trim() === '') return err({ rule: 'post-empty' });
  if (text.length > policy.recordCharacters) return err({ rule: 'post-long', limit: policy.recordCharacters });
  if (typeof on !== 'string' || on.trim() === '' || on.length > 250) return err({ rule: 'dependency-on' });
  if (subject === null) return ok('later');
  const task = state.tasks[subject];
  if (task === undefined)
    return err({ rule: 'no-such-task', run: state.run, task: subject, known: Object.keys(state.tasks) });
  const isOver = task.progress.status === 'dropped' || state.undo.landed.includes(subject);
  return isOver ? err({ rule: 'dependency-task', run: state.run, task: subject }) : ok('later');
}

/** Adds a dependency, or refuses it: the other end is unknown or over, or the two would wait for each other. */
export function addDependency(
  state: RunState,
  request: AddRequest,
  { runs, isBranch }: Surroundings,
): Result<DependencyEvent, Finding> {
  const examined = examineDependency(state, request);
  if (!examined.ok) return examined;
  const named = endNamed(request.on, runs, isBranch);
  if (!named.ok) return named;
  const on = named.value;
  const refusal = 'run' in on ? refusedEnd(state, on.run, on.task ?? null, runs, request.required) : null;
  if (refusal !== null) return err(refusal);
  const { subject, required, text, by } = request;
  const task = subject === null ? {} : { task: subject };
  return ok({ type: 'dependency-added', dependency: nextId(runs), ...task, on, required, text, by });
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
  runs: readonly RunState[],
  required: boolean,
): Finding | null {
  const other = runs.find((one) => one.run === run);
  if (run === state.run) return { rule: 'dependency-self', run };
  if (other === undefined) return { rule: 'dependency-unknown', named: run };
  const { branch } = state.target;
  if (meetingLanding(other, branch, task) !== null)
    return { rule: 'dependency-met', named: endName(task === null ? { run } : { run, task }), branch };
  // one that ended on its own branch can still land
  if (other.ended !== null && other.ended !== 'done') return { rule: 'dependency-over', run, outcome: other.ended };
  if (task !== null && other.tasks[task]?.progress.status === 'dropped') return { rule: 'dependency-task', run, task };
  const ring = required ? ringOf(state.run, run, runs) : null;
  return ring === null ? null : { rule: 'dependency-cycle', run: state.run, ring };
}

/** The runs by which `on` requires `from` already, from one to the other; null when it does not. */
function ringOf(from: RunId, on: RunId, runs: readonly RunState[]): readonly string[] | null {
  const byRun = new Map(runs.map((one) => [one.run, one]));
  const before = new Map<RunId, RunId | null>([[on, null]]);
  const queue: RunId[] = [on];
  for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
    const state = byRun.get(run);
    for (const next of state === undefined ? [] : required(state)) {
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

const required = (state: RunState): readonly RunId[] =>
  dependenciesOf(state)
    .filter((one) => one.side === 'requires' && one.required && isDependencyOpen(one))
    .flatMap((one) => otherRun(one) ?? []);

/** The next free id of the repository. */
function nextId(runs: readonly RunState[]): string {
  const numbers = runs.flatMap((state) => dependenciesOf(state).map(({ id }) => Number(id.slice(1))));
  return `d${numbers.reduce((most, number) => Math.max(most, number), 0) + 1}`;
}

/** Decides a person's resolution or cancellation of a dependency. The end that requires decides for both. */
export function endDependency(
  state: RunState,
  { dependency, end, reason, by }: EndRequest,
): Result<readonly DependencyEvent[], Finding> {
  if (typeof reason !== 'string' || reason.trim() === '') return err({ rule: 'dependency-reason' });
  if (reason.length > policy.recordCharacters) return err({ rule: 'post-long', limit: policy.recordCharacters });
  const known = dependenciesOf(state);
  const found = known.find(({ id }) => id === dependency);
  if (found === undefined)
    return err({ rule: 'no-such-dependency', run: state.run, named: dependency, known: known.map(({ id }) => id) });
  const elsewhere = ownerOf(found);
  if (elsewhere !== null) return err({ rule: 'dependency-elsewhere', dependency, run: elsewhere });
  if (!isDependencyOpen(found)) return err({ rule: 'dependency-settled', dependency, status: found.status });
  return ok([{ type: end === 'resolved' ? 'dependency-resolved' : 'dependency-cancelled', dependency, reason, by }]);
}

/** The run that requires it, when that is another one. */
const ownerOf = (dependency: Dependency): RunId | null => (dependency.side === 'owes' ? otherRun(dependency) : null);
