import type { ContractEvidence } from '../domain/gates/evidence.ts';
import { type JudgeContext, judged } from '../domain/gates/judge.ts';

/** Phase 000, when a run is created: judges the order before anything else. */
export const contract = (context: JudgeContext, evidence: ContractEvidence) =>
  judged(context, { phase: 'contract', evidence });
