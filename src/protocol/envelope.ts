import { z } from 'zod';
import type { DcmEvent } from '../dcm/derived-events.ts';
import { channelPattern } from './channels.ts';
import { cursorPattern } from './cursor.ts';
import { id } from './documents/common.ts';
import { storedEvent } from './documents/task.ts';

export const cursor = z.string().regex(cursorPattern, 'is not a cursor').meta({
  description: 'a place in the events of one repository: `<seq>`, or `<seq>.<part>` for what was made from that event',
});
export const channel = z.string().regex(channelPattern, 'is not a channel').meta({
  description: '`global`, `run/<run>`, `task/<run>/<task>` or `agent/<attempt>`',
});

/** What goes out for each event, on WebSocket and SSE alike. */
export const envelope = z.strictObject({
  channel,
  event: z.string().meta({ description: 'the type of the ledger event, or one of wave.* and batch.*' }),
  data: z.union([storedEvent, z.looseObject({})]),
  timestamp: z.int().meta({ description: 'milliseconds since 1970, for people only: `id` orders' }),
  repository: id,
  id: cursor,
});
export type Envelope = z.infer<typeof envelope>;

export const madePayloads = {
  'wave.transitioned': z.looseObject({
    session_id: z.string(),
    from: z.int(),
    to: z.int().min(0),
    status: z.string(),
  }),
  'wave.completed': z.looseObject({ session_id: z.string(), wave_number: z.int().min(0) }),
  'wave.failed': z.looseObject({ session_id: z.string(), wave_number: z.int().min(0) }),
  'batch.created': z.looseObject({ batch_id: z.string(), session_id: z.string(), wave_number: z.int().min(0) }),
  'batch.completed': z.looseObject({
    batch_id: z.string(),
    session_id: z.string(),
    wave_number: z.int().min(0),
    completed_tasks: z.int().min(0),
    failed_tasks: z.int().min(0),
    next_wave_ready: z.boolean(),
  }),
} as const satisfies Readonly<Record<DcmEvent['event'], z.ZodType>>;

/** All that a client can say: it listens, and never publishes. */
export const clientMessages = {
  subscribe: z.strictObject({
    type: z.literal('subscribe'),
    repository: id,
    channel: channel.default('global'),
    after: cursor.optional().meta({ description: 'the last one that was handled; without it, from now on' }),
  }),
  unsubscribe: z.strictObject({ type: z.literal('unsubscribe'), repository: id, channel: channel.default('global') }),
  ping: z.strictObject({ type: z.literal('ping') }),
} as const;
export const clientMessage = z.discriminatedUnion('type', [
  clientMessages.subscribe,
  clientMessages.unsubscribe,
  clientMessages.ping,
]);
export type ClientMessage = z.infer<typeof clientMessage>;

/** What the server says beside envelopes. */
export const serverMessages = {
  subscribed: z.strictObject({ type: z.literal('subscribed'), repository: id, channel, after: cursor }),
  unsubscribed: z.strictObject({ type: z.literal('unsubscribed'), repository: id, channel }),
  dropped: z.strictObject({
    type: z.literal('dropped'),
    repository: id,
    channel,
    resume: cursor.meta({
      description: 'the last one that was sent; resume after it, or after the last you have handled',
    }),
    why: z.enum(['slow', 'unavailable']),
  }),
  error: z.strictObject({ type: z.literal('error'), reason: z.string(), detail: z.string() }),
  heartbeat: z.strictObject({ type: z.literal('heartbeat'), timestamp: z.int() }),
  pong: z.strictObject({ type: z.literal('pong') }),
} as const;
export type ServerMessage = {
  [Name in keyof typeof serverMessages]: z.infer<(typeof serverMessages)[Name]>;
}[keyof typeof serverMessages];

/** The subprotocol that the server answers with. */
export const streamProtocol = 'tidegate';
export const streamPath = '/v1/stream';
