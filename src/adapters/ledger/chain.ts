import { hash } from 'node:crypto';
import { type ChainLink, type ChainTip, genesis, linkHash, type Sha256, walkChain } from '../../domain/ledger/chain.ts';
import { type DcmEvent, isDcmEvent } from '../../domain/ledger/dcm-events.ts';
import { eventBody, hashRule, ledgerFormat, opening, readEvent } from '../../domain/ledger/event-format.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import { maskedEvent } from '../../domain/secrets/secret-shapes.ts';
import { dcmStream, type Stored } from '../../ports/ledger.ts';

export const sha256: Sha256 = (text) => hash('sha256', text, 'hex');

/** Events of a caller, checked and serialised before any transaction starts. */
export type SerializedEvents = { readonly stream: string; readonly bodies: readonly string[] };

export function draft(stream: string, events: readonly LedgerEvent[]): SerializedEvents {
  if (!/^[\x21-\x7e]{1,200}$/.test(stream)) throw new TypeError(`not a stream name: ${JSON.stringify(stream)}`);
  return { stream, bodies: events.map((event) => eventBody(maskedEvent(event))) };
}

/** Only facts of a DCM session need no epoch. */
export function draftDcm(session: string, events: readonly DcmEvent[]): SerializedEvents {
  if (!events.every(isDcmEvent)) throw new TypeError('only facts of a session may be appended without an epoch');
  return draft(dcmStream(session), events);
}

/** Links drafted events to the end of the chain. `position` is that of the stream's last event. */
export function chain(
  draft: SerializedEvents,
  after: { tip: ChainTip; position: number },
  mark: { epoch: number; at: string },
): ChainLink[] {
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

/** The first record of every ledger. */
export function firstLink(at: string): ChainLink {
  const [link] = chain(draft('repo', [opening]), { tip: genesis, position: 0 }, { epoch: 0, at });
  if (link === undefined) throw new Error('a draft of one event links one');
  return link;
}

/** `damage`: the record was changed after it was written. `foreign`: a Tidegate of another format wrote it. */
type OpeningProblem = { readonly kind: 'damage' | 'foreign'; readonly problem: string };

/** Returns why this version cannot read a ledger with this first record; null when it can. */
export function openingProblem(first: ChainLink | undefined): OpeningProblem | null {
  if (first === undefined) return { kind: 'damage', problem: 'it has no first event' };
  const { format, hashing } = claimsOf(parse(first.body));
  const broken = hashing === hashRule ? walkChain(sha256).step(first) : null;
  if (broken !== null) return { kind: 'damage', problem: `seq ${first.seq}: ${broken}` };
  if (format !== ledgerFormat)
    return {
      kind: 'foreign',
      problem: `its format is ${JSON.stringify(format)}, and this Tidegate reads only format ${ledgerFormat}`,
    };
  if (hashing !== hashRule)
    return {
      kind: 'foreign',
      problem: `its hash rule is ${JSON.stringify(hashing)}, and this Tidegate knows only ${hashRule}`,
    };
  return null;
}

/** Format 1 had no opening, and the hash rule of format 2. */
function claimsOf(event: unknown): { readonly format: unknown; readonly hashing: unknown } {
  const isOpening = typeof event === 'object' && event !== null && 'type' in event && event.type === 'ledger-opened';
  if (!isOpening) return { format: 1, hashing: hashRule };
  return {
    format: 'format' in event ? event.format : null,
    hashing: 'hashing' in event ? event.hashing : null,
  };
}

/** Parses an event and upgrades it to the current version of its type. The chain verifies integrity. */
export function storedOf({ body, ...rest }: ChainLink): Stored {
  const read = readEvent(parse(body));
  switch (read.kind) {
    case 'event':
      return { ...rest, event: read.event };
    case 'newer':
      throw new NewerEvent(`seq ${rest.seq} is ${read.type} of version ${read.version}, which a newer Tidegate wrote`);
    case 'malformed':
      throw new NotAnEvent(`seq ${rest.seq} holds no event`);
  }
}

/** A stored row that this program did not write. */
export class NotAnEvent extends Error {}
/** An event of a later version. */
export class NewerEvent extends Error {}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
