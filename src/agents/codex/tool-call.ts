import type { ToolCall } from '../../domain/tool-calls/agent-event.ts';
import { type Fields, listOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { inputKey } from '../common/input-key.ts';

/** A tool call of Codex, as its hooks have it: a patch, a command, or something else. */
export function codexCall(id: string, tool: string, input: Fields): ToolCall {
  const command = commandIn(input);
  const isPatch = tool === 'apply_patch' || command.startsWith('*** Begin Patch');
  const runs = !isPatch && command !== '';
  return {
    id,
    tool,
    kind: isPatch ? 'write' : runs ? 'run' : 'other',
    paths: isPatch ? patchedPaths(command) : [],
    command: runs ? command : null,
    lines: null,
    input: inputKey(input),
  };
}

const commandIn = (input: Fields): string => {
  const command = input['command'] ?? input['cmd'] ?? input['input'] ?? input['patch'];
  return textOf(command) ?? listOf(command).map(textOf).join(' ');
};

const patchLine = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;

const patchedPaths = (patch: string): readonly string[] =>
  [...patch.matchAll(patchLine)].map((match) => match[1] ?? '').filter((path) => path !== '');
