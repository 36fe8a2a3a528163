import { hasExpired, startTap } from '../domain/decide/tap.ts';
import { judged } from '../domain/gates/judge.ts';
import { passes } from '../domain/gates/verdict.ts';
import {
  currentWave,
  hasMerged,
  type RunState,
  selectedWaves,
  tasksOfWave,
  type WaveState,
} from '../domain/run/run.ts';
import type { TaskState } from '../domain/run/task.ts';
import { contextOf, fact, type Step, type StepInputs } from './step.ts';

/** Phase 2: a person approves this plan hash, once per run or once per wave. */
export function approval(state: RunState, inputs: StepInputs): readonly Step[] {
  const refused = selectedWaves(state).some((wave) =>
    [wave.thread, wave.preflight, wave.ownership].some((verdicts) => verdicts !== null && !passes(verdicts)),
  );
  if (refused) return [fact({ type: 'run-ended', outcome: 'failed' })];
  // a thread may still be requested elsewhere
  if (selectedWaves(state).some((wave) => wave.ownership === null)) return [];
  const wave = nextToApprove(state);
  if (wave === undefined) return [];
  const isEmpty = selectedWaves(state).every(({ index }) => tasksOfWave(state, index).every(isDropped));
  if (isEmpty && !hasMerged(state)) return [fact({ type: 'run-ended', outcome: 'rejected' })];
  const name = startTap(state.plan, wave.index);
  const tap = state.taps[name];
  if (tap === undefined)
    return [fact({ type: 'tap-opened', tap: name, hash: state.hash, expires: expiry(state, inputs) })];
  switch (tap.status) {
    case 'held':
    case 'pending':
      if (!hasExpired(tap, inputs.now)) return [];
      return [
        fact({
          type: 'tap-decided',
          tap: name,
          decision: 'expired',
          hash: tap.hash,
          by: { who: 'tidegate', via: 'policy' },
        }),
      ];
    case 'approved':
    case 'rejected':
    case 'expired': {
      const evidence = { decision: tap.status, hash: tap.hash };
      const verdict = judged(contextOf(state), { phase: 'approval', wave: wave.index, evidence });
      return [passes(verdict.verdicts) ? fact(verdict) : fact(verdict, { type: 'run-ended', outcome: 'rejected' })];
    }
  }
}

const isDropped = ({ progress }: TaskState): boolean => progress.status === 'dropped';

function nextToApprove(state: RunState): WaveState | undefined {
  if (state.plan.taps.start === 'run')
    return selectedWaves(state).find((wave) => !wave.closed && wave.approval === null);
  const wave = currentWave(state);
  return wave?.approval === null ? wave : undefined;
}

const expiry = (state: RunState, inputs: StepInputs): string =>
  new Date(Date.parse(inputs.now) + state.plan.taps.expiresMinutes * 60_000).toISOString();
