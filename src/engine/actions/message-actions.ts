import { err, ok, present, type Result } from '../../domain/base/result.ts';
import type { RecordAct } from '../../domain/board/acts.ts';
import type { PostDetails } from '../../domain/board/board.ts';
import { isRecordTarget, readPost, targetNamed } from '../../domain/board/board-requests.ts';
import type { Rule } from '../../domain/findings/finding.ts';
import type { By, RequestEvent } from '../../domain/ledger/requests.ts';
import { type Action, forPeople, type Misuse } from './action.ts';
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

type PostInput = {
  readonly kind: string;
  readonly target?: string | undefined;
  readonly text: string;
  readonly severity?: string | undefined;
} & { readonly [Part in keyof PostDetails]?: string | readonly string[] | undefined };

/** Posts to the board of a run: to a task, to `all` tasks or to a `person`. The default target is the subject. */
export const postAction: Action<'part', PostInput> = {
  name: 'post',
  ...forPeople,
  on: 'part',
  request: ({ task }, { target, ...input }, by) => postRequest({ ...input, target: target ?? task ?? undefined }, by),
};

function postRequest({ target, ...input }: PostInput, by: By): Result<RequestEvent, Misuse> {
  const read = readPost({ ...input, ...present({ target }) }, 'person');
  if (read.ok) return ok({ type: 'requested-post', ...read.value, by });
  const { rule } = read.error;
  if (rule === 'post-kind' || rule === 'post-poster')
    return err({ reason: 'bad-kind', because: read.error, field: 'kind' });
  return err({ reason: 'bad-post', because: read.error, field: fieldOf[rule] ?? 'text' });
}

/** Posts to the board of the repository: to `all` runs or to a `person`. */
export const postAboveAction: Action<'repository', PostInput> = {
  name: 'post-above',
  ...forPeople,
  on: 'repository',
  request: (_, input, by) => postRequest(input, by),
};

const fieldOf: Readonly<Partial<Record<Rule, string>>> = {
  'post-severity': 'severity',
  'post-target': 'target',
  'record-target': 'target',
  'post-reference': 'references',
  'post-depends': 'dependsOn',
  'post-priority': 'priority',
  'post-confidence': 'confidence',
};

/** A null `text` closes the record without an answer. */
type AnswerInput = { readonly record: string; readonly text: string | null };

/** Answers or closes a question or a request on the board. */
export const answerAction: Action<'run', AnswerInput> = {
  name: 'answer',
  ...forPeople,
  on: 'run',
  request: (_, { record, text }, by) => ok({ type: 'requested-answer', record, text, by }),
};

type RecordInput = {
  readonly record: string;
  readonly act: RecordAct;
  readonly text?: string | undefined;
  readonly to?: string | undefined;
};

/** Acts on a record of the board, with an answer or a reason. `to` is the task that gets it. */
export const recordAction: Action<'run', RecordInput> = {
  name: 'record',
  ...forPeople,
  on: 'run',
  request: (_, input, by) => recordRequest(input, by),
};

function recordRequest({ record, act, text, to }: RecordInput, by: By): Result<RequestEvent, Misuse> {
  const target = to === undefined ? undefined : targetNamed(to);
  if (target !== undefined && !isRecordTarget(target))
    return err({ reason: 'bad-target', because: { rule: 'record-target' }, field: 'to' });
  return ok({
    type: 'requested-record',
    record,
    act,
    ...present({ text, to: target }),
    by,
  });
}

/** Answers or closes a record of the repository's board. */
export const answerAboveAction: Action<'repository', AnswerInput> = {
  name: 'answer-above',
  ...forPeople,
  on: 'repository',
  request: (_, { record, text }, by) => ok({ type: 'requested-answer', record, text, by }),
};

/** Acts on a record of the repository's board. */
export const recordAboveAction: Action<'repository', RecordInput> = {
  name: 'record-above',
  ...forPeople,
  on: 'repository',
  request: (_, input, by) => recordRequest(input, by),
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
