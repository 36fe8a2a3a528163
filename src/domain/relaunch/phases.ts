import { closureRoles } from '../closure/roles.ts';

/** The parts of a wave from which on it can run again, in order. */
export const relaunchPhases = ['implementation', ...closureRoles] as const;
export type RelaunchPhase = (typeof relaunchPhases)[number];
