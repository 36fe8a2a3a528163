import { sameStructure } from '../domain/findings/words.ts';
import { judge } from '../domain/gates/judge.ts';
import type { Verdict } from '../domain/gates/verdict.ts';
import { decisionVersions, gateVersions, phaseVersions } from '../domain/gates/versions.ts';
import { keepAtEnd } from '../domain/kept/discard.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { Difference, Earlier } from '../domain/ledger/replayed.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { settleAttempt } from '../domain/run/settle-attempt.ts';
import { contextOf } from '../pipeline/step.ts';
import type { Stored } from '../ports/ledger.ts';

type Replayed = {
  /** The folded state; null for a stream of requests only. */
  readonly state: RunState | null;
  /** The number of judgements that were repeated. */
  readonly judged: number;
  /** Empty when all decisions follow from the history. */
  readonly differences: readonly Difference[];
  readonly earlier: readonly Earlier[];
};

type Compared = Pick<Replayed, 'differences' | 'earlier'>;

/**
 * Folds one stream from its first event and judges all recorded evidence again, each with the plan and the grants that were in
 * force. Decides again which files no snapshot holds, and the settlement, with the limits that were recorded. Compares structure,
 * never words. Reads nothing but its argument. The hash chain, not this function, proves that the events are the stored ones.
 */
export function replayRun(stored: readonly Stored[]): Replayed {
  const compared: Compared[] = [];
  let state: RunState | null = null;
  let judged = 0;
  for (const record of stored) {
    const { seq, event } = record;
    if (event.type === 'phase-judged') {
      judged += 1;
      compared.push(compareVerdicts(state, seq, event));
    }
    if (event.type === 'attempt-ended') compared.push(compareKept(state, seq, event));
    if (event.type === 'attempt-settled') compared.push(compareDecision(state, seq, event));
    state = evolveRun(state, record);
  }
  return {
    state,
    judged,
    differences: compared.flatMap(({ differences }) => differences),
    earlier: compared.flatMap(({ earlier }) => earlier),
  };
}

function compareVerdicts(
  state: RunState | null,
  seq: number,
  recorded: RunEvent & { readonly type: 'phase-judged' },
): Compared {
  if (state === null) return differing(seq, 'a judgement before the run was created');
  const { phase, verdicts: then } = recorded;
  const isOfNow = ({ gate, version }: Verdict): boolean => version === gateVersions[gate];
  const earlier = then
    .filter((verdict) => !isOfNow(verdict))
    .map(({ gate, version }) => ({ seq, rules: gate, version }));
  const isOld = ({ gate, of }: Verdict): boolean =>
    then.some((verdict) => verdict.gate === gate && verdict.of === of && !isOfNow(verdict));
  const now = judge(contextOf(state), recorded);
  // a phase of another version may have had other gates: those that only one of the two has are not compared
  const isOther = recorded.version !== phaseVersions[phase];
  const isAlone = ({ gate }: Verdict, others: readonly Verdict[]): boolean =>
    isOther && others.every((other) => other.gate !== gate);
  const again = now.filter((verdict) => !isOld(verdict) && !isAlone(verdict, then));
  const compared = then.filter((verdict) => isOfNow(verdict) && !isAlone(verdict, now));
  const listed = isOther ? [...earlier, { seq, rules: `phase ${phase}`, version: recorded.version }] : earlier;
  if (sameStructure(again, compared)) return { differences: [], earlier: listed };
  const detail = `${phase} was judged ${canonicalJson(compared)}; the same evidence gives ${canonicalJson(again)}`;
  return { differences: [{ seq, detail }], earlier: listed };
}

function compareKept(
  state: RunState | null,
  seq: number,
  recorded: RunEvent & { readonly type: 'attempt-ended' },
): Compared {
  if (recorded.version !== decisionVersions.kept)
    return { differences: [], earlier: [{ seq, rules: 'kept', version: recorded.version }] };
  const { kept } = keepAtEnd(state?.tasks[recorded.task], recorded);
  if (sameStructure(kept, recorded.kept)) return { differences: [], earlier: [] };
  return differing(seq, `kept was ${canonicalJson(recorded.kept)}; the same end gives ${canonicalJson(kept)}`);
}

function compareDecision(
  state: RunState | null,
  seq: number,
  recorded: RunEvent & { readonly type: 'attempt-settled' },
): Compared {
  if (recorded.version !== decisionVersions.settlement)
    return { differences: [], earlier: [{ seq, rules: 'settlement', version: recorded.version }] };
  const task = state?.tasks[recorded.task];
  const again = task === undefined ? null : settleAttempt(task, recorded.limits);
  if (again !== null && sameStructure(again, recorded)) return { differences: [], earlier: [] };
  return differing(seq, `decided was ${canonicalJson(recorded)}; the same attempt gives ${canonicalJson(again)}`);
}

const differing = (seq: number, detail: string): Compared => ({ differences: [{ seq, detail }], earlier: [] });
