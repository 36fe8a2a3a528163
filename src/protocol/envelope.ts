import { z } from 'zod';
import { passes } from '../domain/gates/verdict.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import { id } from './documents/common.ts';
import { storedEvent } from './documents/task.ts';

/** The subprotocol that the server answers with. */
export const streamProtocol = 'tidegate';
export const streamPath = '/v1/stream';

/**
 * A place in the events of one repository: `<seq>` is an event of the ledger, `<seq>.<part>` an event derived from it.
 * A client that resumes after a cursor gets exactly the events that follow it.
 */
export type Cursor = { readonly seq: number; readonly part: number };

/** Before the first event. */
export const beginning: Cursor = { seq: 0, part: 0 };

export const cursorPattern = /^(0|[1-9]\d{0,14})(?:\.([1-9]\d?))?$/;

export function parseCursor(text: string): Cursor | null {
  const [, seq, part = '0'] = cursorPattern.exec(text) ?? [];
  return seq === undefined ? null : { seq: Number(seq), part: Number(part) };
}

export const formatCursor = ({ seq, part }: Cursor): string => (part === 0 ? `${seq}` : `${seq}.${part}`);

export const isAfter = (a: Cursor, b: Cursor): boolean => a.seq > b.seq || (a.seq === b.seq && a.part > b.part);

/**
 * The channels that a client may listen to.
 *   global              everything of the repository
 *   run/<run>           one run; a DCM session is `run/external:<session>`
 *   task/<run>/<task>   events that name this task, also as one of several; in a DCM session, the subtask
 *   agent/<attempt>     one launch of an agent, from its intent to its end; in a DCM session, the agent id that its driver chose
 */
export const channelPattern =
  /^(?:global|run\/[!-.0-~]{1,200}|task\/[!-.0-~]{1,200}\/[!-.0-~]{1,200}|agent\/[!-.0-~]{1,400})$/;

/** Returns every channel that an event of the ledger goes out on. */
export function channelsOf(stream: string, event: LedgerEvent): ReadonlySet<string> {
  const ofRun = stream === 'repo' ? [] : [`run/${stream}`, ...tasksOf(event).map((task) => `task/${stream}/${task}`)];
  return new Set(['global', ...ofRun, ...agentsOf(event).map((agent) => `agent/${agent}`)]);
}

function tasksOf(event: LedgerEvent): readonly string[] {
  switch (event.type) {
    case 'candidate-built':
      return [...event.steps, ...event.conflicts].map(({ task }) => task);
    case 'external-batch-submitted':
      return event.subtasks.map(({ id: subtask }) => subtask);
    case 'external-subtask-updated':
    case 'external-action-recorded':
      return event.subtask === null ? [] : [event.subtask];
    default: {
      const one = 'task' in event && event.task !== null ? [event.task] : [];
      const several = 'tasks' in event ? (event.tasks ?? []) : [];
      return [...one, ...several.map((each) => (typeof each === 'string' ? each : each.task))];
    }
  }
}

function agentsOf(event: LedgerEvent): readonly string[] {
  if ('attempt' in event) return [event.attempt];
  return event.type === 'external-subtask-updated' && event.agentId !== undefined ? [event.agentId] : [];
}

export const cursor = z.string().regex(cursorPattern, 'is not a cursor').meta({
  description: 'a place in the events of one repository: `<seq>`, or `<seq>.<part>` for an event derived from that one',
});
export const channel = z.string().regex(channelPattern, 'is not a channel').meta({
  description: '`global`, `run/<run>`, `task/<run>/<task>` or `agent/<attempt>`',
});

/** The form of each event on WebSocket and SSE alike. */
export const envelope = z.strictObject({
  channel,
  event: z.string().meta({ description: 'the type of the ledger event, or one of wave.* and batch.*' }),
  data: z.union([storedEvent, z.looseObject({})]),
  timestamp: z.int().meta({ description: 'milliseconds since 1970, for people only: `id` gives the order' }),
  repository: id,
  id: cursor,
});
export type Envelope = z.infer<typeof envelope>;

/** Events that are derived from events of the ledger, by the names that DCM documents. */
export const derivedPayloads = {
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
} as const;

/** The envelope adds channel and timestamp. */
export type DerivedEvent = {
  readonly event: keyof typeof derivedPayloads;
  readonly data: Readonly<Record<string, unknown>>;
};

/**
 * Derives a wave event from an event of a run. It depends on this event alone, so that clients that resume anywhere get the same
 * events. A run has no batches, and its waves wait for a person instead of failing.
 */
export function waveEventOf(run: string, event: LedgerEvent): DerivedEvent | null {
  if (event.type === 'wave-closed')
    return { event: 'wave.completed', data: { session_id: run, wave_number: event.wave } };
  if (event.type !== 'phase-judged' || event.phase !== 'approval' || !passes(event.verdicts)) return null;
  const data = { session_id: run, from: event.wave - 1, to: event.wave, status: 'running' };
  return { event: 'wave.transitioned', data };
}

/** All messages of a client: it listens and never publishes. */
export const clientMessages = {
  subscribe: z.strictObject({
    type: z.literal('subscribe'),
    repository: id,
    channel: channel.default('global'),
    after: cursor.optional().meta({ description: 'the last event that you have handled; without it, from now on' }),
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

/** Messages of the server beside envelopes. */
export const serverMessages = {
  subscribed: z.strictObject({ type: z.literal('subscribed'), repository: id, channel, after: cursor }),
  unsubscribed: z.strictObject({ type: z.literal('unsubscribed'), repository: id, channel }),
  dropped: z.strictObject({
    type: z.literal('dropped'),
    repository: id,
    channel,
    resume: cursor.meta({
      description: 'the last event that was sent; resume after it, or after the last one that you have handled',
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
