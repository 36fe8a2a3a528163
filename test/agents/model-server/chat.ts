import type { Said } from './conversation.ts';
import { type Dialect, halves, type Reply, sse } from './dialect.ts';
import { field, type Json, keysOf, list, text, textOf } from './json.ts';

/** OpenAI Chat Completions. */
export const chat: Dialect = {
  name: 'chat',
  read: (body) => ({
    said: list(field(body, 'messages')).flatMap(saidBy),
    tools: list(field(body, 'tools')).map((tool) => ({
      name: text(field(field(tool, 'function'), 'name')),
      freeform: false,
      fields: keysOf(field(field(field(tool, 'function'), 'parameters'), 'properties')),
    })),
    stream: field(body, 'stream') === true,
    model: text(field(body, 'model')),
  }),
  stream: (reply) => [
    chunk(reply, { role: 'assistant', content: '' }),
    ...halves(reply.text).map((content) => chunk(reply, { content })),
    ...calls(reply).map((call, index) => chunk(reply, { tool_calls: [{ index, ...call }] })),
    chunk(reply, {}, reason(reply)),
    sse({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: used(reply) }),
    sse('[DONE]'),
  ],
  whole: (reply) => ({
    ...head(reply, 'chat.completion'),
    choices: [
      { index: 0, message: { role: 'assistant', content: reply.text, ...called(reply) }, finish_reason: reason(reply) },
    ],
    usage: used(reply),
  }),
  failure: (status, message) => ({ error: { type: kind(status), code: kind(status), message } }),
  overloaded: () => sse({ error: { type: 'server_error', code: 'server_is_overloaded', message: 'Overloaded' } }),
};

const head = (reply: Reply, object: string) => ({ id: reply.id, object, created: 0, model: reply.model });

const chunk = (reply: Reply, delta: object, finish: string | null = null) =>
  sse({ ...head(reply, 'chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });

const calls = (reply: Reply) =>
  reply.calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));

const called = (reply: Reply) => (reply.calls.length > 0 ? { tool_calls: calls(reply) } : {});

const reason = (reply: Reply) => (reply.calls.length > 0 ? 'tool_calls' : 'stop');

const used = (reply: Reply) => ({
  prompt_tokens: reply.usage.input,
  completion_tokens: reply.usage.output,
  total_tokens: reply.usage.input + reply.usage.output,
});

function saidBy(message: Json): readonly Said[] {
  switch (text(field(message, 'role'))) {
    case 'user':
      return [{ from: 'person', text: textOf(field(message, 'content')) }];
    case 'assistant':
      return [{ from: 'agent', calls: list(field(message, 'tool_calls')).map((call) => text(field(call, 'id'))) }];
    case 'tool':
      return [{ from: 'tool' }];
    default:
      return [];
  }
}

function kind(status: number): string {
  const known: Readonly<Record<number, string>> = {
    400: 'context_length_exceeded',
    401: 'invalid_api_key',
    429: 'rate_limit_exceeded',
  };
  return known[status] ?? 'server_error';
}
