import type { Finding } from '../findings/finding.ts';

/**
 * What is said of one tool call before it is carried out. An early warning: the snapshot's diff stays the gate. The sentence is for
 * the model; its fix is the command by which the agent may ask, absent where asking would not help.
 */
export type Decision = { readonly decision: 'allow' } | { readonly decision: 'deny'; readonly because: Finding };

export const allow: Decision = { decision: 'allow' };
