import { goesOnByItself } from '../../domain/agents/provider.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { findingsIn } from '../../domain/gates/verdict.ts';
import type { RunOrder } from '../../domain/ledger/requests.ts';
import { evolveRun, foldRun, type RunState } from '../../domain/run/run.ts';
import type { StepInputs } from '../../pipeline/step.ts';
import { steps } from '../../pipeline/steps.ts';
import { createRun, type SeenBefore } from './create-run.ts';

/**
 * What a run of this order would come to before a person is asked: the same phases by the same functions, in memory.
 * Nothing is made, stored or started.
 */
export function rehearse(order: RunOrder, seen: SeenBefore, given: StepInputs): RunState {
  // nothing is asked of others: the built-in board stands for whatever thread it would get
  const { thread: _, ...plan } = order.plan;
  const created = createRun({ ...order, plan, approves: [] }, { who: 'tidegate', via: 'policy' }, seen);
  let state = foldRun(created.map((event) => ({ seq: 0, event })));
  while (state !== null && state.ended === null) {
    const next = steps(state, given).find((step) => step.kind === 'fact');
    if (next?.kind !== 'fact') break;
    for (const event of next.events) state = evolveRun(state, { seq: 0, event });
  }
  if (state === null) throw new Error('an order always makes a run');
  return state;
}

/** Nothing of this run can happen any more unless a person asks for it, or ever. Facts and effects that are due say otherwise. */
export function isAtRest(state: RunState, given: StepInputs): boolean {
  const due = steps(state, given);
  if (state.mode.mode !== 'halted') return due.length === 0 && !goesOnByItself(state);
  return due.every((step) => step.kind === 'effect' && step.effect.do !== 'supervise' && step.effect.do !== 'stop');
}

/** False: something is to be done, and nobody is there to do it. */
export const isAttended = async (
  repo: { isCoordinated(): Promise<boolean> },
  { state, now }: { readonly state: RunState; readonly now: string },
): Promise<boolean> => isAtRest(state, { now, nonce: () => '' }) || (await repo.isCoordinated());

/** Why the phases before approval refuse it, phase by phase. */
export function refusals(state: RunState): readonly Finding[] {
  const verdicts = [
    ...(state.contract ?? []),
    ...(state.load ?? []),
    ...state.waves.flatMap((wave) => [...(wave.thread ?? []), ...(wave.preflight ?? []), ...(wave.ownership ?? [])]),
  ];
  return findingsIn(verdicts);
}
