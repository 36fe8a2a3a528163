import { present } from '../base/result.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { By } from '../ledger/requests.ts';
import type { RunState, WaveState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import { decideAct } from './acts.ts';
import { allBlocking, blockingRecords } from './blocking.ts';
import { type Board, type BoardRecord, escalation, isOfAgent, type Post, recordsOf } from './board.ts';
import { placeOf } from './board-requests.ts';
import { clocksOf, unacknowledgedOf } from './clocks.ts';
import { nextOwner } from './routing.ts';

/**
 * Settles a question between tasks by the last decision of a person that names the same path, component or record. Words are never
 * compared, and a decision of an agent settles nothing: otherwise it could answer itself. What is asked of a person stays theirs. Null
 * when there is nothing to settle.
 */
export function settledByPolicy(state: RunState, wave: WaveState, at: string): readonly RunEvent[] | null {
  const decisions = decisionsOf(state);
  for (const question of blockingRecords(state, wave.index)) {
    const decision = isBetweenTasks(question) ? decisionFor(decisions, question) : undefined;
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

/**
 * Decides what happens to a question of an agent that nobody acknowledged in time: it goes to the next owner, at most twice in all, and
 * then also to a person. Neither closes it, and the escalation blocks with it. Null when there is nothing to do.
 */
export function routedOnward(state: RunState, at: string): readonly RunEvent[] | null {
  const questions = allBlocking(state).filter(({ kind, from }) => kind === 'question' && isOfAgent(from));
  for (const record of unacknowledgedOf(state, questions, at)) {
    const { id, target, text, rerouted = 0 } = record;
    if (target === 'person' || target === 'all') continue;
    const by: By = { who: 'tidegate', via: 'policy' };
    const most = policy.clarificationCycles;
    const unacknowledged = { cycle: rerouted + 1, most, seconds: clocksOf(state).acknowledgeSeconds };
    if (rerouted + 1 < most) {
      const { to, reason } = nextOwner(state, { ...record, target });
      const route = { asked: target, reason, unacknowledged };
      return [{ type: 'record-changed', record: id, act: 'reassign', status: 'open', at, to, route, by }];
    }
    const post = escalation(text);
    const route = { asked: target, reason: 'escalated', unacknowledged } as const;
    const place = { ...placeOf(state, post, at), of: record.of ?? id, route };
    return [{ type: 'record-posted', ...post, ...present({ references: record.references }), place, by }];
  }
  return null;
}

const isBetweenTasks = ({ kind, from, target }: BoardRecord): boolean =>
  kind === 'question' && isOfAgent(from) && target !== 'person' && target !== 'all';

const decisionsOnBoard = new WeakMap<Board, readonly BoardRecord[]>();

/** Decisions of people. One of the repository that was withdrawn does not count. A board never changes: looked through once. */
function decisionsOf(state: Pick<RunState, 'board'>): readonly BoardRecord[] {
  const known =
    decisionsOnBoard.get(state.board) ??
    recordsOf(state).filter(({ kind, status, from }) => kind === 'decision' && status === 'closed' && !isOfAgent(from));
  decisionsOnBoard.set(state.board, known);
  return known;
}

const decisionFor = (decisions: readonly BoardRecord[], { references = [] }: BoardRecord): BoardRecord | undefined =>
  decisions.findLast(({ references: named = [] }) => named.some((one) => isPrecise(one) && references.includes(one)));

/** A task that both name is not enough: everything is about some task. */
const isPrecise = (reference: string): boolean => !reference.startsWith('task:');
