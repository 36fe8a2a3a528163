import type { Finding } from '../findings/finding.ts';

/**
 * One thing that an agent does, in words that fit all agents. Each executor translates its agent's own stream into these events;
 * breaker, governor, transcript and costs read nothing else. They warn early and make a record; whether a task is done is judged
 * from the snapshot.
 */
export type AgentEvent =
  /** `session` is the id with which the agent resumes it. */
  | { readonly type: 'started'; readonly session: string | null; readonly model: string | null }
  /** One answer of the model. Its tool calls follow as events of their own. */
  | { readonly type: 'turn'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'tool-result'; readonly id: string; readonly outcome: 'ok' | 'failed'; readonly text: string }
  /** The call was not carried out. The rule is `agent-denied` when the agent's own settings refused it. */
  | { readonly type: 'denied'; readonly call: ToolCall; readonly because: Finding }
  /** Digest of a file that a call may have changed, read after the call; null when the file is gone. */
  | { readonly type: 'file-seen'; readonly path: string; readonly digest: string | null }
  /** The total of this attempt so far, never a difference. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** The provider refused or broke off; the agent keeps trying by itself. */
  | { readonly type: 'provider-trouble'; readonly trouble: AgentFailure }
  | { readonly type: 'output'; readonly text: string }
  /** A person's message has reached the agent. */
  | { readonly type: 'told'; readonly text: string }
  /** A line of the agent's stream that we do not know: kept and counted, never fatal. */
  | { readonly type: 'unknown'; readonly line: string }
  /** The agent's own report of its end, before its process ends. */
  | { readonly type: 'ended'; readonly outcome: 'completed' | 'failed'; readonly trouble: AgentFailure | null };

export type ToolCall = {
  readonly id: string;
  /** The agent's own name for the tool. */
  readonly tool: string;
  readonly kind: ToolKind;
  /** The paths as the agent spelled them: absolute, or relative to the workspace. */
  readonly paths: readonly string[];
  /** Set for `run`. */
  readonly command: string | null;
  /** The directory of a `run`, if the agent names it. Absent: the workspace. */
  readonly directory?: string;
  /** Lines of a `read`, from 1, `to` inclusive; null for the whole file, and for other kinds. */
  readonly lines: { readonly from: number; readonly to: number | null } | null;
  /** Everything else that makes two calls the same or not (pattern, old and new text …), in canonical form. */
  readonly input: string;
};

export type ToolKind = 'read' | 'search' | 'write' | 'run' | 'fetch' | 'other';

export type Usage = {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Null when the agent reports no price: we invent none. */
  readonly usd: number | null;
};

export type AgentFailure = {
  readonly kind: AgentFailureKind;
  /** ISO time from which the provider serves again; null when it names none. */
  readonly until: string | null;
  /** Words of the provider or the agent; empty when there are none. */
  readonly words: string;
  /** Milliseconds until the agent tries again by itself, if it says so. */
  readonly retryMs?: number;
  /** Set when we found it before the agent was launched. */
  readonly because?: Finding;
};

export type AgentFailureKind =
  | 'rate-limited'
  | 'overloaded'
  | 'needs-login'
  | 'dropped'
  | 'prompt-too-long'
  | 'turn-limit'
  | 'budget'
  | 'unknown-session'
  | 'other';

export const noUsage: Usage = { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, usd: null };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  turns: a.turns + b.turns,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  usd: a.usd === null && b.usd === null ? null : (a.usd ?? 0) + (b.usd ?? 0),
});
