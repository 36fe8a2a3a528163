import { hash } from 'node:crypto';
import { eventBody, type Link, linkHash, type Sha256, type Tip } from '../domain/chain.ts';
import type { LedgerEvent } from '../domain/events.ts';
import { type ExternalEvent, isExternalEvent } from '../domain/external/events.ts';
import { externalStream, type Stored } from '../ports/ledger.ts';

export const sha256: Sha256 = (text) => hash('sha256', text, 'hex');

/** What a caller wants stored, checked and serialised before any transaction starts. */
export type Draft = { readonly stream: string; readonly bodies: readonly string[] };

export function draft(stream: string, events: readonly LedgerEvent[]): Draft {
  if (!/^[\x21-\x7e]{1,200}$/.test(stream)) throw new TypeError(`not a stream name: ${JSON.stringify(stream)}`);
  return { stream, bodies: events.map(eventBody) };
}

/** What needs no epoch: facts of a session that others drive, and nothing else. */
export function draftExternal(session: string, events: readonly ExternalEvent[]): Draft {
  if (!events.every(isExternalEvent)) throw new TypeError('only facts of a session may be appended without an epoch');
  return draft(externalStream(session), events);
}

/** Links drafted events to the end of the chain. `position` is that of the stream's last event. */
export function chain(
  draft: Draft,
  after: { tip: Tip; position: number },
  mark: { epoch: number; at: string },
): Link[] {
  let { hash: previous } = after.tip;
  return draft.bodies.map((body, index) => {
    const record = {
      seq: after.tip.seq + index + 1,
      stream: draft.stream,
      position: after.position + index + 1,
      body,
      ...mark,
    };
    previous = linkHash(sha256, previous, record);
    return { ...record, hash: previous };
  });
}

/** Integrity is the chain's matter; here only the one field is looked at that everything switches on. */
export function storedOf({ body, ...rest }: Link): Stored {
  const event = parse(body);
  if (!isEvent(event)) throw new NotAnEvent(`seq ${rest.seq} holds no event`);
  return { ...rest, event };
}

/** A stored row is not what this program writes. */
export class NotAnEvent extends Error {}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const isEvent = (value: unknown): value is LedgerEvent =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
