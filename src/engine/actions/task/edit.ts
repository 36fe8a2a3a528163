import type { CommitId } from '../../../domain/base/ids.ts';
import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Takes what a person made of a snapshot as the next one. `copy` names the directory that they left it in, on this machine. */
export const editAction: Action<'task', { readonly from: CommitId; readonly copy: string }> = {
  name: 'edit',
  who: 'person',
  rest: false,
  mcp: false,
  on: 'task',
  request: ({ task }, { from, copy }, by) => ok({ type: 'requested-edit', task, from, copy, by }),
};
