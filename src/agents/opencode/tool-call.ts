import type { ToolCall, ToolKind } from '../../domain/tool-calls/agent-event.ts';
import { type Fields, numberOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { inputKey } from '../common/input-key.ts';

const kinds: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  list: 'search',
  glob: 'search',
  grep: 'search',
  write: 'write',
  edit: 'write',
  multiedit: 'write',
  patch: 'write',
  apply_patch: 'write',
  bash: 'run',
  webfetch: 'fetch',
  websearch: 'fetch',
};

export function opencodeCall(id: string, tool: string, input: Fields): ToolCall {
  const path = textOf(input['filePath']) ?? textOf(input['path']);
  const patched = [...(textOf(input['patchText']) ?? '').matchAll(patchLine)].map((match) => match[1] ?? '');
  const offset = numberOf(input['offset']);
  const limit = numberOf(input['limit']);
  const first = Math.max(1, offset ?? 1);
  const isRanged = tool === 'read' && (offset !== null || limit !== null);
  const directory = tool === 'bash' ? textOf(input['workdir']) : null;
  return {
    id,
    tool,
    kind: kinds[tool] ?? 'other',
    paths: path === null ? patched : [path],
    command: tool === 'bash' ? (textOf(input['command']) ?? '') : null,
    ...(directory === null ? {} : { directory }),
    lines: isRanged ? { from: first, to: limit === null ? null : first + limit - 1 } : null,
    input: inputKey(input, ['description', 'timeout', ...(tool === 'read' ? ['offset', 'limit'] : [])]),
  };
}

const patchLine = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;
