import type { BoundThread, ThreadEvidence } from '../gates/evidence.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { WaveState } from './run.ts';

/** Returns the thread that a judgement of phase `thread` bound, which posts go to. */
export function boundBy(event: RunEvent & { readonly type: 'phase-judged' }): Pick<WaveState, 'bound'> {
  return event.phase === 'thread' && isBound(event.evidence) ? { bound: event.evidence } : {};
}

export const isBound = (evidence: ThreadEvidence): evidence is BoundThread =>
  (['intake', 'threads', 'log'] as const).some((board) => board === evidence.board);
