import type { CheckOutcome } from '../evidence.ts';
import type { FindingOf } from './finding.ts';
import { boundedWords } from './words.ts';

export const checkUnrunnable = ({ name, tail }: CheckOutcome): FindingOf<'check-unrunnable'> => ({
  rule: 'check-unrunnable',
  check: name,
  words: boundedWords(tail),
});
