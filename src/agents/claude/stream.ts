import {
  countOf,
  type Fields,
  fieldsOf,
  listOf,
  numberOf,
  parseFields,
  partsOf,
  textOf,
} from '../../adapters/files/untrusted-json.ts';
import {
  type AgentFailure,
  type AgentFailureKind,
  noUsage,
  type ToolCall,
  type ToolKind,
  type Usage,
} from '../../domain/tool-calls/agent-event.ts';
import type { ExecutorCallbacks, OutputReader } from '../../ports/executor.ts';
import { inputKey } from '../common/tool-call.ts';

/**
 * Reads `claude -p --output-format stream-json`. `spentBefore`: the price of a continued session so far, because Claude reports that of
 * the whole session.
 */
export function followClaude(callbacks: ExecutorCallbacks, spentBefore: number): OutputReader {
  let usage: Usage = noUsage;
  let lastMessage: string | null = null;
  let idle = false;
  let reset: string | null = null;

  const assistant = (message: Fields): void => {
    const id = textOf(message['id']);
    // One message comes in several lines, one for each part, with the same usage on each.
    const isNew = id === null || id !== lastMessage;
    lastMessage = id;
    for (const part of partsOf(message['content'])) {
      if (part['type'] === 'text') callbacks.emit({ type: 'turn', text: textOf(part['text']) ?? '' });
      if (part['type'] !== 'tool_use') continue;
      const call = claudeCall(textOf(part['id']) ?? '', textOf(part['name']) ?? '', fieldsOf(part['input']) ?? {});
      callbacks.emit({ type: 'tool-call', call });
    }
    if (isNew) count(fieldsOf(message['usage']));
  };
  const count = (spent: Fields | null): void => {
    if (spent === null) return;
    usage = added(usage, spent);
    callbacks.emit({ type: 'usage', usage });
  };
  const results = (message: Fields): void => {
    for (const part of partsOf(message['content'])) {
      if (part['type'] !== 'tool_result') continue;
      const id = textOf(part['tool_use_id']) ?? '';
      const outcome = part['is_error'] === true ? 'failed' : 'ok';
      callbacks.emit({ type: 'tool-result', id, outcome, text: shownContent(part['content']) });
    }
  };
  const finished = (line: Fields): void => {
    const total = numberOf(line['total_cost_usd']);
    const spent = fieldsOf(line['usage']);
    usage = {
      // the usage on each message was counted when the message had only begun
      ...(spent === null ? usage : added(noUsage, spent)),
      turns: Math.max(usage.turns, countOf(line['num_turns'])),
      usd: total === null ? usage.usd : Math.max(0, total - spentBefore),
    };
    callbacks.emit({ type: 'usage', usage });
    const completed = line['is_error'] !== true && line['terminal_reason'] === 'completed';
    callbacks.emit({
      type: 'ended',
      outcome: completed ? 'completed' : 'failed',
      trouble: completed ? null : reasonOf(line, reset),
    });
    idle = true;
    callbacks.endInput();
  };
  return {
    line(text) {
      const line = parseFields(text);
      if (line === null) return callbacks.emit({ type: 'unknown', line: text });
      const message = fieldsOf(line['message']);
      switch (line['type']) {
        case 'assistant':
          return message === null ? undefined : assistant(message);
        case 'user':
          return message === null ? undefined : results(message);
        case 'result':
          return finished(line);
        case 'system':
          return system(callbacks, line, text);
        case 'rate_limit_event':
          reset = resetIn(fieldsOf(line['rate_limit_info']));
          return;
        default:
          return callbacks.emit({ type: 'unknown', line: text });
      }
    },
    errorLine: (text) => callbacks.emit({ type: 'output', text }),
    send(text) {
      if (idle) return false;
      callbacks.write(userMessage(text));
      return true;
    },
    cancel: () => false,
  };
}

/** One line of `--input-format stream-json`. */
export const userMessage = (text: string): string =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } })}\n`;

/** Claude reports these when it summarizes a conversation that grew too long. */
const quiet = new Set(['status', 'compact_boundary']);

function system(callbacks: ExecutorCallbacks, line: Fields, text: string): void {
  const subtype = textOf(line['subtype']) ?? '';
  if (subtype === 'init')
    callbacks.emit({ type: 'started', session: textOf(line['session_id']), model: textOf(line['model']) });
  else if (subtype === 'api_retry')
    callbacks.emit({ type: 'provider-trouble', trouble: troubleOf(numberOf(line['error_status']), line) });
  else if (!subtype.startsWith('hook_') && !quiet.has(subtype)) callbacks.emit({ type: 'unknown', line: text });
}

/** Trap: a failed API call ends with subtype `success`. Only exit code, `is_error` and `terminal_reason` show it. */
function reasonOf(line: Fields, reset: string | null): AgentFailure {
  const subtype = textOf(line['subtype']) ?? '';
  const words = textOf(line['result']) ?? listOf(line['errors']).map(textOf).join('; ');
  const of = (kind: AgentFailureKind): AgentFailure => ({ kind, until: null, words: words.slice(0, 500) });
  if (subtype === 'error_max_turns') return of('turn-limit');
  if (subtype === 'error_max_budget_usd') return of('budget');
  if (line['terminal_reason'] === 'prompt_too_long') return of('prompt-too-long');
  if (/no conversation found/i.test(words)) return of('unknown-session');
  const trouble = troubleOf(numberOf(line['api_error_status']), line);
  return { ...trouble, until: trouble.kind === 'rate-limited' ? reset : null, words: words.slice(0, 500) };
}

/** Returns the time when a used-up subscription may be used again; Claude reports it in a line of its own, never in the error. */
function resetIn(limit: Fields | null): string | null {
  const seconds = limit?.['status'] === 'rejected' ? numberOf(limit['resetsAt']) : null;
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

function troubleOf(status: number | null, line: Fields): AgentFailure {
  const delay = numberOf(line['retry_delay_ms']);
  return {
    kind: kindOf(status),
    until: null,
    words: (textOf(line['error']) ?? '').slice(0, 500),
    ...(delay === null ? {} : { retryMs: delay }),
  };
}

function kindOf(status: number | null): AgentFailureKind {
  if (status === 429) return 'rate-limited';
  if (status === 529 || status === 503 || status === 500) return 'overloaded';
  if (status === 401 || status === 403) return 'needs-login';
  return status === null ? 'dropped' : 'other';
}

const added = (usage: Usage, spent: Fields): Usage => ({
  turns: usage.turns + 1,
  inputTokens: usage.inputTokens + countOf(spent['input_tokens']) + countOf(spent['cache_creation_input_tokens']),
  outputTokens: usage.outputTokens + countOf(spent['output_tokens']),
  cachedTokens: usage.cachedTokens + countOf(spent['cache_read_input_tokens']),
  usd: usage.usd,
});

function shownContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content)
    .map((part) => textOf(part['text']) ?? '')
    .join('\n');
}

const toolKinds: Readonly<Record<string, ToolKind>> = {
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

/** Reads a tool call in the stream or a hook of Claude Code. */
export function claudeCall(id: string, tool: string, input: Fields): ToolCall {
  const path = textOf(input['file_path']) ?? textOf(input['notebook_path']) ?? textOf(input['path']);
  const from = numberOf(input['offset']);
  const length = numberOf(input['limit']);
  const ranged = tool === 'Read' && (from !== null || length !== null);
  const first = from ?? 1;
  return {
    id,
    tool,
    kind: toolKinds[tool] ?? 'other',
    paths: path === null ? [] : [path],
    command: tool === 'Bash' ? (textOf(input['command']) ?? '') : null,
    lines: ranged ? { from: first, to: length === null ? null : first + length - 1 } : null,
    input: inputKey(input, ['description', 'timeout', ...(tool === 'Read' ? ['offset', 'limit'] : [])]),
  };
}
