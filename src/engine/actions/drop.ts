import { err, ok } from '../../domain/result.ts';
import type { Action } from './action.ts';
import { badPath } from './paths.ts';

/** Gives a task up by name; with paths, only those of its changes. */
export const dropAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'drop',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, { paths }, by) => {
    const bad = badPath(paths);
    return bad === null ? ok({ type: 'requested-drop', task, paths, by }) : err(bad);
  },
};
