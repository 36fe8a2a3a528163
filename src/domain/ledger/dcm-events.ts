import type { ActionReport, JsonObject, NewSubtask, SubtaskStatus } from './dcm-commands.ts';
import type { LedgerEvent } from './events.ts';
import type { By } from './requests.ts';

/** What happened in a session that others drive (stream `external:<session>`), and the version of the rules that decided it. */
export type ExternalEvent = ExternalFact & { readonly version: number };

/** Counters are not here: they are derived. */
export type ExternalFact =
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
  /** `changes`: its files count as changed by the subtask. Absent: they do not. */
  | ({
      readonly type: 'external-action-recorded';
      readonly action: string;
      readonly changes?: true;
      readonly by: By;
    } & ActionReport)
  /** Every subtask of it is settled. */
  | ({ readonly type: 'external-batch-completed'; readonly batch: string; readonly by: By } & BatchResult)
  /** The facts before it were asked for under this key, if there are any; `asked` tells whether something else is. */
  | {
      readonly type: 'external-key-used';
      readonly key: string;
      readonly asked: string;
      /** The oldest key, when there are more than so many to remember. */
      readonly forgets?: string;
      readonly limit?: number;
    };

/** What was decided of a batch when it was completed. */
export type BatchResult = {
  /** Each once, as its agents reported them, in results and in actions. */
  readonly files: readonly string[];
  readonly conflicts: readonly SessionConflict[];
  readonly nextWaveReady: boolean;
};

/** Several subtasks that changed one file, or one that waits for others that failed. */
export type SessionConflict =
  | { readonly type: 'file_conflict'; readonly subtasks: readonly string[]; readonly file: string }
  | { readonly type: 'dependency_conflict'; readonly subtasks: readonly string[] };

export const isExternalEvent = (event: LedgerEvent): event is ExternalEvent => event.type.startsWith('external-');
