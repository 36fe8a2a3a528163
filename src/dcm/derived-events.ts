import type { DcmFact } from '../domain/ledger/dcm-events.ts';
import type { DerivedEvent } from '../protocol/envelope.ts';
import { countsOf, type DcmSession, dcmWaveOf, own, subtasksOfBatch, subtasksOfWave } from './session.ts';

/**
 * Returns the event that DCM documents for a fact, or null. `after` is the session with the fact in it.
 * One fact gives at most one event, and a fact is recorded once: no event is sent twice.
 */
export function derivedEventOf(event: DcmFact, after: DcmSession): DerivedEvent | null {
  const session_id = after.session;
  switch (event.type) {
    case 'external-wave-started': {
      const before = after.waves.findLast(({ number }) => number < event.wave)?.number ?? event.wave - 1;
      return { event: 'wave.transitioned', data: { session_id, from: before, to: event.wave, status: 'running' } };
    }
    case 'external-wave-ended': {
      const { total, completed, failed } = countsOf(subtasksOfWave(after, event.wave));
      const wave = dcmWaveOf(after, event.wave);
      const duration =
        wave !== undefined && 'completedAt' in wave ? Date.parse(wave.completedAt) - Date.parse(wave.startedAt) : 0;
      return {
        event: `wave.${event.outcome}`,
        data: {
          session_id,
          wave_number: event.wave,
          completed_tasks: completed,
          failed_tasks: failed,
          total_tasks: total,
          duration_ms: Math.max(0, duration),
        },
      };
    }
    case 'external-batch-submitted':
      return {
        event: 'batch.created',
        data: {
          batch_id: event.batch,
          session_id,
          wave_number: event.wave,
          total_tasks: event.subtasks.length,
          subtask_ids: event.subtasks.map(({ id }) => id),
        },
      };
    case 'external-batch-completed': {
      const batch = own(after.batches, event.batch);
      if (batch === undefined) return null;
      const { completed, failed } = countsOf(subtasksOfBatch(after, batch));
      return {
        event: 'batch.completed',
        data: {
          batch_id: batch.id,
          session_id,
          wave_number: batch.wave,
          completed_tasks: completed,
          failed_tasks: failed,
          next_wave_ready: batch.end?.nextWaveReady ?? false,
        },
      };
    }
    case 'external-wave-created':
    case 'external-subtask-updated':
    case 'external-action-recorded':
    case 'external-key-used':
      return null;
  }
}
