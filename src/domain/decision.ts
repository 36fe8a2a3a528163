/** What is said of one tool call before it is carried out. An early warning: the snapshot's diff stays the gate. */
export type Decision =
  | { readonly decision: 'allow' }
  | {
      readonly decision: 'deny';
      readonly rule: string;
      /** For the model: what is not allowed, and why. */
      readonly why: string;
      /** The command by which the agent may ask for it; null where asking would not help. */
      readonly ask: string | null;
    };

export const allow: Decision = { decision: 'allow' };
