import type { TreeId } from '../base/ids.ts';
import { isRatchet, landsOnOwnBranch } from '../plan/plan.ts';
import { checkKey, type RunState, selectedWaves } from '../run/run.ts';
import { isMoving } from './landing.ts';
import { leftToLand } from './undo.ts';

/** How the run ends now, as far as its own work is concerned; null while something of it is left to do. */
export function dueEnding(state: RunState): 'landed' | 'done' | null {
  const over = allClosed(state) ? landedOutcome(state) : null;
  if (over !== null) return over;
  const due = landingIsDue(state);
  if (due === 'nothing') return 'done';
  // rejecting one wave keeps the others from landing, not from working
  const isRejected = due === 'due' && state.taps.land?.status === 'rejected' && !isMoving(state.landing);
  return isRejected && allClosed(state) ? 'done' : null;
}

/** Nothing is left to do, whether or not the run was stopped meanwhile. What was undone or left out stays on the run branch. */
function landedOutcome(state: RunState): 'landed' | 'done' | null {
  const { status } = state.landing;
  if (status === 'landed') return leftToLand(state).length === 0 ? 'landed' : 'done';
  return status === 'undone' || status === 'offered' ? 'done' : null;
}

export function landingIsDue(state: RunState): 'not-yet' | 'nothing' | 'due' {
  const waves = selectedWaves(state);
  const closed = state.plan.land === 'wave' ? waves.filter((wave) => wave.closed) : allClosed(state) ? waves : [];
  // a new version of the plan moves no branch before somebody has approved it
  const approved = waves.some((wave) => wave.approval !== null);
  if (closed.length === 0 || !approved) return 'not-yet';
  const merged = closed.some((wave) => wave.rounds.some((round) => round.status === 'merged'));
  if (merged) return 'due';
  return allClosed(state) ? 'nothing' : 'not-yet';
}

/**
 * True when the plan would move the person's branch without asking to a tree on which a check is red. Only a person says yes to that,
 * even if the check is no worse than before.
 */
export const landsRed = ({ plan, checks }: Pick<RunState, 'plan' | 'checks'>, tree: TreeId | undefined): boolean =>
  tree !== undefined &&
  !landsOnOwnBranch(plan) &&
  plan.checks.some((check) => {
    const outcome = checks[checkKey(tree, check.name)];
    return isRatchet(check) && outcome !== undefined && outcome.outcome !== 'passed';
  });

const allClosed = (state: RunState): boolean => selectedWaves(state).every((wave) => wave.closed);
