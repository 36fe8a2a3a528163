import { describeWithFix } from '../explain/explain.ts';
import type { CheckOutcome } from '../gates/evidence.ts';

/** Why a check could not run, if it could not, and the last that it printed. */
export const checkOutput = ({ because, tail }: CheckOutcome): string =>
  [because === undefined ? '' : describeWithFix(because), tail].filter(Boolean).join('\n');
