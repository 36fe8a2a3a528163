import { present } from '../base/result.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import type { RunState, WaveState } from '../run/run.ts';
import { decideAct } from './acts.ts';
import { blockingRecords } from './blocking.ts';
import { type BoardRecord, isOfAgent, type Post, recordsOf } from './board.ts';
import { placeOf } from './board-requests.ts';

/**
 * Settles a question by a decision of a person that names the same path, component or record. Words are never compared, and a decision
 * of an agent settles nothing: otherwise it could answer itself. Null when there is nothing to settle.
 */
export function settledByPolicy(state: RunState, wave: WaveState, at: string): readonly RunEvent[] | null {
  for (const question of blockingRecords(state, wave.index)) {
    const decision = question.kind === 'question' ? decisionFor(state, question) : undefined;
    if (decision === undefined || isOfAgent(decision.from)) continue;
    const by: By = { who: decision.from.who, via: 'policy' };
    const decided = decideAct(state, { record: question.id, act: 'answer', text: decision.text }, by, at);
    if (!decided.ok) continue;
    const target = isOfAgent(question.from) ? question.from.task : 'all';
    const references = [`record:${question.id}`, `record:${decision.id}`];
    const post: Post = { kind: 'resolved-by-policy', target, text: decision.text, references };
    return [
      ...decided.value.map((change): RunEvent => ({ type: 'record-changed', ...change, by })),
      { type: 'record-posted', ...post, place: { ...placeOf(state, post, at), ...present({ of: question.id }) }, by },
    ];
  }
  return null;
}

const decisionFor = (state: RunState, { references = [] }: BoardRecord): BoardRecord | undefined =>
  references.length === 0
    ? undefined
    : recordsOf(state).find(
        ({ kind, from, references: named = [] }) =>
          kind === 'decision' && !isOfAgent(from) && named.some((one) => isPrecise(one) && references.includes(one)),
      );

/** A task that both name is not enough: everything is about some task. */
const isPrecise = (reference: string): boolean => !reference.startsWith('task:');
