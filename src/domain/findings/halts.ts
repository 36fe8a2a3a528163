import type { CheckOutcome } from '../gates/evidence.ts';
import type { FindingOf } from './finding.ts';
import { boundedWords } from './words.ts';

export const checkUnrunnable = ({ name, because, tail }: CheckOutcome): FindingOf<'check-unrunnable'> => ({
  rule: 'check-unrunnable',
  check: name,
  because: because ?? null,
  words: boundedWords(tail),
});
