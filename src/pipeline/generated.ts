import { generatedPaths, generatorFailure } from '../domain/generated.ts';
import type { BuiltRound } from '../domain/round.ts';
import type { RunState } from '../domain/run.ts';
import { effect, fact, type Step } from './step.ts';

/**
 * Part of phase 5: generated files are rebuilt on the integrated tree, so that the checks see what will be merged.
 * Null: there is nothing to rebuild, or it is done. A failure holds nobody: whose fault it is cannot be told, so a
 * person looks; after `resume` a new round tries again.
 */
export function rebuildGenerated(
  state: RunState,
  at: { readonly wave: number; readonly round: number },
  round: BuiltRound,
): readonly Step[] | null {
  const { run, plan } = state;
  const key = `${at.wave}.${at.round}`;
  if (round.status === 'built') {
    if (round.tip === null || generatedPaths(plan).length === 0) return null;
    return [effect(`generate ${key}`, { do: 'generate', ...at, commit: round.tip.commit })];
  }
  if (round.status === 'completed') return null;
  const failure = generatorFailure(plan, round.outcome);
  if (failure !== null) return [giveUp(state, at, round, failure)];
  const request = { do: 'add-generated', run, ...at } as const;
  return [effect(`add-generated ${key}`, { do: 'ask-merger', request, answers: null })];
}

/** In one append, so that no round is opened again before a person has seen it. A stopped run stays stopped. */
function giveUp(
  state: RunState,
  at: { readonly wave: number; readonly round: number },
  round: BuiltRound,
  failure: string,
): Step {
  const why = `the generated files (${generatedPaths(state.plan).join(', ')}) could not be rebuilt`;
  const abandoned = { type: 'round-abandoned', ...at, why } as const;
  const [first] = round.steps;
  const task = round.steps.length === 1 && first !== undefined ? first.task : '<task>';
  const fix = `tidegate rework ${state.run}/${task} -m "…" if a task broke it, then tidegate resume ${state.run}`;
  return state.mode.mode === 'active'
    ? fact(abandoned, { type: 'run-halted', why: `${why}: ${failure}`, fix })
    : fact(abandoned);
}
