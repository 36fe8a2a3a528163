import { err, ok } from '../../../domain/base/result.ts';
import { bytesOfShown } from '../../../domain/base/shown-path.ts';
import type { Action } from '../action.ts';

/** Removes files that no snapshot holds from the workspaces of a task. Nothing else ever removes them (I7). */
export const discardAction: Action<'task', { readonly paths: readonly string[] }> = {
  name: 'discard',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ run, task }, { paths }, by) => {
    const at = paths.findIndex((path) => bytesOfShown(path) === null);
    const path = paths[at];
    return path === undefined
      ? ok({ type: 'requested-discard', task, paths, by })
      : err({ reason: 'bad-path', because: { rule: 'not-kept', run, task, path }, field: `paths[${at}]` });
  },
};
