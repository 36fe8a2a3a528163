import { err, ok } from '../../../domain/base/result.ts';
import { chooseTasks, hasWhollyLanded } from '../../../domain/landing/land-some.ts';
import type { Action } from '../action.ts';

/** Tasks by name; without any, all that is left to land. */
type LandInput = {
  readonly only?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
};

/** Moves the person's branch to what a run has proven, or to some of it. */
export const landAction: Action<'run', LandInput> = {
  name: 'land',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'run',
  request: ({ state }, { only, except }, by) => {
    if (only !== undefined && except !== undefined)
      return err({ reason: 'bad-choice', because: { rule: 'choice-twice' }, field: 'except' });
    const chosen = chooseTasks(state, only ?? null, except ?? null);
    if (!chosen.ok) return err({ reason: 'bad-choice', because: chosen.error });
    return ok({ type: 'requested-land', ...(chosen.value === null ? {} : { tasks: chosen.value.tasks }), by });
  },
  moot: async ({ run, state }) =>
    hasWhollyLanded(state)
      ? { reason: 'already-landed', because: { rule: 'already-landed', run }, isDone: true }
      : null,
};
