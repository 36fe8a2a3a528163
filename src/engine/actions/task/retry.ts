import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Begins a task again from its base. */
export const retryAction: Action<'task', object> = {
  name: 'retry',
  who: 'anyone',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, _, by) => ok({ type: 'requested-retry', task, by }),
};
