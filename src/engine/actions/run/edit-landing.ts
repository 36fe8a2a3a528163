import type { CommitId } from '../../../domain/base/ids.ts';
import { ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';

/** Takes what a person made of a landing that conflicts. `from` is the commit that holds both sides. */
export const editLandingAction: Action<'run', { readonly from: CommitId; readonly copy: string }> = {
  name: 'edit-landing',
  who: 'person',
  rest: false,
  mcp: false,
  on: 'run',
  request: (_, { from, copy }, by) => ok({ type: 'requested-landing-edit', from, copy, by }),
};
