import { fingerprint } from '../base/fingerprint.ts';
import type { Settled } from '../tool-calls/seen-call.ts';
import { type Trip, tripCount } from './trip.ts';

/** The calls at the end of the stream that are all the same, with the same result; null before the first. */
export type Repetition = { readonly key: string; readonly result: string; readonly times: number } | null;

/**
 * The third identical call in a row with an identical result. Another call in between, or another result, begins anew:
 * running the tests after each edit and asking how far a job is are work.
 */
export function countRepetition(
  before: Repetition,
  { call, outcome, text }: Settled,
): { readonly repetition: Repetition; readonly trip: Trip | null } {
  if (call.waits) return { repetition: null, trip: null };
  const result = fingerprint(`${outcome} ${text}`);
  const times = before?.key === call.key && before.result === result ? before.times + 1 : 1;
  const repetition = { key: call.key, result, times };
  if (times < tripCount) return { repetition, trip: null };
  return {
    repetition,
    trip: { pattern: 'turn-key-repetition', file: call.file, occurrences: times, class: null, words: [call.shown] },
  };
}

/** The last call changed something after all, so it is the first of whatever follows. */
export const afterChange = (before: Repetition): Repetition => before && { ...before, times: 1 };
