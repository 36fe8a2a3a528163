import type { TaskId } from '../domain/base/ids.ts';
import type { FindingOf } from '../domain/findings/finding.ts';
import type { BuiltRound } from '../domain/run/round.ts';
import type { RunState } from '../domain/run/run.ts';
import { generatedPaths, generatorFailure } from '../domain/scope/generated.ts';
import { effect, fact, type Step } from './step.ts';

/**
 * Part of phase 5: generated files are rebuilt on the integrated tree, so that the checks see what will be merged.
 * Null: there is nothing to rebuild, or it is done. When the commands fail, smaller rounds look for the task that makes them
 * fail. The failure itself holds nobody: it may be the commands' own, so a person looks; after `resume` a new round tries again.
 */
export function rebuildGenerated(state: RunState, at: At, round: BuiltRound): readonly Step[] | null {
  const { run, plan } = state;
  const key = `${at.wave}.${at.round}`;
  if (round.status === 'built') {
    if (round.tip === null || generatedPaths(plan).length === 0) return null;
    return [effect(`generate ${key}`, { do: 'generate', ...at, commit: round.tip.commit })];
  }
  if (round.status === 'completed') return null;
  const failure = generatorFailure(plan, round.outcome);
  if (failure !== null) {
    const tasks = round.steps.map(({ task }) => task);
    const failed: Failed = { rule: 'round-generated', paths: generatedPaths(plan), because: failure };
    const isTheirs = round.outcome.ending.reason === 'exited';
    return [isTheirs ? blameTogether(state, at, tasks, failed) : giveUp(state, at, tasks, failed)];
  }
  const request = { do: 'add-generated', run, ...at } as const;
  return [effect(`add-generated ${key}`, { do: 'ask-merger', request, answers: null })];
}

type At = { readonly wave: number; readonly round: number };
type Failed = FindingOf<'round-check' | 'round-generated'>;

/**
 * The tasks of a candidate with generated files fail together. The next rounds take fewer of them, until one is found to blame. With
 * `partial: hold` nothing may be merged before everything is, so there a person looks; nobody is held, and dropping the task
 * that breaks it lets the others be integrated as they are.
 */
export function blameTogether(state: RunState, at: At, tasks: readonly TaskId[], because: Failed): Step {
  if (tasks.length < 2 || state.plan.partial === 'hold') return giveUp(state, at, tasks, because);
  return fact({ type: 'round-abandoned', ...at, because, suspects: tasks.length });
}

/** In one append, so that no round is opened again before a person has seen it. A stopped run stays stopped. */
function giveUp({ run, mode }: RunState, at: At, tasks: readonly TaskId[], because: Failed): Step {
  const abandoned = { type: 'round-abandoned', ...at, because } as const;
  return mode.mode === 'active'
    ? fact(abandoned, { type: 'run-halted', because: { rule: 'round-unblamed', run, tasks, because } })
    : fact(abandoned);
}
