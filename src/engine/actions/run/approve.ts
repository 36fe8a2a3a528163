import { decision } from '../decision.ts';

/** Says yes to what a run asks: the start, or the landing. */
export const approveAction = decision('approve');
