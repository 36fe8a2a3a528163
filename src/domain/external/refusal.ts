/** `reason` is for programs, `why` for people, `next` what to do about it. */
export type Refusal = { readonly reason: RefusalReason; readonly why: string; readonly next: string | null };

export type RefusalReason =
  | 'unknown-wave'
  | 'unknown-batch'
  | 'unknown-subtask'
  | 'unfinished-wave'
  | 'ended-wave'
  | 'late-wave'
  | 'no-next-wave'
  | 'settled-subtask'
  | 'bad-transition'
  | 'blocked'
  | 'bad-blocker'
  | 'cycle'
  | 'unfinished-batch'
  | 'secret'
  | 'key-reused';

export const refuse = (reason: RefusalReason, why: string, next: string | null = null): Refusal => ({
  reason,
  why,
  next,
});
