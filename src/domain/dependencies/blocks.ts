import type { RunId, TaskId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import { everyTaskOf, landsOnOwnBranch } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { type Dependency, endName, isDependencyOpen, isMetByLanding, otherRun } from './dependency.ts';

export const dependenciesOf = ({ dependencies = [] }: Pick<RunState, 'dependencies'>): readonly Dependency[] =>
  dependencies;

export const openDependencies = (state: Pick<RunState, 'dependencies'>): readonly Dependency[] =>
  dependenciesOf(state).filter(isDependencyOpen);

/** Required dependencies of the run, and of the branch that it lands on, that are open. One of a dropped task is none, until it is retried. */
const openRequirements = (state: RunState): readonly Dependency[] =>
  openDependencies(state).filter(
    ({ side, required, task }) => side === 'requires' && required && !isDropped(state, task),
  );

export const isDropped = ({ tasks }: RunState, task: TaskId | null): boolean =>
  task !== null && tasks[task]?.progress.status === 'dropped';

/** Tells whether the branch depends on it, and the run only lands there. */
export const isOfBranch = ({ side, branch }: Dependency): boolean => side === 'requires' && branch !== undefined;

/**
 * Dependencies that keep this wave open: no round of it is opened or merged. One of a task of a later wave does not, nor does one of the
 * branch.
 */
export const heldWave = (state: RunState, wave: number): readonly Dependency[] =>
  openRequirements(state).filter((one) => !isOfBranch(one) && (one.task === null || waveIn(state, one.task) <= wave));

/** Dependencies that keep the run from landing. One of a task whose wave is open does not: that task does not land yet. */
export const heldLanding = (state: RunState): readonly Dependency[] =>
  openRequirements(state).filter((one) =>
    isOfBranch(one)
      ? !landsOnOwnBranch(state.plan) && state.landing.status !== 'landed'
      : one.task === null || state.waves[waveIn(state, one.task)]?.closed !== false,
  );

/** The wave of a task in the plan in force; -1 for a task that the plan has no more, which holds every wave. */
const waveIn = ({ plan }: RunState, task: TaskId): number =>
  plan.waves.findIndex((wave) => everyTaskOf(wave).some(({ id }) => id === task));

/** Required dependencies of other runs on this one that are open. The run does not end as done while there is any. */
export const openDebts = (state: Pick<RunState, 'dependencies'>): readonly Dependency[] =>
  openDependencies(state).filter(({ side, required }) => side === 'owes' && required);

/** Tells whether a dependency, on either end, keeps the run from ending as done or landed. */
export const holdsEnd = (state: RunState): boolean =>
  heldLanding(state).some((one) => !isOfBranch(one)) || openDebts(state).length > 0;

/** A person has to decide: nothing that happens by itself resolves it. */
export const isForPerson = (dependency: Dependency): boolean =>
  dependency.status === 'unmet' || (dependency.side === 'requires' && otherRun(dependency) === null);

/** The runs whose facts may change a dependency of this one. */
export const linkedRuns = (state: Pick<RunState, 'dependencies'> | null): readonly RunId[] =>
  state === null
    ? []
    : [
        ...new Set(
          dependenciesOf(state)
            .filter((one) => isDependencyOpen(one) || isMetByLanding(one))
            .flatMap((one) => otherRun(one) ?? []),
        ),
      ];

/** Tells whether another run may still change a dependency of a run that has ended. */
export const isLinked = (state: Pick<RunState, 'dependencies'>): boolean =>
  openDependencies(state).some((one) => otherRun(one) !== null);

/** Says what an open dependency waits for. */
export function dependencyFinding({ run }: Pick<RunState, 'run'>, dependency: Dependency): Finding {
  const { id, side, other, text, unmet } = dependency;
  const branch = isOfBranch(dependency) ? dependency.branch : undefined;
  const words = boundedWords(text, 300);
  const facts = { run, dependency: id, named: endName(other), words, ...present({ unmet, branch }) };
  return { rule: side === 'requires' ? 'dependency-open' : 'dependency-owed', ...facts };
}
