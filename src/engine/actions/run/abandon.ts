import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Ends a run for good, in whatever state it is. What has landed stays, everything else is kept. */
export const abandonAction: Action<'run', object> = {
  name: 'abandon',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-abandon', by }),
  moot: async ({ run, state }) =>
    state.ended === null
      ? null
      : { reason: 'run-over', because: { rule: 'run-over', run, outcome: state.ended }, isDone: true },
};
