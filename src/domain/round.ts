import type { RunEvent } from './events.ts';
import type { GeneratorOutcome } from './evidence.ts';
import type { Finding } from './findings/finding.ts';
import type { CommitId, TaskId, TreeId } from './ids.ts';
import { passes, type Verdict } from './verdict.ts';

/**
 * One integration of a wave's ready tasks: opened ─▶ built ─▶ closing ─▶ merging ─▶ merged, or abandoned when what it
 * was built of no longer stands (a conflict, a culprit). With generated files built ─▶ generated ─▶ completed ─▶ closing.
 * Nothing moves before `merging`.
 */
export type RoundState = { readonly round: number; readonly base: CommitId; readonly tasks: readonly RoundTask[] } & (
  | { readonly status: 'opened' }
  | ({ readonly status: 'built' } & Candidate)
  | ({ readonly status: 'generated'; readonly outcome: GeneratorOutcome } & Candidate)
  | ({ readonly status: 'completed' } & Candidate)
  | ({ readonly status: 'closing'; readonly closed: readonly Verdict[] } & Candidate)
  | ({ readonly status: 'merging'; readonly closed: readonly Verdict[] } & Candidate)
  | ({
      readonly status: 'merged';
      readonly closed: readonly Verdict[];
      readonly old: CommitId;
      readonly new: CommitId;
      readonly judged: boolean;
    } & Candidate)
  | { readonly status: 'abandoned'; readonly because: Finding; readonly suspects: number }
);

/** `tip` is what would become the run branch: the last step, or the commit on it that rebuilds generated files. */
type Candidate = { readonly steps: readonly RoundStep[]; readonly tip: Tip | null };
export type Tip = { readonly commit: CommitId; readonly tree: TreeId };
/** There is a candidate, and the gates have not judged it yet. */
export type BuiltRound = Extract<RoundState, { readonly status: 'built' | 'generated' | 'completed' }>;

type RoundTask = { readonly task: TaskId; readonly snapshot: CommitId };
export type RoundStep = { readonly task: TaskId } & Tip;

export function evolveRound(state: RoundState, event: RunEvent): RoundState {
  const { round, base, tasks } = state;
  const same = { round, base, tasks };
  switch (event.type) {
    case 'candidate-built':
      return state.status === 'opened' ? { ...same, status: 'built', ...candidateOf(event.steps) } : state;
    case 'generator-ended': {
      if (state.status !== 'built') return state;
      const { ending, snapshot, log, tail } = event;
      return { ...state, status: 'generated', outcome: { ending, snapshot, log, tail } };
    }
    case 'candidate-completed': {
      if (state.status !== 'generated') return state;
      const tip = { commit: event.commit, tree: event.tree };
      return { ...same, status: 'completed', steps: state.steps, tip };
    }
    case 'phase-judged':
      if (event.phase === 'closure' && (state.status === 'built' || state.status === 'completed'))
        return { ...state, status: 'closing', closed: event.verdicts };
      if (event.phase === 'merge' && state.status === 'merged') return { ...state, judged: passes(event.verdicts) };
      return state;
    case 'merge-intended':
      return state.status === 'closing' ? { ...state, status: 'merging' } : state;
    case 'merged':
      if (state.status !== 'merging') return state;
      return { ...state, status: 'merged', old: event.old, new: event.new, judged: false };
    case 'round-abandoned':
      return { ...same, status: 'abandoned', because: event.because, suspects: event.suspects ?? 0 };
    default:
      return state;
  }
}

function candidateOf(steps: readonly RoundStep[]): Candidate {
  const last = steps.at(-1);
  return { steps, tip: last === undefined ? null : { commit: last.commit, tree: last.tree } };
}

export const isOpen = (state: RoundState | undefined): state is RoundState =>
  state !== undefined && state.status !== 'abandoned' && !(state.status === 'merged' && state.judged);

/**
 * How many tasks the next round may take; null: all that are ready. Where a prefix cannot be checked by itself, because its generated
 * files are made for a whole candidate, the task that breaks it is found by rounds of half the suspects: one that passes is
 * merged and leaves the other half, one that fails leaves its own.
 */
export function nextRoundSize(rounds: readonly RoundState[]): number | null {
  let suspects = 0;
  for (const round of rounds) {
    if (round.status === 'abandoned') suspects = round.suspects;
    else if (round.status === 'merged') suspects = Math.max(0, suspects - round.steps.length);
  }
  return suspects === 0 ? null : Math.max(1, Math.floor(suspects / 2));
}

/** How often a candidate may be checked while looking for the task that breaks it. */
export const bisectRuns = 8;

type Bisection =
  /** Check this prefix of the steps next. */
  | { readonly next: 'check'; readonly prefix: number }
  | { readonly next: 'culprit'; readonly index: number }
  /** The runs are used up: everything in the remaining range is suspect. */
  | { readonly next: 'give-up'; readonly from: number; readonly to: number };

/**
 * Finds the first prefix that fails, given that none (length 0) passes and all (length `steps`) fail.
 * `outcome(n)` says what is known of the prefix of length n.
 */
export function bisect(
  steps: number,
  outcome: (prefix: number) => 'passed' | 'failed' | 'unknown',
  limit = bisectRuns,
): Bisection {
  let good = 0;
  let bad = steps;
  for (let runs = 1; bad - good > 1; runs += 1) {
    const middle = good + Math.floor((bad - good) / 2);
    const known = outcome(middle);
    if (known === 'unknown')
      return runs >= limit ? { next: 'give-up', from: good, to: bad - 1 } : { next: 'check', prefix: middle };
    if (known === 'passed') good = middle;
    else bad = middle;
  }
  return { next: 'culprit', index: bad - 1 };
}
