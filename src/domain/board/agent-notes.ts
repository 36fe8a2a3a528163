import type { AgentNote } from '../agents/agent-note.ts';
import type { AttemptId, TaskId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import type { RunEvent } from '../ledger/events.ts';
import { plannedById } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { decideAct } from './acts.ts';
import { escalation, recordById } from './board.ts';
import { placeOf, readPost, unknownDependency } from './board-requests.ts';
import type { Poster } from './kinds.ts';
import { inboxOf } from './views.ts';

type OnBoard = Pick<RunEvent & { readonly type: 'attempt-noted' }, 'place' | 'changes' | 'refused'>;

/**
 * Decides what a note of an agent does to the board. The agent is known by its attempt, whatever the note says. Its supervisor judged
 * the note before, on what it knew then.
 */
export function decideNote(
  state: RunState,
  agent: { readonly task: TaskId; readonly attempt: AttemptId },
  note: AgentNote,
  at: string,
): OnBoard {
  if (note.note === 'posted') {
    const read = readPost(note, posterOf(state, agent.task));
    if (!read.ok) return { refused: read.error };
    const unknown = unknownDependency(state, read.value);
    return unknown === null ? { place: placeOf(state, read.value, at, agent.task) } : { refused: unknown };
  }
  if (note.note !== 'acted') return {};
  const { record, act, text } = note;
  // its supervisor tells it that it does not know the record
  if (!inboxOf(state, agent.task).records.some(({ id }) => id === record))
    return { refused: { rule: 'record-unknown', record } };
  const decided = decideAct(state, { record, act, ...present({ text }) }, agent, at);
  if (!decided.ok) return { refused: decided.error };
  if (act !== 'escalate') return { changes: decided.value };
  const of = recordById(state, record)?.of ?? record;
  return { changes: decided.value, place: { ...placeOf(state, escalation(text ?? ''), at), of } };
}

const posterOf = ({ plan }: RunState, task: TaskId): Poster =>
  plannedById(plan, task)?.closes === 'integration' ? 'integration' : 'agent';
