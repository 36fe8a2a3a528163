import { ok } from '../../../domain/base/result.ts';
import { isUndone } from '../../../domain/landing/undo.ts';
import type { Action } from '../action.ts';

/** Takes the landing of a run, or of one task, back. */
export const undoAction: Action<'part', object> = {
  name: 'undo',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'part',
  request: ({ task }, _, by) => ok({ type: 'requested-undo', task, by }),
  moot: async ({ run, task, state }) =>
    isUndone(state, task)
      ? {
          reason: 'already-undone',
          because: { rule: 'already-undone', run, task },
          isDone: true,
        }
      : null,
};
