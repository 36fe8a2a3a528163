import type { TaskId } from '../../domain/base/ids.ts';
import { err, ok, present, type Result } from '../../domain/base/result.ts';
import type { By, RequestEvent } from '../../domain/ledger/requests.ts';
import { type Action, forPeople, type Misuse } from './action.ts';

type DependencyInput = {
  /** A run, run/task or branch, as it is typed. */
  readonly on: string;
  readonly required: boolean;
  readonly text: string;
};

/** Makes a run or a task wait for another run, one of its tasks, or a branch. */
export const addDependencyAction: Action<'part', DependencyInput> = {
  name: 'add-dependency',
  ...forPeople,
  on: 'part',
  request: ({ task }, input, by) => dependencyRequest(task, input, by),
};

function dependencyRequest(
  subject: TaskId | null,
  { on, required, text }: DependencyInput,
  by: By,
  branch?: string,
): Result<RequestEvent, Misuse> {
  if (on.trim() === '') return err({ reason: 'no-end', because: { rule: 'dependency-on' }, field: 'on' });
  if (text.trim() === '') return err({ reason: 'no-message', because: { rule: 'post-empty' }, field: 'text' });
  return ok({ type: 'requested-dependency', subject, ...present({ branch }), on, required, text, by });
}

/** Keeps everything from landing on a branch until another run has landed there, or a person decides. */
export const addBranchDependencyAction: Action<'repository', DependencyInput & { readonly branch: string }> = {
  name: 'add-branch-dependency',
  ...forPeople,
  on: 'repository',
  request: (_, { branch, ...input }, by) => dependencyRequest(null, input, by, branch),
};

type EndInput = {
  readonly dependency: string;
  readonly end: 'resolved' | 'cancelled';
  readonly reason: string;
};

/** Resolves or cancels a dependency of the run. The reason is recorded. */
export const endDependencyAction: Action<'run', EndInput> = {
  name: 'end-dependency',
  ...forPeople,
  on: 'run',
  request: (_, input, by) => endRequest(input, by),
};

/** Resolves or cancels a dependency of a branch. The reason is recorded. */
export const endBranchDependencyAction: Action<'repository', EndInput> = {
  name: 'end-branch-dependency',
  ...forPeople,
  on: 'repository',
  request: (_, input, by) => endRequest(input, by),
};

const endRequest = ({ dependency, end, reason }: EndInput, by: By): Result<RequestEvent, Misuse> =>
  reason.trim() === '' ? err(noReason) : ok({ type: 'requested-dependency-end', dependency, end, reason, by });

const noReason: Misuse = { reason: 'no-message', because: { rule: 'dependency-reason' }, field: 'reason' };
