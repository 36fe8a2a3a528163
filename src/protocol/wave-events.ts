import type { DcmEvent } from '../dcm/derived-events.ts';
import { passes } from '../domain/gates/verdict.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';

/**
 * What an event of a run of ours means to those who listen for waves. From this event alone, so that whoever resumes at any of them
 * gets the same ones. Such a run has no batches, and its waves wait for a person instead of failing.
 */
export function waveEventOf(run: string, event: LedgerEvent): DcmEvent | null {
  if (event.type === 'wave-closed')
    return { event: 'wave.completed', data: { session_id: run, wave_number: event.wave } };
  if (event.type !== 'phase-judged' || event.phase !== 'approval' || !passes(event.verdicts)) return null;
  const data = { session_id: run, from: event.wave - 1, to: event.wave, status: 'running' };
  return { event: 'wave.transitioned', data };
}
