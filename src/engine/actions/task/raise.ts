import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Raises the budget of a run, or of one task. */
export const raiseAction: Action<'part', { readonly usd: number }> = {
  name: 'raise',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'part',
  request: ({ task }, { usd }, by) => ok({ type: 'requested-raise', task, usd, by }),
};
