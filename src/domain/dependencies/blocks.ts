import type { RunId, TaskId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import { everyTaskOf } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { type Dependency, endName, isDependencyOpen, otherRun } from './dependency.ts';

export const dependenciesOf = ({ dependencies = [] }: Pick<RunState, 'dependencies'>): readonly Dependency[] =>
  dependencies;

export const openDependencies = (state: Pick<RunState, 'dependencies'>): readonly Dependency[] =>
  dependenciesOf(state).filter(isDependencyOpen);

/** Required dependencies of the run that are open. With one of them no round is opened or merged, no wave closes and nothing lands. */
const openRequirements = (state: RunState): readonly Dependency[] =>
  openDependencies(state).filter(({ side, required }) => side === 'requires' && required);

/** Dependencies that keep this wave open. One of a task of a later wave does not. */
export const heldWave = (state: RunState, wave: number): readonly Dependency[] =>
  openRequirements(state).filter(({ task }) => task === null || waveIn(state, task) <= wave);

/** Dependencies that keep the run from landing. One of a task whose wave is open does not: that task does not land yet. */
export const heldLanding = (state: RunState): readonly Dependency[] =>
  openRequirements(state).filter(({ task }) => task === null || state.waves[waveIn(state, task)]?.closed !== false);

/** The wave of a task in the plan in force; -1 for a task that the plan has no more, which holds every wave. */
const waveIn = ({ plan }: RunState, task: TaskId): number =>
  plan.waves.findIndex((wave) => everyTaskOf(wave).some(({ id }) => id === task));

/** Required dependencies of other runs on this one that are open. The run does not end as done while there is any. */
export const openDebts = (state: Pick<RunState, 'dependencies'>): readonly Dependency[] =>
  openDependencies(state).filter(({ side, required }) => side === 'owes' && required);

/** Tells whether a dependency, on either end, keeps the run from ending as done or landed. */
export const holdsEnd = (state: RunState): boolean => heldLanding(state).length + openDebts(state).length > 0;

/** A person has to decide: nothing that happens by itself resolves it. */
export const isForPerson = (dependency: Dependency): boolean =>
  dependency.status === 'unmet' || otherRun(dependency) === null;

/** The runs at the other ends of open dependencies. */
export const linkedRuns = (state: Pick<RunState, 'dependencies'> | null): readonly RunId[] =>
  state === null ? [] : [...new Set(openDependencies(state).flatMap((one) => otherRun(one) ?? []))];

/** Says what an open dependency waits for. */
export function dependencyFinding({ run }: Pick<RunState, 'run'>, dependency: Dependency): Finding {
  const { id, side, other, text, unmet } = dependency;
  const facts = { run, dependency: id, named: endName(other), words: boundedWords(text, 300), ...present({ unmet }) };
  return { rule: side === 'requires' ? 'dependency-open' : 'dependency-owed', ...facts };
}
