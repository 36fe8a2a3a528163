import { err, ok } from '../../domain/base/result.ts';
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
  request: ({ task }, { on, required, text }, by) => {
    if (on.trim() === '') return err({ reason: 'no-end', because: { rule: 'dependency-on' }, field: 'on' });
    if (text.trim() === '') return err({ reason: 'no-message', because: { rule: 'post-empty' }, field: 'text' });
    return ok({ type: 'requested-dependency', subject: task, on, required, text, by });
  },
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
  request: (_, { dependency, end, reason }, by) =>
    reason.trim() === '' ? err(noReason) : ok({ type: 'requested-dependency-end', dependency, end, reason, by }),
};

const noReason: Misuse = { reason: 'no-message', because: { rule: 'dependency-reason' }, field: 'reason' };
