import type { ToolCall, ToolKind } from '../../domain/tool-calls/agent-event.ts';
import { type Fields, numberOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { inputKey } from '../common/input-key.ts';

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  NotebookRead: 'read',
  LS: 'search',
  Glob: 'search',
  Grep: 'search',
  Write: 'write',
  Edit: 'write',
  MultiEdit: 'write',
  NotebookEdit: 'write',
  Bash: 'run',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
};

/** A tool call of Claude Code, as its stream and its hooks have it. */
export function claudeCall(id: string, tool: string, input: Fields): ToolCall {
  const path = textOf(input['file_path']) ?? textOf(input['notebook_path']) ?? textOf(input['path']);
  const from = numberOf(input['offset']);
  const length = numberOf(input['limit']);
  const ranged = tool === 'Read' && (from !== null || length !== null);
  const first = from ?? 1;
  return {
    id,
    tool,
    kind: kinds[tool] ?? 'other',
    paths: path === null ? [] : [path],
    command: tool === 'Bash' ? (textOf(input['command']) ?? '') : null,
    lines: ranged ? { from: first, to: length === null ? null : first + length - 1 } : null,
    input: inputKey(input, ['description', 'timeout', ...(tool === 'Read' ? ['offset', 'limit'] : [])]),
  };
}
