import { err, ok } from '../../../domain/base/result.ts';
import { bytesOfShown } from '../../../domain/base/shown-path.ts';
import type { Action } from '../action.ts';
import { badPath } from '../paths.ts';

/** Gives a task up by name; with paths, only those of its changes. */
export const dropAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'drop',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, { paths }, by) => {
    // a path that no snapshot holds is named as it is shown, quotes and all
    const bad = badPath(paths.filter((path) => !path.startsWith('"') || bytesOfShown(path) === null));
    return bad === null ? ok({ type: 'requested-drop', task, paths, by }) : err(bad);
  },
};
