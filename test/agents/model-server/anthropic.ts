import type { Said } from './conversation.ts';
import { type Dialect, halves, type Reply, sse } from './dialect.ts';
import { field, type Json, keysOf, list, text, textOf } from './json.ts';

/** Anthropic Messages. */
export const anthropic: Dialect = {
  name: 'anthropic',
  read: (body) => ({
    said: list(field(body, 'messages')).flatMap(saidBy),
    tools: list(field(body, 'tools')).map((tool) => ({
      name: text(field(tool, 'name')),
      freeform: false,
      fields: keysOf(field(field(tool, 'input_schema'), 'properties')),
    })),
    stream: field(body, 'stream') === true,
    model: text(field(body, 'model')),
  }),
  stream: (reply) => [
    event('message_start', { message: { ...message(reply), content: [], stop_reason: null, usage: used(reply, 1) } }),
    ...content(reply).flatMap((block, index) => streamed(block, index)),
    event('message_delta', { delta: { stop_reason: reason(reply), stop_sequence: null }, usage: used(reply) }),
    event('message_stop', {}),
  ],
  whole: (reply) => ({ ...message(reply), content: content(reply), stop_reason: reason(reply), usage: used(reply) }),
  failure: (status, why) => ({ type: 'error', error: { type: errorType(status), message: why } }),
  overloaded: () => event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
};

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object | string };

const event = (type: string, rest: object) => sse({ type, ...rest }, type);

const message = (reply: Reply) => ({
  id: reply.id,
  type: 'message',
  role: 'assistant',
  model: reply.model,
  stop_sequence: null,
});

const content = (reply: Reply): readonly Block[] => [
  ...(reply.text === '' ? [] : [{ type: 'text' as const, text: reply.text }]),
  ...reply.calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input })),
];

function streamed(block: Block, index: number): readonly string[] {
  const start = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
  const deltas =
    block.type === 'text'
      ? halves(block.text).map((part) => ({ type: 'text_delta', text: part }))
      : halves(JSON.stringify(block.input)).map((part) => ({ type: 'input_json_delta', partial_json: part }));
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

const reason = (reply: Reply) => (reply.calls.length > 0 ? 'tool_use' : 'end_turn');

const used = (reply: Reply, output = reply.usage.output) => ({
  input_tokens: reply.usage.input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

function errorType(status: number): string {
  const known: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return known[status] ?? 'api_error';
}

function saidBy(message: Json): readonly Said[] {
  const parts = list(field(message, 'content'));
  if (text(field(message, 'role')) === 'assistant')
    return [{ from: 'agent', calls: parts.map((part) => text(field(part, 'id'))) }];
  const answers = parts.filter((part) => text(field(part, 'type')) === 'tool_result');
  const said = textOf(field(message, 'content'));
  return [
    ...answers.map(() => ({ from: 'tool' as const })),
    ...(said.trim() === '' ? [] : [{ from: 'person' as const, text: said }]),
  ];
}
