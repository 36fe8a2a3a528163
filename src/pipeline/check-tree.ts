import type { TreeId } from '../domain/base/ids.ts';
import { isGood, type Standing, standingOf, type Unclear, type Worse } from '../domain/checks/standing.ts';
import { checkUnrunnable } from '../domain/gates/check-outcome.ts';
import type { CheckOutcome } from '../domain/gates/evidence.ts';
import type { CheckPurpose } from '../domain/ledger/events.ts';
import type { Check } from '../domain/plan/plan.ts';
import { mayProceed } from '../domain/run/resume.ts';
import type { Tip } from '../domain/run/round.ts';
import { checkKey, currentWave, hasMerged, type RunState } from '../domain/run/run.ts';
import { effect, fact, type Step } from './step.ts';

/** A tree, and what is done with a check that does not let it pass. */
export type CheckedTree = {
  readonly purpose: CheckPurpose;
  readonly at: Tip;
  /** The commit that checks with `ratchet` are compared with; null when there is none. */
  readonly against: Tip | null;
  /** Checks whose definition differs between the two. */
  readonly redefined?: readonly string[];
  failed(check: Check, worse: Worse | null): readonly Step[];
  /** Called for a check that cannot be compared; null to go on. */
  unclear(check: Check, why: Unclear): readonly Step[] | null;
};

/** Runs the checks of the plan on a tree, one after the other: the next step, or the outcomes once all let it pass. */
export function checkTree(
  state: RunState,
  tree: CheckedTree,
  mayHalt: boolean = mayProceed(state),
): { readonly step: readonly Step[] } | { readonly outcomes: readonly CheckOutcome[] } {
  const outcomes: CheckOutcome[] = [];
  for (const check of state.plan.checks) {
    const outcome = outcomeOf(state, tree.at.tree, check);
    if (outcome === undefined) return { step: [checkStep(check, tree.at, tree.purpose)] };
    if (outcome.outcome === 'could-not-run') return { step: mayHalt ? [haltBy(outcome)] : [] };
    const standing = standingAt(state, check, tree);
    const step = stepOf(state, tree, check, standing, mayHalt);
    if (step !== null) return { step };
    outcomes.push(outcome);
  }
  return { outcomes };
}

/** Null when the check lets the tree pass. */
function stepOf(
  state: RunState,
  tree: CheckedTree,
  check: Check,
  standing: Standing,
  mayHalt: boolean,
): readonly Step[] | null {
  if (isGood(standing)) return null;
  if (standing.is === 'failed') return tree.failed(check, standing.worse ?? null);
  if (standing.is === 'unclear') return tree.unclear(check, standing.why);
  if (tree.against === null) return tree.unclear(check, { reason: 'base-unreadable' });
  return baselineStep(state, check, tree.against, mayHalt);
}

/** Judges the outcome of a check on this tree. */
export const standingAt = (
  state: RunState,
  check: Check,
  { at, against, redefined = [] }: Pick<CheckedTree, 'against' | 'redefined'> & { readonly at: Pick<Tip, 'tree'> },
): Standing =>
  standingOf(
    check,
    outcomeOf(state, at.tree, check),
    against === null ? undefined : outcomeOf(state, against.tree, check),
    redefined.includes(check.name),
  );

/** Runs a check on the tree that it is compared with. */
function baselineStep(state: RunState, check: Check, against: Tip, mayHalt: boolean): readonly Step[] {
  const known = outcomeOf(state, against.tree, check);
  if (known === undefined) return [checkStep(check, against, 'base')];
  return mayHalt ? [haltBy(known)] : [];
}

export const outcomeOf = (state: RunState, tree: TreeId, check: Check): CheckOutcome | undefined =>
  state.checks[checkKey(tree, check.name)];

export const checkStep = (check: Check, { commit, tree }: Tip, purpose: CheckPurpose = 'candidate'): Step =>
  effect(`check ${tree} ${check.name}`, { do: 'check', purpose, commit, tree, check });

/** Halts once. `resume` forgets the outcome, so that the check runs again. */
export function halt(state: RunState, outcome: CheckOutcome): readonly Step[] {
  return mayProceed(state) ? [haltBy(outcome)] : [];
}

const haltBy = (outcome: CheckOutcome): Step => fact({ type: 'run-halted', because: checkUnrunnable(outcome) });

/**
 * Runs the checks on the tree that the first tasks start from, so that a failing base is found before an agent starts. Checks with
 * `ratchet` may fail there: that is what candidates are compared with.
 */
export function baseChecks(state: RunState): readonly Step[] {
  const { branch } = state;
  const isActive = currentWave(state) !== undefined && state.mode.mode === 'active';
  if (branch === null || !isActive) return [];
  const failed = (check: Check): readonly Step[] => redBase(state, check);
  const checked = checkTree(state, { purpose: 'base', at: branch, against: branch, failed, unclear: () => null });
  return 'step' in checked ? checked.step : [];
}

/** Before anything is merged, the base is the person's own. Later only a new version of the plan can add a check that fails. */
function redBase(state: RunState, check: Check): readonly Step[] {
  if (!hasMerged(state)) return [fact({ type: 'run-ended', outcome: 'failed' })];
  return [fact({ type: 'run-halted', because: { rule: 'check-red', run: state.run, check: check.name } })];
}
