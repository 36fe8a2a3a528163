import type { ContractEvidence, LoadEvidence } from '../domain/gates/evidence.ts';
import { type JudgeContext, judged } from '../domain/gates/judge.ts';

/** Phase 000, when a run is created: judges the order before anything else. */
export const contract = (context: JudgeContext, evidence: ContractEvidence) =>
  judged(context, { phase: 'contract', evidence });

/** Phase 0, when a run is created: judges the plan as it was read, and the repository where it will run. */
export const load = (context: JudgeContext, evidence: LoadEvidence) => judged(context, { phase: 'load', evidence });
