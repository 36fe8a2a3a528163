import { type Fields, fieldsOf, listOf, numberOf, partsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import type { ToolCall, ToolKind } from '../../domain/tool-calls/agent-event.ts';
import { inputKey } from '../common/tool-call.ts';

const kinds: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  edit: 'write',
  delete: 'write',
  move: 'write',
  search: 'search',
  execute: 'run',
  fetch: 'fetch',
};

/** Reads a tool call from all fields that the agent has sent of it so far. */
export function acpCall(fields: Fields): ToolCall {
  const input = fieldsOf(fields['rawInput']) ?? {};
  const served = servedTool(input);
  const kind = served === null ? (kinds[textOf(fields['kind']) ?? ''] ?? 'other') : 'other';
  const diffs = partsOf(fields['content']).filter((part) => part['type'] === 'diff');
  const named = pathKeys.map((key) => textOf(input[key])).filter((path) => path !== null);
  const located = partsOf(fields['locations']).flatMap((location) => textOf(location['path']) ?? []);
  const paths = [...located, ...diffs.flatMap((diff) => textOf(diff['path']) ?? []), ...named];
  const directory = kind === 'run' ? (textOf(input['cwd']) ?? textOf(input['workdir'])) : null;
  return {
    id: textOf(fields['toolCallId']) ?? '',
    tool:
      served ??
      textOf(fields['name']) ??
      (kind === 'other' ? titleOf(fields) : null) ??
      textOf(fields['kind']) ??
      'other',
    kind,
    paths: kind === 'run' ? [] : [...new Set(paths)],
    command: kind === 'run' ? commandIn(fields, input) : null,
    ...(directory === null ? {} : { directory }),
    lines: kind === 'read' ? linesIn(input) : null,
    input: inputKey({ ...input, diffs }, ['description', 'timeout', ...(kind === 'read' ? ['offset', 'limit'] : [])]),
  };
}

/** codex-acp reports a tool of an MCP server as `execute`. */
function servedTool({ server, tool, command, cmd }: Fields): string | null {
  const isServed = typeof server === 'string' && typeof tool === 'string' && command === undefined && cmd === undefined;
  return isServed ? `mcp__${server}__${tool}` : null;
}

/** Names a tool without a kind, for example one of an MCP server: nothing else identifies it. */
const titleOf = (fields: Fields): string | null => textOf(fields['title'])?.slice(0, 80) ?? null;

const pathKeys = ['file_path', 'filePath', 'filepath', 'notebook_path', 'path', 'abs_path'];

/** Gemini puts the command into the title, followed by directory and reason in brackets. */
function commandIn(fields: Fields, input: Fields): string {
  const command = input['command'] ?? input['cmd'];
  const words = listOf(command).flatMap((word) => textOf(word) ?? []);
  const shell = /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '');
  if (words.length > 0) return shell ? (words[2] ?? '') : words.join(' ');
  return textOf(command) ?? (textOf(fields['title']) ?? '').replace(/ \[current working directory [^\]]*\].*$/s, '');
}

function linesIn(input: Fields): ToolCall['lines'] {
  const from = numberOf(input['offset']) ?? numberOf(input['start_line']);
  const length = numberOf(input['limit']);
  const to = numberOf(input['end_line']);
  if (from === null && length === null && to === null) return null;
  const first = Math.max(1, from ?? 1);
  return { from: first, to: to ?? (length === null ? null : first + length - 1) };
}
