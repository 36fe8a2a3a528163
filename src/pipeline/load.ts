import type { LoadEvidence } from '../domain/gates/evidence.ts';
import { type JudgeContext, judged } from '../domain/gates/judge.ts';

/** Phase 0, when a run is made: the plan as it was read, in the repository where it is to run. */
export const load = (context: JudgeContext, evidence: LoadEvidence) => judged(context, { phase: 'load', evidence });
