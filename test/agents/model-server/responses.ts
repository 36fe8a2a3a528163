import type { Said, Tool } from './conversation.ts';
import { type Dialect, halves, type Reply, sse } from './dialect.ts';
import { field, type Json, keysOf, list, text, textOf } from './json.ts';

/** OpenAI Responses. */
export const responses: Dialect = {
  name: 'responses',
  read: (body) => ({
    said: list(field(body, 'input')).flatMap(saidBy),
    tools: list(field(body, 'tools')).flatMap(offered),
    stream: field(body, 'stream') === true,
    model: text(field(body, 'model')),
  }),
  stream: (reply) => [
    event('response.created', { response: { id: reply.id, status: 'in_progress', output: [] } }),
    ...items(reply).flatMap((item, index) => streamed(item, index)),
    event('response.completed', { response: document(reply) }),
  ],
  whole: document,
  failure: (status, message) => ({ error: { type: kind(status), code: kind(status), message } }),
  overloaded: () =>
    event('response.failed', {
      response: { id: 'resp_failed', status: 'failed', error: { code: 'server_is_overloaded', message: 'Overloaded' } },
    }),
};

const offered = (tool: Json): readonly Tool[] => {
  const name = text(field(tool, 'name')) || text(field(tool, 'type'));
  if (text(field(tool, 'type')) === 'namespace')
    return list(field(tool, 'tools'))
      .flatMap(offered)
      .map((inner) => ({ ...inner, name: `${name}__${inner.name}` }));
  const fields = keysOf(field(field(tool, 'parameters'), 'properties'));
  return [{ name, freeform: text(field(tool, 'type')) === 'custom', fields }];
};

const event = (type: string, rest: object) => sse({ type, ...rest }, type);

function document(reply: Reply) {
  return {
    id: reply.id,
    object: 'response',
    status: 'completed',
    model: reply.model,
    output: items(reply),
    usage: {
      input_tokens: reply.usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: reply.usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: reply.usage.input + reply.usage.output,
    },
  };
}

const items = (reply: Reply) => [
  ...(reply.text === '' ? [] : [spoken(reply)]),
  ...reply.calls.map(({ id, name, input }) => {
    const call = { id: `item_${id}`, call_id: id, ...named(name), status: 'completed' };
    return typeof input === 'string'
      ? { ...call, type: 'custom_tool_call', input }
      : { ...call, type: 'function_call', arguments: JSON.stringify(input) };
  }),
];

/** Codex has the tools of an MCP server in a space of their own. */
const named = (name: string) => {
  const [, namespace, inner] = /^(mcp__[a-z]+)__(\w+)$/.exec(name) ?? [];
  return namespace === undefined ? { name } : { name: inner, namespace };
};

const spoken = (reply: Reply) => ({
  type: 'message',
  id: `msg_${reply.id}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: reply.text, annotations: [] }],
});

function streamed(item: ReturnType<typeof items>[number], index: number): readonly string[] {
  const deltas = 'content' in item ? halves(item.content[0]?.text ?? '') : [];
  return [
    event('response.output_item.added', {
      output_index: index,
      item: 'content' in item ? { ...item, content: [] } : item,
    }),
    ...deltas.map((delta) =>
      event('response.output_text.delta', { item_id: item.id, output_index: index, content_index: 0, delta }),
    ),
    event('response.output_item.done', { output_index: index, item }),
  ];
}

function saidBy(item: Json): readonly Said[] {
  const type = text(field(item, 'type'));
  if (type.endsWith('_call')) return [{ from: 'agent', calls: [text(field(item, 'call_id'))] }];
  if (type.endsWith('_output')) return [{ from: 'tool' }];
  if (type === 'reasoning') return [];
  const role = text(field(item, 'role'));
  if (role === 'assistant') return [{ from: 'agent', calls: [] }];
  return role === 'user' ? [{ from: 'person', text: textOf(field(item, 'content')) }] : [];
}

function kind(status: number): string {
  const known: Readonly<Record<number, string>> = {
    400: 'context_length_exceeded',
    401: 'invalid_api_key',
    429: 'rate_limit_exceeded',
  };
  return known[status] ?? 'server_error';
}
