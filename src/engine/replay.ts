import { judge } from '../domain/judge.ts';
import type { Judgement } from '../domain/judgement.ts';
import { canonicalJson } from '../domain/plan.ts';
import { evolveRun, type RunState } from '../domain/run.ts';
import { contextOf } from '../pipeline/step.ts';
import type { Stored } from '../ports/ledger.ts';

export type Replayed = {
  /** What the events come to; null for a stream that holds only requests. */
  readonly state: RunState | null;
  /** How many recorded judgements were made again. */
  readonly judged: number;
  /** Where judging the same evidence again says something else than the ledger. Empty: the history decides itself. */
  readonly differences: readonly Difference[];
};

export type Difference = { readonly seq: number; readonly detail: string };

/**
 * Folds one stream from its first event and judges all recorded evidence again, each with the plan and the grants that
 * stood before it. Reads nothing but its argument. Whether the events are those that were stored is the chain's matter.
 */
export function replayRun(stored: readonly Stored[]): Replayed {
  const differences: Difference[] = [];
  let state: RunState | null = null;
  let judged = 0;
  for (const record of stored) {
    const { seq, event } = record;
    if (event.type === 'phase-judged') {
      judged += 1;
      const detail = state === null ? 'a judgement before the run was created' : differenceOf(state, event);
      if (detail !== null) differences.push({ seq, detail });
    }
    state = evolveRun(state, record);
  }
  return { state, judged, differences };
}

function differenceOf(state: RunState, recorded: Judgement): string | null {
  const again = canonicalJson(judge(contextOf(state), recorded));
  const then = canonicalJson(recorded.verdicts);
  return again === then ? null : `${recorded.phase} was judged ${then}; the same evidence gives ${again}`;
}
