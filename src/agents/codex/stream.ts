import {
  countOf,
  type Fields,
  fieldsOf,
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
  type Usage,
} from '../../domain/tool-calls/agent-event.ts';
import type { ExecutorCallbacks, OutputReader } from '../../ports/executor.ts';
import { inputKey } from '../common/tool-call.ts';

/**
 * Reads `codex exec --json`. Traps: refused calls are not in the stream, so the hook reports those that it denies; no line has a price;
 * tokens are those of the whole session, so usage `before` is subtracted.
 */
export function followCodex(callbacks: ExecutorCallbacks, before: Usage): OutputReader {
  let usage: Usage = noUsage;
  let problem: string | null = null;
  const begun = new Set<string>();

  const item = (of: Fields, isOver: boolean): void => {
    const id = textOf(of['id']) ?? '';
    if (of['type'] === 'agent_message') {
      if (isOver) callbacks.emit({ type: 'turn', text: textOf(of['text']) ?? '' });
      return;
    }
    if (of['type'] === 'error') problem = textOf(of['message']);
    const call = callOf(id, of);
    if (call === null) return;
    if (!begun.has(id)) callbacks.emit({ type: 'tool-call', call });
    begun.add(id);
    if (!isOver) return;
    begun.delete(id);
    const failed = of['status'] === 'failed' || (numberOf(of['exit_code']) ?? 0) !== 0;
    const text = textOf(of['aggregated_output']) ?? answerOf(of);
    callbacks.emit({ type: 'tool-result', id, outcome: failed ? 'failed' : 'ok', text });
  };
  const completed = (spent: Fields | null): void => {
    usage = usedSince(before, spent ?? {}, usage.turns + 1);
    callbacks.emit({ type: 'usage', usage });
    callbacks.emit({ type: 'ended', outcome: 'completed', trouble: null });
  };
  return {
    line(text) {
      const line = parseFields(text);
      const of = fieldsOf(line?.['item']);
      switch (line?.['type']) {
        case 'thread.started':
          callbacks.emit({ type: 'started', session: textOf(line['thread_id']), model: null });
          break;
        case 'turn.started':
          break;
        case 'item.started':
        case 'item.updated':
        case 'item.completed':
          if (of !== null) item(of, line['type'] === 'item.completed');
          break;
        case 'turn.completed':
          completed(fieldsOf(line['usage']));
          break;
        case 'error':
          problem = textOf(line['message']);
          callbacks.emit({ type: 'provider-trouble', trouble: troubleIn(problem ?? '') });
          break;
        case 'turn.failed': {
          const words = textOf(fieldsOf(line['error'])?.['message']) ?? problem ?? '';
          callbacks.emit({ type: 'ended', outcome: 'failed', trouble: troubleIn(words) });
          break;
        }
        default:
          callbacks.emit({ type: 'unknown', line: text });
      }
    },
    errorLine: (text) => callbacks.emit({ type: 'output', text }),
    send: () => false,
    cancel: () => false,
  };
}

function callOf(id: string, item: Fields): ToolCall | null {
  const base = { id, lines: null, input: inputKey(item, ['id', 'status', 'aggregated_output', 'exit_code']) };
  switch (item['type']) {
    case 'command_execution':
      return { ...base, tool: 'command_execution', kind: 'run', paths: [], command: textOf(item['command']) ?? '' };
    case 'file_change': {
      const paths = partsOf(item['changes']).flatMap((change) => textOf(change['path']) ?? []);
      return { ...base, tool: 'file_change', kind: 'write', paths, command: null };
    }
    case 'mcp_tool_call': {
      const tool = `mcp__${textOf(item['server'])}__${textOf(item['tool'])}`;
      return { ...base, tool, kind: 'other', paths: [], command: null, input: inputKey(argumentsOf(item)) };
    }
    case 'web_search':
      return { ...base, tool: 'web_search', kind: 'other', paths: [], command: null };
    default:
      return null;
  }
}

const argumentsOf = (item: Fields): Fields => fieldsOf(item['arguments']) ?? {};

/** Returns the answer of a tool of an MCP server. */
function answerOf(item: Fields): string {
  const texts = partsOf(fieldsOf(item['result'])?.['content']).map((part) => textOf(part['text']) ?? '');
  return textOf(fieldsOf(item['error'])?.['message']) ?? texts.join('\n');
}

/** Codex gives no code, only words. */
function troubleIn(words: string): AgentFailure {
  const status = Number(/(?:status|unexpected status)[^0-9]{0,3}([0-9]{3})/.exec(words)?.[1] ?? 0);
  return { kind: kindOf(status, words), until: tryAgainAt(words, new Date()), words: words.slice(0, 500) };
}

function kindOf(status: number, words: string): AgentFailureKind {
  if (status === 429 || /usage limit|rate limit/i.test(words)) return 'rate-limited';
  if (status === 401 || status === 403 || /not logged in|invalid api key/i.test(words)) return 'needs-login';
  if (status >= 500) return 'overloaded';
  if (/context window|too long/i.test(words)) return 'prompt-too-long';
  if (/stream (disconnected|closed)|connection/i.test(words)) return 'dropped';
  return /no (rollout|thread|session) found/i.test(words) ? 'unknown-session' : 'other';
}

function usedSince(before: Usage, session: Fields, turns: number): Usage {
  const cached = countOf(session['cached_input_tokens']);
  const since = (now: number, then: number): number => Math.max(0, now - then);
  return {
    turns,
    inputTokens: since(countOf(session['input_tokens']) - cached, before.inputTokens),
    outputTokens: since(countOf(session['output_tokens']), before.outputTokens),
    cachedTokens: since(cached, before.cachedTokens),
    usd: null,
  };
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const retryTime = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})[a-z]{2}, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M/;

/**
 * Reads when Codex may be used again from `… or try again at Nov 22nd, 2029 12:00 AM.`; without a day it means today. The time is local
 * and without seconds, so the minute after is returned.
 */
export function tryAgainAt(text: string, now: Date): string | null {
  const [, month, day, year, hour, minute, half] = retryTime.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const at = new Date(now);
  if (month !== undefined) at.setFullYear(Number(year), months.indexOf(month.toLowerCase()), Number(day));
  at.setHours((Number(hour) % 12) + (half === 'P' ? 12 : 0), Number(minute) + 1, 0, 0);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
