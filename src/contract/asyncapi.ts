import { z } from 'zod';
import type { DcmEvent } from '../dcm/derived-events.ts';
import { pageKeyProtocol, tokenProtocol } from '../protocol/credentials.ts';
import './documents.ts';
import {
  clientMessages,
  envelope,
  madePayloads,
  serverMessages,
  streamPath,
  streamProtocol,
} from '../protocol/envelope.ts';
import { eventTypes, madeEvents } from '../protocol/event-types.ts';
import { streamRoutes } from '../protocol/routes/stream.ts';

type Message = { readonly name: string; readonly summary: string; readonly payload: object };

/** The AsyncAPI 3 document: every message that goes over the WebSocket or the event stream, made from their schemas. */
export function asyncApi(version: string) {
  const events = [...ledgerMessages(), ...madeMessages()];
  const said = schemaMessages('The server says', serverMessages);
  const heard = schemaMessages('A client says', clientMessages);
  const refs = (place: string, messages: readonly Message[]) =>
    Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/${place}/messages/${name}` }]));
  const picked = (channel: string, messages: readonly Message[]) =>
    Object.values(refs(`channels/${channel}`, messages));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tidegate events',
      version,
      description: `Every event of the ledger of a repository, as it comes. Each envelope has an \`id\`: whoever resumes after it misses nothing and gets nothing twice. Envelopes go out on these channels: ${envelope.shape.channel.description ?? ''}.`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      local: {
        host: '127.0.0.1:3847',
        protocol: 'ws',
        description: 'What `tidegate serve` listens on; it prints its address',
        security: [{ $ref: '#/components/securitySchemes/token' }],
      },
    },
    channels: {
      stream: {
        address: streamPath,
        description: `A WebSocket. The token comes as \`Authorization: Bearer\`, as the subprotocol \`${tokenProtocol}<token>\` beside \`${streamProtocol}\`, or a browser has the cookie of a one-time link and names \`${pageKeyProtocol}<page key>\`.`,
        messages: refs('components', [...heard, ...said, ...events]),
      },
      'event-stream': {
        address: streamRoutes.watch.path,
        description: 'The same envelopes as server-sent events, by GET; `Last-Event-ID` resumes.',
        parameters: { repository: { description: 'as GET /v1/repositories names it' } },
        messages: refs('components', events),
      },
    },
    operations: {
      listen: {
        action: 'receive',
        channel: { $ref: '#/channels/stream' },
        summary: 'A client says what it wants to hear; it can never publish',
        messages: picked('stream', heard),
      },
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        summary: 'Envelopes, answers and signs of life',
        messages: picked('stream', [...said, ...events]),
      },
      'tell-by-http': {
        action: 'send',
        channel: { $ref: '#/channels/event-stream' },
        summary: 'Envelopes only',
        messages: picked('event-stream', events),
      },
    },
    components: {
      messages: Object.fromEntries(
        [...heard, ...said, ...events].map((message) => [
          message.name,
          { contentType: 'application/json', ...message },
        ]),
      ),
      schemas: definitionsOf(envelope),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: '`tidegate token` prints one' } },
    },
  };
}

function ledgerMessages(): readonly Message[] {
  return Object.entries(eventTypes).map(([name, summary]) => ({
    name,
    summary,
    payload: enveloped(name, {
      allOf: [
        { $ref: '#/components/schemas/StoredEvent' },
        { type: 'object', properties: { event: { type: 'object', properties: { type: { const: name } } } } },
      ],
    }),
  }));
}

function madeMessages(): readonly Message[] {
  return (Object.keys(madeEvents) as DcmEvent['event'][]).map((name) => ({
    name,
    summary: madeEvents[name],
    payload: enveloped(name, schemaOf(madePayloads[name])),
  }));
}

const enveloped = (name: string, data: object): object => ({
  allOf: [{ $ref: '#/components/schemas/Envelope' }, { type: 'object', properties: { event: { const: name }, data } }],
});

const schemaMessages = (who: string, messages: Readonly<Record<string, z.ZodType>>): readonly Message[] =>
  Object.entries(messages).map(([name, schema]) => ({ name, summary: `${who} ${name}`, payload: schemaOf(schema) }));

type Json = Readonly<Record<string, unknown>>;

function schemaOf(schema: z.ZodType): Json {
  // AsyncAPI 3 takes schemas of draft 7
  const made = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  const { $schema: _, definitions: _named, ...rest } = linked(made);
  return rest;
}

/** A schema with a name of its own, and those that it is made of, by their names. */
function definitionsOf(schema: z.ZodType): Readonly<Record<string, Json>> {
  const made = linked(z.toJSONSchema(z.array(schema), { io: 'output', target: 'draft-7' }));
  return made['definitions'] as Readonly<Record<string, Json>>;
}

const linked = (schema: object): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/'));
