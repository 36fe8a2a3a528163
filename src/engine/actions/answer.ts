import { ok } from '../../domain/base/result.ts';
import type { Action } from './action.ts';

/** `text` is null to close the record without an answer. */
type AnswerInput = { readonly record: string; readonly text: string | null };

/** Settles a question or a request on the board. */
export const answerAction: Action<'run', AnswerInput> = {
  name: 'answer',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'run',
  request: (_, { record, text }, by) => ok({ type: 'requested-answer', record, text, by }),
};
