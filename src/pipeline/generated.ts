import { describeFinding } from '../domain/explain/explain.ts';
import { generatedPaths, generatorFailure } from '../domain/generated.ts';
import type { BuiltRound, RoundStep } from '../domain/round.ts';
import type { RunState } from '../domain/run.ts';
import { shellWord } from '../domain/shell-word.ts';
import { few, onOneLine } from '../domain/texts/told.ts';
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
    const why = `the generated files (${generatedPaths(plan).join(', ')}) could not be rebuilt`;
    const failed = {
      steps: round.steps,
      why,
      detail: describeFinding(failure),
      log: `tidegate logs ${run} --generated`,
    };
    return [round.outcome.ending.reason === 'exited' ? blameTogether(state, at, failed) : giveUp(state, at, failed)];
  }
  const request = { do: 'add-generated', run, ...at } as const;
  return [effect(`add-generated ${key}`, { do: 'ask-merger', request, answers: null })];
}

type At = { readonly wave: number; readonly round: number };
/** `log` is what to type for all of the output. */
type Failed = {
  readonly steps: readonly RoundStep[];
  readonly why: string;
  readonly detail: string;
  readonly log: string;
};

/**
 * The tasks of a candidate with generated files fail together. The next rounds take fewer of them, until one is found to blame. With
 * `partial: hold` nothing may be merged before everything is, so there a person looks; nobody is held, and dropping the task
 * that breaks it lets the others be integrated as they are.
 */
export function blameTogether(state: RunState, at: At, failed: Failed): Step {
  const { steps, why } = failed;
  if (steps.length < 2 || state.plan.partial === 'hold') return giveUp(state, at, failed);
  return fact({ type: 'round-abandoned', ...at, why: `${why}; fewer tasks are tried`, suspects: steps.length });
}

/** In one append, so that no round is opened again before a person has seen it. A stopped run stays stopped. */
function giveUp({ run, mode }: RunState, at: At, { steps, why, detail, log }: Failed): Step {
  const abandoned = { type: 'round-abandoned', ...at, why } as const;
  const [first] = steps;
  const names = steps.map((step) => step.task);
  const task = `${run}/${first?.task ?? ''}`;
  const broke = names.length === 1 ? 'if a task broke it,' : `if one of ${few(names)} broke it, here for the first:`;
  const ways = `tidegate drop ${task} or tidegate rework ${task} -m ${shellWord(why)}`;
  const fix = onOneLine(`${log}; ${broke} ${ways}`, `tidegate resume ${run}`);
  return mode.mode === 'active'
    ? fact(abandoned, { type: 'run-halted', why: `${why}: ${detail}`, fix })
    : fact(abandoned);
}
