import type { Judgement } from '../../domain/gates/judge.ts';
import { passes } from '../../domain/gates/verdict.ts';
import { found, must, type Rely } from './gap.ts';
import { eventsOf, type History, judgedPhases, planInForce } from './history.ts';

/**
 * Contract to approval, each after the one before, none overruled later. The first two are of the run and its repository;
 * the rest is of this version of the plan. Gives the position of the approval.
 */
export function verifyWave(history: History, wave: number, rely: Rely): number {
  const { plan, hash, since } = planInForce(history);
  let after = 0;
  for (const phase of ['contract', 'load'] as const) after = verifyPhase(history, { phase, wave, after }, rely);
  after = Math.max(after, since);
  for (const phase of ['thread', 'preflight', 'ownership'] as const)
    after = verifyPhase(history, { phase, wave, after }, rely);

  const tap = plan.taps.start === 'run' ? 'start' : `start-${wave}`;
  const decided = eventsOf(history, 'tap-decided').findLast(
    ({ position, event }) => position > since && event.tap === tap,
  );
  must(decided?.event.decision === 'approved', { gap: 'wave-unapproved', wave });
  must(decided.event.hash === hash, { gap: 'approved-plan' });
  rely(decided);
  const approvals = judgedPhases(history, 'approval').filter(
    ({ position, event }) => position > since && event.wave === wave,
  );
  for (const { event } of approvals)
    must(event.evidence.hash === hash || !passes(event.verdicts), { gap: 'approval-judged-plan' });
  const last = found(approvals.at(-1), { gap: 'approval-unjudged', wave });
  must(last.event.evidence.decision === 'approved', { gap: 'approval-refused', wave });
  return verifyPhase(history, { phase: 'approval', wave, after }, rely);
}

type WavePhase = Exclude<Judgement['phase'], 'dispatch' | 'monitor' | 'closure' | 'merge'>;

/** A first pass after `after`, and no later verdict against it: what was overruled proves nothing. */
function verifyPhase(
  history: History,
  { phase, wave, after }: { readonly phase: WavePhase; readonly wave: number; readonly after: number },
  rely: Rely,
): number {
  const judgements = judgedPhases(history, phase).filter(({ event }) => !('wave' in event) || event.wave === wave);
  const last = found(judgements.at(-1), { gap: 'phase-unjudged', phase });
  must(passes(last.event.verdicts), { gap: 'phase-failed', phase });
  const first = found(
    judgements.find(({ position, event }) => position > after && passes(event.verdicts)),
    { gap: 'phase-order', phase },
  );
  rely(first);
  rely(last);
  return first.position;
}
