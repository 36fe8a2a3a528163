import { dependencyFinding, isForPerson, isOfBranch } from '../dependencies/blocks.ts';
import { type Dependency, endName, otherRun } from '../dependencies/dependency.ts';
import { currentWave, type RunState } from '../run/run.ts';
import type { Advice } from './advice.ts';
import { describeFinding } from './explain.ts';
import { endDependencyCommand } from './sentences/dependency-sentences.ts';
import { brief } from './text.ts';

/** Explains an open dependency at one of its ends, with the command that a person runs next. */
export function dependencyAdvice(state: RunState, dependency: Dependency): Advice {
  const { id, side, other, status } = dependency;
  const message = brief(describeFinding(dependencyFinding(state, dependency)), 400);
  const cancel = endDependencyCommand(id, 'cancel');
  const resolve = endDependencyCommand(id);
  if (side === 'owes') {
    const safe = `${state.run} does not end until you decide; its work is kept`;
    return status === 'unmet'
      ? { message, safe, command: cancel }
      : { message, safe, lines: [`if it is not needed any more: ${cancel}`], command: resolve };
  }
  const owing = otherRun(dependency);
  const branch = isOfBranch(dependency) ? dependency.branch : undefined;
  const isLanding = branch !== undefined || currentWave(state) === undefined;
  const held = isLanding
    ? `nothing lands${branch === undefined ? '' : ` on ${branch}`}`
    : 'nothing of this wave is merged';
  if (owing === null || isForPerson(dependency))
    return {
      message,
      safe: `${held} until you decide`,
      lines: [`if it is not needed any more: ${cancel}`],
      command: resolve,
    };
  return {
    message,
    safe: `${held} until ${endName(other)} has landed on ${state.target.branch}`,
    lines: [`to decide it yourself: ${resolve}`],
    command: `tidegate why ${owing}`,
  };
}

/** Names the runs that depend on this one, for the person who lands it. */
export const debtLines = (state: RunState, debts: readonly Dependency[]): readonly string[] =>
  debts.map((debt) => brief(describeFinding(dependencyFinding(state, debt)), 300));
