import type { RunState } from './run.ts';

/** True when no pause, stop or halt keeps the run as a whole from its next step. A run that has ended is no longer paused or stopped. */
export const mayProceed = ({ mode, ended }: Pick<RunState, 'mode' | 'ended'>): boolean =>
  mode.mode === 'active' || (ended !== null && mode.mode !== 'halted');

/**
 * True when something of the run continues only after `resume`. In an active run that is a stuck task or a login; a run that has ended
 * awaits it only when its undo was halted.
 */
export const awaitsResume = (state: RunState): boolean =>
  state.ended === null
    ? state.mode.mode !== 'active' || hasStuckTask(state) || lacksLogin(state)
    : state.mode.mode === 'halted';

const lacksLogin = ({ providers }: RunState): boolean =>
  Object.values(providers).some((provider) => provider.status === 'paused' && provider.until === null);

const hasStuckTask = (state: RunState): boolean =>
  Object.values(state.tasks).some(({ progress }) => progress.status === 'waiting' && progress.next.halt !== null);
