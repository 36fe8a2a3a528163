import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Starts nothing new; agents that run go on. */
export const pauseAction: Action<'run', object> = {
  name: 'pause',
  who: 'anyone',
  rest: true,
  mcp: false,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-pause', by }),
};
