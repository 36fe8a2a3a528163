import { err, ok } from '../../../domain/base/result.ts';
import type { Action } from '../action.ts';
import { badMessage } from './message.ts';

/** Sends a message to an agent while it works. */
export const sendAction: Action<'task', { readonly message: string }> = {
  name: 'send',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'task',
  request: ({ task }, { message }, by) => {
    const bad = badMessage(message);
    return bad === null ? ok({ type: 'requested-send', task, message, by }) : err(bad);
  },
};
