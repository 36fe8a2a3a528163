import type { Misuse } from '../action.ts';

/** Returns what is wrong with a message for an agent; null if nothing is. */
export const badMessage = (message: string): Misuse | null =>
  message.trim() === '' ? { reason: 'no-message', because: { rule: 'post-empty' }, field: 'message' } : null;
