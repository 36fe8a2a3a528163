import type { ToolCall } from './agent-event.ts';
import { allow, type Decision } from './decision.ts';

/** What the supervisor judges tool calls by. Empty until there are rules: the snapshot's diff is the gate. */
export type ToolScope = Readonly<Record<string, never>>;

export const toolScopeOf = (): ToolScope => ({});

export const toolDecider =
  (_scope: ToolScope) =>
  (_call: ToolCall): Decision =>
    allow;
