import { decision } from '../decision.ts';

/** Puts the decision off; a later approve lifts it. */
export const holdAction = decision('hold');
