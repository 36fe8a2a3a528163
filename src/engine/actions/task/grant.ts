import { err, ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';
import { badPath } from '../paths.ts';

/** Lets a task change paths outside of what it owns. */
export const grantAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'grant',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, { paths }, by) => {
    const bad = badPath(paths);
    return bad === null ? ok({ type: 'requested-grant', task, paths, by }) : err(bad);
  },
};
