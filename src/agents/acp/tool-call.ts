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

/** A tool call of the protocol, from all that the agent has said of it so far. */
export function acpCall(said: Fields): ToolCall {
  const input = fieldsOf(said['rawInput']) ?? {};
  const served = servedTool(input);
  const kind = served === null ? (kinds[textOf(said['kind']) ?? ''] ?? 'other') : 'other';
  const diffs = partsOf(said['content']).filter((part) => part['type'] === 'diff');
  const named = pathKeys.map((key) => textOf(input[key])).filter((path) => path !== null);
  const located = partsOf(said['locations']).flatMap((location) => textOf(location['path']) ?? []);
  const paths = [...located, ...diffs.flatMap((diff) => textOf(diff['path']) ?? []), ...named];
  const directory = kind === 'run' ? (textOf(input['cwd']) ?? textOf(input['workdir'])) : null;
  return {
    id: textOf(said['toolCallId']) ?? '',
    tool:
      served ?? textOf(said['name']) ?? (kind === 'other' ? titleOf(said) : null) ?? textOf(said['kind']) ?? 'other',
    kind,
    paths: kind === 'run' ? [] : [...new Set(paths)],
    command: kind === 'run' ? commandIn(said, input) : null,
    ...(directory === null ? {} : { directory }),
    lines: kind === 'read' ? linesIn(input) : null,
    input: inputKey({ ...input, diffs }, ['description', 'timeout', ...(kind === 'read' ? ['offset', 'limit'] : [])]),
  };
}

/** codex-acp says of a tool of an MCP server that it is executed. */
function servedTool({ server, tool, command, cmd }: Fields): string | null {
  const isServed = typeof server === 'string' && typeof tool === 'string' && command === undefined && cmd === undefined;
  return isServed ? `mcp__${server}__${tool}` : null;
}

/** Of a tool that is of no kind, one of an MCP server for instance, it is all that there is to tell it by. */
const titleOf = (said: Fields): string | null => textOf(said['title'])?.slice(0, 80) ?? null;

const pathKeys = ['file_path', 'filePath', 'filepath', 'notebook_path', 'path', 'abs_path'];

/** Gemini puts the command into the title, with where and why in brackets behind it. */
function commandIn(said: Fields, input: Fields): string {
  const command = input['command'] ?? input['cmd'];
  const words = listOf(command).flatMap((word) => textOf(word) ?? []);
  const shell = /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '');
  if (words.length > 0) return shell ? (words[2] ?? '') : words.join(' ');
  return textOf(command) ?? (textOf(said['title']) ?? '').replace(/ \[current working directory [^\]]*\].*$/s, '');
}

function linesIn(input: Fields): ToolCall['lines'] {
  const from = numberOf(input['offset']) ?? numberOf(input['start_line']);
  const length = numberOf(input['limit']);
  const to = numberOf(input['end_line']);
  if (from === null && length === null && to === null) return null;
  const first = Math.max(1, from ?? 1);
  return { from: first, to: to ?? (length === null ? null : first + length - 1) };
}
