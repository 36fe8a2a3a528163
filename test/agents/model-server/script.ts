/** What a scripted model says, the same for every dialect. */
export interface Script {
  readonly turns: readonly Turn[];
}

/** One answer of the model. The faults are served first, one per request, so that a retry meets the next one. */
export interface Turn {
  readonly faults?: readonly Fault[];
  readonly text?: string;
  readonly calls?: readonly Call[];
  readonly usage?: Usage;
  /** Milliseconds between two events of the stream. */
  readonly pace?: number;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** A tool call in neutral words; `raw` is the vendor's own. */
export type Call =
  | { readonly tool: 'write'; readonly path: string; readonly content: string }
  | { readonly tool: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  | { readonly tool: 'bash'; readonly command: string }
  | { readonly tool: 'read'; readonly path: string; readonly offset?: number; readonly limit?: number }
  /** One of Tidegate's own, by MCP. */
  | { readonly tool: 'mcp'; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly tool: 'raw'; readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** `times` defaults to once; `always` never lets the turn through. */
export type Fault = { readonly times?: number | 'always' } & (
  | { readonly fault: 'rate-limited'; readonly retryAfter?: number; readonly resetAt?: string }
  | { readonly fault: 'overloaded'; readonly retryAfter?: number }
  | { readonly fault: 'unauthorized' }
  | { readonly fault: 'prompt-too-long' }
  | { readonly fault: 'status'; readonly status: number; readonly message: string }
  | { readonly fault: 'dropped' }
  | { readonly fault: 'malformed' }
  | { readonly fault: 'overloaded-mid-stream' }
  /** Answers nothing until the script is released or the client leaves. */
  | { readonly fault: 'hang'; readonly after: 'nothing' | 'half' }
);

export const over: Turn = { text: 'The script is over.' };

/** The fault that the `attempt`-th request for a turn meets, counted from 0; null when the turn is let through. */
export function faultFor(turn: Turn, attempt: number): Fault | null {
  let left = attempt;
  for (const fault of turn.faults ?? []) {
    const times = fault.times === 'always' ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
    if (left < times) return fault;
    left -= times;
  }
  return null;
}
