import { ok } from '../../../domain/base/result.ts';
import type { RunState } from '../../../domain/run/run.ts';
import type { Action } from '../action.ts';

/** Lets a run go on after a pause, a stop or a failure of the machine. */
export const resumeAction: Action<'run', object> = {
  name: 'resume',
  who: 'anyone',
  rest: true,
  mcp: false,
  on: 'run',
  request: (_subject, _input, by) => ok({ type: 'requested-resume', by }),
};

/**
 * Whether a run stands until somebody resumes it. An active run lacks a login, or at most its coordinator; one that has ended
 * stands only when its undo was halted.
 */
export const needsResume = (state: RunState): boolean =>
  state.ended === null
    ? state.mode.mode !== 'active' || hasStuckTask(state) || lacksLogin(state)
    : state.mode.mode === 'halted';

const lacksLogin = ({ providers }: RunState): boolean =>
  Object.values(providers).some((provider) => provider.status === 'paused' && provider.until === null);

const hasStuckTask = (state: RunState): boolean =>
  Object.values(state.tasks).some(({ progress }) => progress.status === 'waiting' && progress.next.halt !== null);
