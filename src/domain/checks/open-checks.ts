import type { TreeId } from '../base/ids.ts';
import { redefinedChecks } from '../check-definitions/definition.ts';
import type { Barrier } from '../closure/barriers.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import { type Check, isRatchet } from '../plan/plan.ts';
import { type BuiltRound, makerIn } from '../run/round.ts';
import { checkKey, type RunState, selectedWaves, type WaveState } from '../run/run.ts';
import { snapshotOf } from '../run/task.ts';
import { standingOf } from './standing.ts';

/** The id of the barrier that a check is which cannot be compared. No name of a check has a `+`. */
export const checkBarrier = (check: string): string => `check-${check.replaceAll(' ', '+')}`;

/** Checks of the candidate that only a person can let pass: red as on the base, without anything to compare. */
export function openChecks(state: RunState, wave: WaveState): readonly Barrier[] {
  const round = wave.rounds.at(-1);
  if (round?.status !== 'built' && round?.status !== 'completed') return [];
  const { tip, before } = round;
  const { branch } = state;
  if (tip === null || branch === null || !state.plan.checks.some(isRatchet)) return [];
  const redefined = redefinedIn(state, round);
  const trees = [
    { tree: tip.tree, redefined },
    ...(before === undefined ? [] : [{ tree: before.tree, redefined: [] }]),
  ];
  return trees.flatMap((at) =>
    state.plan.checks.flatMap((check): readonly Barrier[] => {
      const outcome = (tree: TreeId) => state.checks[checkKey(tree, check.name)];
      const isRedefined = at.redefined.includes(check.name);
      const standing = standingOf(check, outcome(at.tree), outcome(branch.tree), isRedefined);
      if (standing.is !== 'unclear' || isLetPass(state, check, at.tree)) return [];
      const because = { rule: 'check-unclear', check: check.name, why: standing.why } as const;
      return [{ id: checkBarrier(check.name), kind: 'check', owner: 'person', because, tree: at.tree }];
    }),
  );
}

/** The check that keeps merged work from landing on a branch that has moved, because it cannot be compared there. */
export function openLandingCheck(state: RunState): readonly Barrier[] {
  const { landing } = state;
  if (landing.status !== 'refused' || landing.because.rule !== 'landing-check') return [];
  const { check, tree, unclear: why } = landing.because;
  const planned = state.plan.checks.find(({ name }) => name === check);
  if (why === undefined || planned === undefined || isLetPass(state, planned, tree)) return [];
  const because = { rule: 'check-unclear', check, why } as const;
  const wave = selectedWaves(state).findLast(({ closed }) => closed)?.index;
  return [
    { id: checkBarrier(check), kind: 'check', owner: 'person', because, tree, ...(wave === undefined ? {} : { wave }) },
  ];
}

/** True when a person let the check pass on exactly this tree. */
export const isLetPass = ({ waves }: RunState, { name }: Pick<Check, 'name'>, tree: TreeId): boolean =>
  waves.some(({ resolved = [] }) => resolved.some((one) => one.barrier === checkBarrier(name) && one.tree === tree));

/** Checks whose definition the tasks of a round change. */
export const redefinedIn = (state: RunState, round: Pick<BuiltRound, 'steps' | 'tasks'>): readonly string[] =>
  redefinedChecks(
    state.plan,
    round.steps.flatMap(({ task }) => changesOf(state, makerIn(round, task))),
  );

/** Checks whose definition a merged task of the run changed. */
export const redefinedByRun = (state: RunState): readonly string[] =>
  redefinedChecks(
    state.plan,
    state.waves.flatMap(({ rounds }) =>
      rounds.flatMap((round) =>
        round.status === 'merged' ? round.steps.flatMap(({ task }) => changesOf(state, makerIn(round, task))) : [],
      ),
    ),
  );

function changesOf({ tasks }: RunState, task: keyof RunState['tasks']): readonly DiffEntry[] {
  const known = tasks[task];
  return (known === undefined ? null : snapshotOf(known))?.diff ?? [];
}
