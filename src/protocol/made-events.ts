import type { LedgerEvent } from '../domain/events.ts';
import { passes } from '../domain/verdict.ts';
import type { MadeEvent } from './event-types.ts';

export type Made = { readonly event: MadeEvent; readonly data: Readonly<Record<string, unknown>> };

/**
 * What further follows from one event of a run, under the names that the API of sessions has for it. From this event alone, so
 * that whoever resumes behind any of them gets the same ones. A run of ours has no batches, and its waves wait instead of failing.
 */
export function madeFrom(run: string, event: LedgerEvent): readonly Made[] {
  if (event.type === 'wave-closed')
    return [{ event: 'wave.completed', data: { session_id: run, wave_number: event.wave, status: 'completed' } }];
  if (event.type === 'phase-judged' && event.phase === 'approval' && passes(event.verdicts)) {
    const { wave } = event;
    return [{ event: 'wave.transitioned', data: { session_id: run, from: wave - 1, to: wave, status: 'running' } }];
  }
  return [];
}
