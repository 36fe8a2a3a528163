import { err, ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';
import { badMessage } from './message.ts';

/** Starts another attempt on top of what is there, with a message that says what to fix. */
export const reworkAction: Action<'task', { readonly message: string }> = {
  name: 'rework',
  who: 'anyone',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, { message }, by) => {
    const bad = badMessage(message);
    return bad === null ? ok({ type: 'requested-rework', task, message, by }) : err(bad);
  },
};
