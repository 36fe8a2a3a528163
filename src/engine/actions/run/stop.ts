import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Ends the agents of a run and keeps their work. */
export const stopAction: Action<'run', object> = {
  name: 'stop',
  who: 'anyone',
  rest: true,
  mcp: false,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-stop', by }),
};
