import { openLandingCheck } from '../checks/open-checks.ts';
import { changersIn } from '../landing/earlier-definitions.ts';
import { hasWhollyLanded } from '../landing/land-some.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { unprovenToLand } from '../proofs/open-bundles.ts';
import type { RunState } from '../run/run.ts';
import type { TaskState } from '../run/task.ts';

/**
 * Tells whether a request is allowed after the end of a run. A run that ended on its own branch may still land. Landed work may be
 * undone, other work discarded by name, a question answered, and a dependency resolved. A check definition may be granted, and a closure
 * role, a lost proof or a check that cannot be compared resolved, when it keeps the work from landing. After a halt, landing and undo may be tried again.
 */
export function isAllowedLate(state: RunState, request: RequestEvent): boolean {
  if (alwaysAllowed.has(request.type)) return true;
  if (request.type === 'requested-resume') return state.mode.mode === 'halted';
  if (request.type === 'requested-drop') return request.paths.length === 0;
  if (request.type === 'requested-grant') return isDefinitionRefused(state, request.task);
  if (request.type === 'requested-resolve')
    return (
      isRoleRefused(state, request.barrier) ||
      isLostProof(state, request.barrier) ||
      openLandingCheck(state).some(({ id }) => id === request.barrier)
    );
  const isOfLanding =
    request.type === 'requested-land' ||
    request.type === 'requested-landing-edit' ||
    request.type === 'requested-proof';
  return isOfLanding && state.ended === 'done' && !hasWhollyLanded(state);
}

const isLostProof = (state: RunState, barrier: string): boolean =>
  state.ended === 'done' && unprovenToLand(state).some(({ id }) => id === barrier);

const alwaysAllowed: ReadonlySet<RequestEvent['type']> = new Set<RequestEvent['type']>([
  'requested-undo',
  'requested-answer',
  'requested-record',
  'requested-discard',
  'requested-proof-revoke',
  'requested-dependency-end',
]);

const isRoleRefused = ({ landing }: RunState, barrier: string): boolean =>
  landing.status === 'refused' && landing.because.rule === 'landing-role' && landing.because.task === barrier;

/** The branch was not moved because it defines a check otherwise than this task does. */
export const isDefinitionRefused = ({ landing }: RunState, task: TaskState['id']): boolean =>
  landing.status === 'refused' &&
  landing.because.rule === 'landing-check' &&
  changersIn(landing.because.defined?.changes ?? []).includes(task);
