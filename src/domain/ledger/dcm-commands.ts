/** What anyone may ask of a session. Ids of what is made are in it or follow from it, so that a repetition makes nothing new. */
export type ExternalCommand =
  | {
      readonly type: 'create-wave';
      readonly wave: number;
      readonly name: string | null;
      readonly description: string | null;
    }
  | { readonly type: 'start-wave'; readonly wave: number }
  /** Starts the wave after the one that was completed last. */
  | { readonly type: 'transition' }
  | {
      readonly type: 'submit-batch';
      readonly batch: string;
      readonly wave: number;
      /** `blockedBy` may name a subtask of the session, or a `taskId` of this very batch. */
      readonly subtasks: readonly NewSubtask[];
    }
  | ({ readonly type: 'update-subtask'; readonly subtask: string } & SubtaskChange)
  | { readonly type: 'complete-batch'; readonly batch: string; readonly failUnfinished: boolean }
  | ({ readonly type: 'record-action'; readonly action: string } & ActionReport);

export type SubtaskStatus = 'pending' | 'running' | 'paused' | 'blocked' | 'completed' | 'failed';

export type JsonObject = Readonly<Record<string, unknown>>;

export type NewSubtask = {
  readonly id: string;
  /** What the caller calls it. */
  readonly taskId: string;
  readonly agentType: string;
  readonly agentId: string | null;
  readonly description: string;
  /** 1 to 10, higher is more important. */
  readonly priority: number;
  readonly blockedBy: readonly string[];
  /** State captured when it was handed out. */
  readonly context: JsonObject | null;
};

export type SubtaskChange = {
  readonly status?: SubtaskStatus;
  readonly agentId?: string;
  readonly priority?: number;
  readonly blockedBy?: readonly string[];
  readonly result?: JsonObject;
  readonly context?: JsonObject;
};

/** One use of a tool. What went in and came out is not kept: it may hold anything, secrets too. */
export type ActionReport = {
  readonly subtask: string | null;
  readonly tool: string;
  readonly toolType: string;
  readonly exitCode: number;
  readonly durationMs: number | null;
  readonly files: readonly string[];
};
