import type { LedgerEvent } from './events.ts';
import type { By } from './requests.ts';

/** A fact of a DCM session (stream `external:<session>`), with the version of the rules that decided it. */
export type DcmEvent = DcmFact & { readonly version: number };

/** Counters are not recorded: they are derived. */
export type DcmFact =
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
      readonly subtasks: readonly NewDcmSubtask[];
      readonly by: By;
    }
  /** Holds only the fields that change. */
  | {
      readonly type: 'external-subtask-updated';
      readonly subtask: string;
      readonly status?: DcmSubtaskStatus;
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
    } & DcmAction)
  /** Every subtask of the batch is settled. */
  | ({ readonly type: 'external-batch-completed'; readonly batch: string; readonly by: By } & DcmBatchResult)
  /** The request that led to the facts before it had this Idempotency-Key. `asked` is the hash of that request. */
  | {
      readonly type: 'external-key-used';
      readonly key: string;
      readonly asked: string;
      /** The oldest key, when there are more than `limit`. */
      readonly forgets?: string;
      readonly limit?: number;
    };

export type DcmStageStatus = 'pending' | 'running' | 'completed' | 'failed';
export type DcmSubtaskStatus = DcmStageStatus | 'paused' | 'blocked';

export type JsonObject = Readonly<Record<string, unknown>>;

export type NewDcmSubtask = {
  readonly id: string;
  /** The caller's name for it. */
  readonly taskId: string;
  readonly agentType: string;
  readonly agentId: string | null;
  readonly description: string;
  /** 1 to 10, higher is more important. */
  readonly priority: number;
  readonly blockedBy: readonly string[];
  /** State that the caller captured when it submitted the subtask. */
  readonly context: JsonObject | null;
};

/** One use of a tool. Its input and output are not kept: they may hold anything, secrets too. */
export type DcmAction = {
  readonly subtask: string | null;
  readonly tool: string;
  readonly toolType: string;
  readonly exitCode: number;
  readonly durationMs: number | null;
  readonly files: readonly string[];
};

/** The decision about a batch when it was completed. */
export type DcmBatchResult = {
  /** Each once, as its agents reported them, in results and in actions. */
  readonly files: readonly string[];
  readonly conflicts: readonly DcmConflict[];
  readonly nextWaveReady: boolean;
};

/** Several subtasks that changed one file, or one that waits for others that failed. */
export type DcmConflict =
  | { readonly type: 'file_conflict'; readonly subtasks: readonly string[]; readonly file: string }
  | { readonly type: 'dependency_conflict'; readonly subtasks: readonly string[] };

export const isDcmEvent = (event: LedgerEvent): event is DcmEvent => event.type.startsWith('external-');
