import type { ExternalFact } from '../domain/ledger/dcm-events.ts';
import { countsOf, subtasksOfBatch, subtasksOfWave } from './counts.ts';
import { own, type Session } from './session.ts';

/** An event by DCM's names, as its documents have it; who sends it adds channel and timestamp. */
export type DcmEvent = {
  readonly event: 'wave.transitioned' | 'wave.completed' | 'wave.failed' | 'batch.created' | 'batch.completed';
  readonly data: Readonly<Record<string, unknown>>;
};

/**
 * What a fact means to those who listen for DCM's events. `after` is the session with the fact in it. Null: nothing.
 * One fact gives one event at most, and a fact is recorded once: nothing is told twice.
 */
export function dcmEventOf(event: ExternalFact, after: Session): DcmEvent | null {
  const session_id = after.session;
  switch (event.type) {
    case 'external-wave-started': {
      const before = after.waves.findLast(({ number }) => number < event.wave)?.number ?? event.wave - 1;
      return { event: 'wave.transitioned', data: { session_id, from: before, to: event.wave, status: 'running' } };
    }
    case 'external-wave-ended': {
      const { total, completed, failed } = countsOf(subtasksOfWave(after, event.wave));
      const wave = after.waves.find(({ number }) => number === event.wave);
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
