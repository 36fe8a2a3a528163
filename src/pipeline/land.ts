import type { TaskId, TreeId } from '../domain/base/ids.ts';
import { isLetPass, redefinedByRun } from '../domain/checks/open-checks.ts';
import { landingBarriers } from '../domain/closure/barriers.ts';
import { openLandingRole, refusedByRole } from '../domain/closure/landing-reports.ts';
import { holdsEnd } from '../domain/dependencies/blocks.ts';
import type { Finding, FindingOf } from '../domain/findings/finding.ts';
import { dueEnding, landingIsDue, landsRed } from '../domain/landing/due-ending.ts';
import { chosenTasks, landingConflicts } from '../domain/landing/land-some.ts';
import { isMoving, type LandingState, type Rebuilt } from '../domain/landing/landing.ts';
import type { Reverts } from '../domain/landing/undo.ts';
import { type Check, landsOnOwnBranch } from '../domain/plan/plan.ts';
import { mayProceed } from '../domain/run/resume.ts';
import type { RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { isSettled } from '../domain/run/task.ts';
import { policy } from '../domain/settings/policy.ts';
import { type CheckedTree, checkTree } from './check-tree.ts';
import { effect, fact, isItsTurn, type Step, type StepInputs } from './step.ts';

/** The end of phase 6: moves the person's branch once, as the plan's `land` says. */
export function land(state: RunState, inputs: StepInputs): readonly Step[] {
  const over = dueEnding(state);
  if (over !== null) return holdsEnd(state) ? [] : [fact({ type: 'run-ended', outcome: over })];
  if (landingIsDue(state) !== 'due') return [];
  const { landing } = state;
  if (landing.status === 'landed' || landing.status === 'offered') return [];
  // a pause, a stop or a question leaves no move half done
  if (isMoving(landing)) return [askLand(state)];
  const tap = state.taps.land;
  if (tap !== undefined && tap.status !== 'approved') return [];
  // the landing that the person approved was refused, so they are asked again
  if (landing.status === 'refused') return [ask(state)];
  if (!mayProceed(state) || landingBarriers(state, chosenTasks(state) ?? undefined).length > 0) return [];
  const isAsked = state.plan.land === 'ask' || landsRed(state, state.branch?.tree);
  return tap === undefined && isAsked ? [ask(state)] : move(state, landing, inputs);
}

function ask(state: RunState): Step {
  const some = chosenTasks(state);
  const tasks = some === null ? {} : { tasks: some };
  return fact({ type: 'tap-opened', tap: 'land', hash: state.hash, expires: null, ...tasks });
}

function move(state: RunState, landing: LandingState, inputs: StepInputs): readonly Step[] {
  switch (landing.status) {
    case 'none':
      return [landsOnOwnBranch(state.plan) ? askLand(state) : fact({ type: 'landing-queued' })];
    case 'queued':
      return isItsTurn(state, inputs) ? [effect('observe-target', { do: 'observe-target' })] : [];
    case 'observed':
      // a branch of the run's own waits for nobody, and the place of the target does not matter to it
      if (landsOnOwnBranch(state.plan)) return moveObserved(state, landing, state.target.commit);
      if (!isItsTurn(state, inputs)) return [];
      return landing.tip === null
        ? [refuse({ rule: 'branch-gone', branch: state.target.branch })]
        : moveObserved(state, landing, landing.tip);
    case 'intended':
    case 'offering':
    case 'landed':
    case 'offered':
    case 'refused':
    case 'undoing':
    case 'undone':
      return [];
  }
}

function moveObserved(
  state: RunState,
  landing: LandingState & { readonly status: 'observed' },
  tip: string,
): readonly Step[] {
  const { rebuilt } = landing;
  const { run } = state;
  const { branch } = state.target;
  const some = chosenTasks(state);
  const begun = state.uncommitted === null ? {} : ({ uncommitted: true } as const);
  const asItIs = some === null && tip === state.target.commit && !state.target.apart;
  if (asItIs && rebuilt === null) return [askLand(state)];
  if (rebuilt === null || rebuilt.onto !== tip) {
    const tries = policy.landingTries;
    if (landing.moves >= tries) return [refuse({ rule: 'landing-busy', branch, tries })];
    return [
      effect(`rebuild ${tip}`, { do: 'ask-merger', request: { do: 'rebuild-landing', run: state.run }, answers: null }),
    ];
  }
  if (rebuilt.conflicts.length > 0)
    return [refuse({ ...landingConflicts(rebuilt, { run, branch, tasks: some }), ...begun })];
  const of = { run, branch, tasks: some, ...begun };
  const checked = checkTree(state, {
    ...comparedLanding(state, rebuilt, of, rebuilt.tree),
    at: rebuilt,
    redefined: redefinedByRun(state),
  });
  if ('step' in checked) return checked.step;
  const isUnasked = state.taps.land === undefined && landsRed(state, rebuilt.tree);
  return landAsBefore(state, rebuilt, of) ?? judgeAgain(state) ?? [isUnasked ? ask(state) : askLand(state)];
}

type OfLanding = Pick<FindingOf<'landing-check'>, 'run' | 'branch' | 'tasks' | 'uncommitted' | 'defined'>;

/** A check that fails on a landing, or that cannot be compared and that no person let pass, refuses it. */
function comparedLanding(state: RunState, { baseline }: Rebuilt, of: OfLanding, tree: TreeId): Omit<CheckedTree, 'at'> {
  const refusal = { rule: 'landing-check', ...of, tree } as const;
  return {
    purpose: 'land',
    against: baseline ?? null,
    failed: ({ name: check }, worse) => [refuse({ ...refusal, check, ...(worse === null ? {} : { worse }) })],
    unclear: (check, unclear) =>
      isLetPass(state, check, tree) ? null : [refuse({ ...refusal, check: check.name, unclear })],
  };
}

/** Runs the checks by the definitions of the branch, if the run changed them and nobody granted that. Null when they pass. */
function landAsBefore(state: RunState, rebuilt: Rebuilt, of: OfLanding): readonly Step[] | null {
  const { before, tree } = rebuilt;
  if (before === undefined) return null;
  const defined = { passedOn: tree, changes: before.changes };
  const checked = checkTree(state, {
    ...comparedLanding(state, rebuilt, { ...of, defined }, before.tree),
    at: before,
  });
  return 'step' in checked ? checked.step : null;
}

/** Has closure roles judge a landing on a branch that has moved, if their reports are not carried. Null when all let it pass. */
function judgeAgain(state: RunState): readonly Step[] | null {
  const open = openLandingRole(state);
  if (open === null) return null;
  const { role, wave, status } = open;
  const round = state.waves[wave]?.rounds.at(-1)?.round ?? 0;
  const known = state.tasks[role.id];
  if (known === undefined || isLive(known)) return [];
  const opened = { type: 'role-opened', wave, round, task: role.id, ...status.subject, landing: true } as const;
  // no agent starts in a run that has ended, or for a closed wave of an earlier version of the plan: a person decides instead of the role
  if (state.ended !== null || state.waves[wave]?.approval === null)
    return [
      fact(...(status.task === null ? [opened] : []), {
        type: 'landing-refused',
        because: refusedByRole(state, open),
      }),
    ];
  if (status.task === null) return [fact(opened)];
  return isSettled(status.task) ? [refuse(refusedByRole(state, open))] : [];
}

export const askLand = (state: RunState): Step =>
  effect('land', { do: 'ask-merger', request: { do: 'land', run: state.run }, answers: null });

const refuse = (because: Finding): Step => fact({ type: 'landing-refused', because });

/**
 * Performs the undo of request `seq`. The merger moves the branch back, or prepares reverts. Reverts are checked like any commit
 * that the branch moves to; then the merger gets the request again.
 */
export function undo(state: RunState, seq: number, task: TaskId | null): readonly Step[] {
  // it must be known first whether the last landing is on the branch
  if (state.landing.status === 'intended') return [];
  const request = { do: 'undo', run: state.run, task } as const;
  const ask = effect(`undo ${seq}`, { do: 'ask-merger', request, answers: seq });
  const { prepared } = state.undo;
  return prepared === null || prepared.task !== task ? [ask] : (checkReverts(state, seq, prepared) ?? [ask]);
}

/**
 * Null when every check lets them pass. An undo is checked in any mode, so that only a halt keeps the run from halting. Checks with
 * `ratchet` are compared with the branch as it was before the run landed. A check that cannot be compared is no obstacle: a person
 * requested this.
 */
function checkReverts(state: RunState, seq: number, prepared: Reverts): readonly Step[] | null {
  const failed = ({ name }: Check): readonly Step[] => [refuseUndo(state, seq, prepared, name)];
  const reverts: CheckedTree = {
    purpose: 'undo',
    at: prepared,
    against: prepared.baseline ?? null,
    failed,
    unclear: () => null,
  };
  const checked = checkTree(state, reverts, state.mode.mode !== 'halted');
  return 'step' in checked ? checked.step : null;
}

/** Recorded in one append with the answer to the request: nothing moved, and nothing is in progress any more. */
function refuseUndo({ run }: RunState, seq: number, { task, branch, reverts }: Reverts, check: string): Step {
  const because = { rule: 'undo-check', run, task, branch, check, reverts } as const;
  return fact(
    { type: 'undo-refused', task, because },
    { type: 'request-refused', request: seq, because: { rule: 'undo-refused', run, task, because } },
  );
}
