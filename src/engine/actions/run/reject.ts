import { decision } from '../decision.ts';

/** Says no, for good. */
export const rejectAction = decision('reject');
