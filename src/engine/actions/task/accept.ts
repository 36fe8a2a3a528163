import { commitId } from '../../../domain/base/ids.ts';
import { err, ok } from '../../../domain/base/result.ts';
import { snapshotOf } from '../../../domain/run/task.ts';
import type { Action } from '../action.ts';

/** Takes the work of a task as it is, although its agent did not exit or hand off well. `snapshot` is the one that was shown. */
export const acceptAction: Action<'task', { readonly snapshot: string }> = {
  name: 'accept',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task, state }, { snapshot: named }, by) => {
    const known = state.tasks[task];
    const newest = known === undefined ? null : (snapshotOf(known)?.commit ?? null);
    if (newest?.startsWith(named) === true) return ok({ type: 'requested-accept', task, snapshot: newest, by });
    // a whole id is for the coordinator to judge: there may be a newer snapshot than this state knows
    if (isWholeId(named)) return ok({ type: 'requested-accept', task, snapshot: commitId(named), by });
    const because = { rule: 'snapshot-outdated', task, named, newest } as const;
    return err({ reason: 'other-snapshot', because, field: 'snapshot' });
  },
};

const isWholeId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
