import { countOf, type Fields, fieldsOf, numberOf, parseFields, textOf } from '../../adapters/files/untrusted-json.ts';
import {
  type AgentFailure,
  type AgentFailureKind,
  noUsage,
  type ToolCall,
  type ToolKind,
  type Usage,
} from '../../domain/tool-calls/agent-event.ts';
import type { ExecutorCallbacks, OutputReader } from '../../ports/executor.ts';
import { inputKey, patchedPaths } from '../common/tool-call.ts';

/**
 * Reads `opencode run --format json`. A call is reported at its end, with its result. While the provider refuses, opencode silently
 * tries again; after its first `error` it exits with 1, whatever it still prints.
 */
export function followOpencode(callbacks: ExecutorCallbacks, model: string | null): OutputReader {
  let usage: Usage = noUsage;
  let session: string | null = null;
  let failure: AgentFailure | null = null;

  const begun = (id: string | null): void => {
    if (id === null || id === session) return;
    session = id;
    callbacks.emit({ type: 'started', session, model });
  };
  const toolUse = (part: Fields): void => {
    const id = textOf(part['callID']) ?? '';
    const state = fieldsOf(part['state']) ?? {};
    const call = opencodeCall(id, textOf(part['tool']) ?? '', fieldsOf(state['input']) ?? {});
    const problem = state['status'] === 'error' ? (textOf(state['error']) ?? '') : null;
    callbacks.emit({ type: 'tool-call', call });
    if (problem !== null && isRefusal(problem))
      callbacks.emit({ type: 'denied', call, because: { rule: 'agent-denied', words: problem.slice(0, 500) } });
    const exit = numberOf(fieldsOf(state['metadata'])?.['exit']) ?? 0;
    const outcome = problem !== null || exit !== 0 ? 'failed' : 'ok';
    callbacks.emit({ type: 'tool-result', id, outcome, text: problem ?? textOf(state['output']) ?? '' });
  };
  const stepOver = (part: Fields): void => {
    usage = added(usage, part);
    callbacks.emit({ type: 'usage', usage });
    if (part['reason'] === 'tool-calls') return;
    callbacks.emit({ type: 'ended', outcome: failure === null ? 'completed' : 'failed', trouble: failure });
  };
  return {
    line(text) {
      const line = parseFields(text);
      const part = fieldsOf(line?.['part']) ?? {};
      begun(textOf(line?.['sessionID']));
      switch (line?.['type']) {
        case 'step_start':
        case 'reasoning':
          return;
        case 'text':
          // opencode's own words to the model when it has shortened the conversation
          if (part['synthetic'] !== true) callbacks.emit({ type: 'turn', text: textOf(part['text']) ?? '' });
          return;
        case 'tool_use':
          return toolUse(part);
        case 'step_finish':
          return stepOver(part);
        case 'error':
          failure = troubleOf(fieldsOf(line['error']) ?? {});
          return callbacks.emit({ type: 'ended', outcome: 'failed', trouble: failure });
        default:
          return callbacks.emit({ type: 'unknown', line: text });
      }
    },
    errorLine(text) {
      callbacks.emit({ type: 'output', text });
      if (session !== null || !/session not found/i.test(text)) return;
      callbacks.emit({
        type: 'ended',
        outcome: 'failed',
        trouble: { kind: 'unknown-session', until: null, words: text.slice(0, 500) },
      });
    },
    send: () => false,
    cancel: () => false,
  };
}

/** There is no code for a refusal, only the sentence that the model gets. */
export const isRefusal = (problem: string): boolean =>
  /specified a rule which prevents|rejected permission/i.test(problem);

function added(usage: Usage, { tokens, cost }: Fields): Usage {
  const spent = fieldsOf(tokens) ?? {};
  const cache = fieldsOf(spent['cache']) ?? {};
  const price = countOf(cost);
  return {
    turns: usage.turns + 1,
    inputTokens: usage.inputTokens + countOf(spent['input']) + countOf(cache['write']),
    outputTokens: usage.outputTokens + countOf(spent['output']) + countOf(spent['reasoning']),
    cachedTokens: usage.cachedTokens + countOf(cache['read']),
    // 0 is what it says of a model whose price it does not know
    usd: price === 0 ? usage.usd : (usage.usd ?? 0) + price,
  };
}

function troubleOf(error: Fields): AgentFailure {
  const data = fieldsOf(error['data']) ?? {};
  const words = textOf(data['message']) ?? textOf(error['name']) ?? '';
  const kind = kindOf(textOf(error['name']) ?? '', numberOf(data['statusCode']), words);
  const until = kind === 'rate-limited' ? untilOf(fieldsOf(data['responseHeaders']) ?? {}) : null;
  return { kind, until, words: words.slice(0, 500) };
}

function kindOf(name: string, status: number | null, words: string): AgentFailureKind {
  if (name === 'ContextOverflowError') return 'prompt-too-long';
  if (name === 'ProviderAuthError' || status === 401 || status === 403) return 'needs-login';
  if (status === 429) return 'rate-limited';
  if (status !== null && status >= 500) return 'overloaded';
  if (status !== null) return 'other';
  // errors that arrive inside a stream have no status
  if (/rate.?limit|too many requests/i.test(words)) return 'rate-limited';
  if (/overloaded|server_error/i.test(words)) return 'overloaded';
  return /connect|socket|terminated|network|stream/i.test(words) ? 'dropped' : 'other';
}

const resetHeaders = ['anthropic-ratelimit-requests-reset', 'x-ratelimit-reset-requests'];

/** Returns when the provider serves again: a time that it names, or a number of seconds from its own `date`. */
function untilOf(headers: Fields): string | null {
  const reset = resetHeaders.map((name) => Date.parse(textOf(headers[name]) ?? '')).find((time) => !Number.isNaN(time));
  if (reset !== undefined) return new Date(reset).toISOString();
  const seconds = Number(textOf(headers['retry-after']) ?? Number.NaN);
  const now = Date.parse(textOf(headers['date']) ?? '');
  return Number.isNaN(seconds) || Number.isNaN(now) ? null : new Date(now + seconds * 1000).toISOString();
}

const toolKinds: Readonly<Record<string, ToolKind>> = {
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

function opencodeCall(id: string, tool: string, input: Fields): ToolCall {
  const path = textOf(input['filePath']) ?? textOf(input['path']);
  const offset = numberOf(input['offset']);
  const limit = numberOf(input['limit']);
  const first = Math.max(1, offset ?? 1);
  const isRanged = tool === 'read' && (offset !== null || limit !== null);
  const directory = tool === 'bash' ? textOf(input['workdir']) : null;
  return {
    id,
    tool,
    kind: toolKinds[tool] ?? 'other',
    paths: path === null ? patchedPaths(textOf(input['patchText']) ?? '') : [path],
    command: tool === 'bash' ? (textOf(input['command']) ?? '') : null,
    ...(directory === null ? {} : { directory }),
    lines: isRanged ? { from: first, to: limit === null ? null : first + limit - 1 } : null,
    input: inputKey(input, ['description', 'timeout', ...(tool === 'read' ? ['offset', 'limit'] : [])]),
  };
}
