import type { By, LedgerEvent } from '../events.ts';
import type { ActionReport, JsonObject, NewSubtask, SubtaskStatus } from './command.ts';

/** What happened in a session that others drive (stream `external:<session>`). Counters are not here: they are derived. */
export type ExternalEvent =
  | {
      readonly type: 'external-wave-created';
      readonly wave: number;
      readonly id: string;
      readonly name: string | null;
      readonly description: string | null;
      readonly by: By;
    }
  | { readonly type: 'external-wave-started'; readonly wave: number; readonly by: By }
  /** All its subtasks are settled; `failed` if one of them failed. */
  | { readonly type: 'external-wave-ended'; readonly wave: number; readonly outcome: 'completed' | 'failed' }
  | {
      readonly type: 'external-batch-submitted';
      readonly batch: string;
      readonly wave: number;
      readonly subtasks: readonly NewSubtask[];
      readonly by: By;
    }
  /** Only what changes is there. */
  | {
      readonly type: 'external-subtask-updated';
      readonly subtask: string;
      readonly status?: SubtaskStatus;
      readonly agentId?: string;
      readonly priority?: number;
      readonly blockedBy?: readonly string[];
      readonly result?: JsonObject;
      readonly context?: JsonObject;
      readonly by: By;
    }
  | ({ readonly type: 'external-action-recorded'; readonly action: string; readonly by: By } & ActionReport)
  /** Every subtask of it is settled; what came of them is put together as of here. */
  | { readonly type: 'external-batch-completed'; readonly batch: string; readonly by: By }
  /** The facts before it were asked for under this key, if there are any; `asked` tells whether something else is. */
  | { readonly type: 'external-key-used'; readonly key: string; readonly asked: string };

export const isExternalEvent = (event: LedgerEvent): event is ExternalEvent => event.type.startsWith('external-');
