import { err, ok } from '../base/result.ts';
import { landingBarriers } from '../closure/barriers.ts';
import { discarded } from '../kept/discard.ts';
import { hasWhollyLanded, whyNotAlone } from '../landing/land-some.ts';
import { isQueued } from '../landing/landing.ts';
import { leftToLand } from '../landing/undo.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { hasMerged, type RunState } from '../run/run.ts';
import type { RequestAnswer } from './answer.ts';

/** Lands again, after a refusal or with tasks that were left out. The tap opens anew, already decided by the person of the request. */
export function landNow(state: RunState, request: RequestEvent & { readonly type: 'requested-land' }): RequestAnswer {
  const left = leftToLand(state);
  if (hasWhollyLanded(state)) return err({ rule: 'run-landed' });
  if (['intended', 'offering', 'undoing'].includes(state.landing.status)) return err({ rule: 'branch-moving' });
  if (state.landing.status === 'offered' && state.landing.url !== null)
    return err({ rule: 'pull-request-open', branch: state.landing.branch, url: state.landing.url });
  if (state.ended !== null && !hasMerged(state)) return err({ rule: 'nothing-merged' });
  const [barrier] = landingBarriers(state, request.tasks);
  if (barrier !== undefined) return err(barrier.because);
  const isWhole = discarded(state).length === 0;
  const wanted = request.tasks ?? (isWhole ? null : left);
  const some = isWhole && wanted?.length === left.length ? null : wanted;
  const unfit = wanted === null ? null : whyNotAlone(state, wanted);
  if (unfit !== null) return err(unfit);
  const { hash } = state;
  const tasks = some === null ? {} : { tasks: some };
  const decided = { type: 'tap-decided', tap: 'land', decision: 'approved', hash, ...tasks, by: request.by } as const;
  const open = state.taps.land;
  if (open?.status === 'pending' || open?.status === 'held') return ok([decided]);
  if (open?.status === 'approved' && isQueued(state.landing)) return err({ rule: 'in-landing-queue', run: state.run });
  if (state.ended === null && state.landing.status !== 'refused') return err({ rule: 'nothing-to-land' });
  return ok([{ type: 'tap-opened', tap: 'land', hash, expires: null }, decided]);
}
