import { z } from 'zod';
import { pageKeyProtocol, tokenProtocol } from '../protocol/credentials.ts';
import './documents.ts';
import {
  clientMessages,
  derivedPayloads,
  envelope,
  serverMessages,
  streamPath,
  streamProtocol,
} from '../protocol/envelope.ts';
import { derivedEvents, eventTypes } from '../protocol/event-types.ts';
import { streamRoutes } from '../protocol/routes/runs.ts';

type Message = { readonly name: string; readonly summary: string; readonly payload: object };

/** Returns the AsyncAPI 3 document: every message of the WebSocket and of the event stream, from their schemas. */
export function asyncApi(version: string) {
  const events = [...ledgerMessages(), ...derivedMessages()];
  const fromServer = schemaMessages('The server sends', serverMessages);
  const fromClient = schemaMessages('A client sends', clientMessages);
  const refs = (place: string, messages: readonly Message[]) =>
    Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/${place}/messages/${name}` }]));
  const picked = (channel: string, messages: readonly Message[]) =>
    Object.values(refs(`channels/${channel}`, messages));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tidegate events',
      version,
      description: `Every event of the ledger of a repository, as it is recorded. Each envelope has an \`id\`: a client that resumes after it misses nothing and gets nothing twice. The channels are ${envelope.shape.channel.description ?? ''}.`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      local: {
        host: '127.0.0.1:3847',
        protocol: 'ws',
        description: 'The address that `tidegate serve` prints',
        security: [{ $ref: '#/components/securitySchemes/token' }],
      },
    },
    channels: {
      stream: {
        address: streamPath,
        description: `A WebSocket. Send the token as \`Authorization: Bearer\`, or as the subprotocol \`${tokenProtocol}<token>\` beside \`${streamProtocol}\`. A browser with the cookie of a one-time link sends \`${pageKeyProtocol}<page key>\` instead.`,
        messages: refs('components', [...fromClient, ...fromServer, ...events]),
      },
      'event-stream': {
        address: streamRoutes.watch.path,
        description: 'The same envelopes as server-sent events, by GET; `Last-Event-ID` resumes.',
        parameters: { repository: { description: 'an id of GET /v1/repositories' } },
        messages: refs('components', events),
      },
    },
    operations: {
      listen: {
        action: 'receive',
        channel: { $ref: '#/channels/stream' },
        summary: 'A client chooses its channels; it can never publish',
        messages: picked('stream', fromClient),
      },
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        summary: 'Envelopes, answers and heartbeats',
        messages: picked('stream', [...fromServer, ...events]),
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
        [...fromClient, ...fromServer, ...events].map((message) => [
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

function derivedMessages(): readonly Message[] {
  return (Object.keys(derivedEvents) as (keyof typeof derivedEvents)[]).map((name) => ({
    name,
    summary: derivedEvents[name],
    payload: enveloped(name, schemaOf(derivedPayloads[name])),
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

/** Returns a named schema and the named schemas inside it, by name. */
function definitionsOf(schema: z.ZodType): Readonly<Record<string, Json>> {
  const made = linked(z.toJSONSchema(z.array(schema), { io: 'output', target: 'draft-7' }));
  return made['definitions'] as Readonly<Record<string, Json>>;
}

const linked = (schema: object): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/'));
