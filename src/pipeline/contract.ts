import type { RunEvent } from '../domain/events.ts';
import type { ContractEvidence } from '../domain/evidence.ts';
import { type Context, judged } from '../domain/judge.ts';

/** Phase 000, when a run is made: nothing else is looked at before its request is in order. */
export const contract = (context: Context, evidence: ContractEvidence): RunEvent =>
  judged(context, { phase: 'contract', evidence });
