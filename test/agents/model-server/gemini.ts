import type { Said } from './conversation.ts';
import { type Dialect, halves, type Reply, sse } from './dialect.ts';
import { field, type Json, keysOf, list, text, textOf } from './json.ts';

/** Gemini `generateContent` and `streamGenerateContent`. Whether to stream is in the address, not in the body. */
export const gemini: Dialect = {
  name: 'gemini',
  read: (body) => ({
    said: list(field(body, 'contents')).flatMap(saidBy),
    tools: list(field(body, 'tools'))
      .flatMap((group) => list(field(group, 'functionDeclarations')))
      .map((tool) => ({
        name: text(field(tool, 'name')),
        freeform: false,
        fields: keysOf(field(field(tool, 'parametersJsonSchema') ?? field(tool, 'parameters'), 'properties')),
      })),
    stream: false,
    model: '',
  }),
  stream: (reply) => [
    ...(reply.text === '' ? [] : halves(reply.text).map((part) => sse(document(reply, [{ text: part }], null)))),
    sse(document(reply, calls(reply), 'STOP')),
  ],
  whole: (reply) => document(reply, [...(reply.text === '' ? [] : [{ text: reply.text }]), ...calls(reply)], 'STOP'),
  failure: (status, message) => ({ error: { code: status, status: kind(status), message } }),
  overloaded: () => sse({ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }),
};

const document = (reply: Reply, parts: readonly object[], finish: string | null) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] },
      ...(finish === null ? {} : { finishReason: finish }),
    },
  ],
  usageMetadata: {
    promptTokenCount: reply.usage.input,
    candidatesTokenCount: reply.usage.output,
    totalTokenCount: reply.usage.input + reply.usage.output,
  },
  modelVersion: reply.model,
  responseId: reply.id,
});

const calls = (reply: Reply) => reply.calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));

function saidBy(content: Json): readonly Said[] {
  const parts = list(field(content, 'parts'));
  if (text(field(content, 'role')) === 'model')
    return [{ from: 'agent', calls: parts.map((part) => text(field(field(part, 'functionCall'), 'id'))) }];
  const answers = parts.filter((part) => field(part, 'functionResponse') !== undefined);
  const said = textOf(parts);
  return [
    ...answers.map(() => ({ from: 'tool' as const })),
    ...(said.trim() === '' ? [] : [{ from: 'person' as const, text: said }]),
  ];
}

function kind(status: number): string {
  const known: Readonly<Record<number, string>> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    429: 'RESOURCE_EXHAUSTED',
  };
  return known[status] ?? 'UNAVAILABLE';
}
