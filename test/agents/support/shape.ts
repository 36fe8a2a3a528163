import { field, type Json, list, text } from '../model-server/json.ts';
import type { AgentName } from './installed.ts';

/** What happened in a transcript, without what differs from run to run: one word per line of it. */
export function shapeOf(agent: AgentName, transcript: string): readonly string[] {
  const lines = transcript
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Json);
  return lines.map((line) => words(line, shapes[agent](line)));
}

const words = (line: Json, rest: readonly string[]) => [text(field(line, 'type')), ...rest].filter(Boolean).join(' ');

const shapes: Readonly<Record<AgentName, (line: Json) => readonly string[]>> = {
  claude: (line) => [
    text(field(line, 'subtype')),
    ...list(field(field(line, 'message'), 'content')).map((part) => text(field(part, 'type')) + failed(part)),
  ],
  codex: (line) => [text(field(field(line, 'item'), 'type')), text(field(field(line, 'item'), 'status'))],
  opencode: (line) => [
    text(field(field(line, 'part'), 'tool')),
    text(field(field(field(line, 'part'), 'state'), 'status')),
  ],
  gemini: (line) => [text(field(line, 'role')), text(field(line, 'tool_name')), text(field(line, 'status'))],
};

const failed = (part: Json) => (field(part, 'is_error') === true ? '!' : '');
