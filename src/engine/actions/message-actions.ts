import { err, ok } from '../../domain/base/result.ts';
import { type RecordKind, recordKinds } from '../../domain/board/board.ts';
import { targetNamed } from '../../domain/board/board-requests.ts';
import { type Action, forPeople } from './action.ts';
import { badMessage } from './task-actions.ts';

/** Sends a message to a running agent. */
export const sendAction: Action<'task', { readonly message: string }> = {
  name: 'send',
  ...forPeople,
  on: 'task',
  request: ({ task }, { message }, by) => {
    const bad = badMessage(message);
    return bad === null ? ok({ type: 'requested-send', task, message, by }) : err(bad);
  },
};

type PostInput = { readonly kind: string; readonly target?: string; readonly text: string };

/** Posts to the board of a run: to a task, to `all` tasks or to a `person`. The default target is the subject. */
export const postAction: Action<'part', PostInput> = {
  name: 'post',
  ...forPeople,
  on: 'part',
  request: ({ task }, { kind, target = task ?? 'all', text }, by) =>
    isKind(kind)
      ? ok({ type: 'requested-post', kind, target: targetNamed(target), text, by })
      : err({ reason: 'bad-kind', because: { rule: 'post-kind', kinds: recordKinds }, field: 'kind' }),
};

const isKind = (kind: string): kind is RecordKind => recordKinds.some((known) => known === kind);

/** A null `text` closes the record without an answer. */
type AnswerInput = { readonly record: string; readonly text: string | null };

/** Answers or closes a question or a request on the board. */
export const answerAction: Action<'run', AnswerInput> = {
  name: 'answer',
  ...forPeople,
  on: 'run',
  request: (_, { record, text }, by) => ok({ type: 'requested-answer', record, text, by }),
};

/** Lets the open wave close in spite of a barrier. The reason is recorded. */
export const resolveAction: Action<'run', { readonly barrier: string; readonly reason: string }> = {
  name: 'resolve',
  ...forPeople,
  on: 'run',
  request: (_, { barrier, reason }, by) =>
    reason.trim() === ''
      ? err({ reason: 'no-message', because: { rule: 'resolve-reason' }, field: 'reason' })
      : ok({ type: 'requested-resolve', barrier, reason, by }),
};
