import { safeLine } from '../domain/base/safe-text.ts';
import type { DcmEvent } from '../domain/ledger/dcm-events.ts';

/** Returns an event of a session that another program drives, as a line for people. Its texts come from that program. */
export function dcmLine(event: DcmEvent): string {
  switch (event.type) {
    case 'external-wave-created':
      return safeLine(`wave ${event.wave}: made${event.name === null ? '' : ` (${event.name})`}`);
    case 'external-wave-started':
      return `wave ${event.wave}: started`;
    case 'external-wave-ended':
      return `wave ${event.wave}: ${event.outcome}`;
    case 'external-batch-submitted':
      return `wave ${event.wave}: batch ${event.batch} with ${event.subtasks.length} tasks`;
    case 'external-subtask-updated':
      return `${event.subtask}: ${event.status ?? 'changed'}`;
    case 'external-action-recorded':
      return safeLine(`${event.subtask ?? 'the session'}: used ${event.tool}`);
    case 'external-batch-completed':
      return `batch ${event.batch}: completed`;
    case 'external-key-used':
      return `under the key ${event.key}`;
  }
}
