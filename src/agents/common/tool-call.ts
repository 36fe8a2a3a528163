import { type Fields, fieldsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { canonicalJson } from '../../domain/plan/plan.ts';
import type { ToolCall } from '../../domain/tool-calls/agent-event.ts';

/** Reads the payload of a `PreToolUse` hook, which Claude Code and Codex share. Null when it is none. */
export function callInPayload(
  payload: unknown,
  read: (id: string, tool: string, input: Fields) => ToolCall,
): ToolCall | null {
  const fields = fieldsOf(payload);
  const tool = textOf(fields?.['tool_name']);
  if (fields === null || tool === null) return null;
  const call = read(textOf(fields['tool_use_id']) ?? '', tool, fieldsOf(fields['tool_input']) ?? {});
  const directory = textOf(fields['cwd']);
  return directory === null ? call : { ...call, directory };
}

const patchLine = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;

/** Paths in a patch of the format that Codex and opencode use. */
export const patchedPaths = (patch: string): readonly string[] =>
  [...patch.matchAll(patchLine)].map((match) => match[1] ?? '').filter((path) => path !== '');

const longest = 4096;

/** Returns a text that differs between two different calls. It is bounded: a written file of megabytes is not kept for it. */
export function inputKey(input: Fields, without: readonly string[] = []): string {
  const kept = Object.fromEntries(Object.entries(input).filter(([name]) => !without.includes(name)));
  const text = canonicalJson(kept);
  return text.length <= longest ? text : `${text.slice(0, longest)}…${text.length}:${checksum(text)}`;
}

function checksum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
