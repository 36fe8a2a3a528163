import { derivedEventOf } from '../../dcm/derived-events.ts';
import { type DcmSession, evolveDcmSession, foldDcmSession } from '../../dcm/session.ts';
import { isDcmEvent } from '../../domain/ledger/dcm-events.ts';
import { dcmSessionOf, isDcmStream, isRunStream, type Ledger, type Stored } from '../../ports/ledger.ts';
import { type Cursor, channelsOf, type DerivedEvent, formatCursor, waveEventOf } from '../../protocol/envelope.ts';

/** One envelope that is ready to be sent: serialised once for all listeners. */
export type EncodedEvent = {
  readonly at: Cursor;
  readonly channels: ReadonlySet<string>;
  /** The envelope without its channel, which alone differs between listeners. */
  readonly rest: string;
};

/** The form of envelopes on the wire: frames of a WebSocket, or the lines of an event stream. */
export type Encoding = 'frames' | 'lines';

const mostSessions = 100;

/**
 * Encodes events in the order of the ledger. The meaning of an event depends on the session before it, which is kept from one event to
 * the next and read from the ledger where it is not known. So every listener gets the same event in the same form.
 */
export function eventEncoder(
  repository: string,
  ledger: Pick<Ledger, 'read'>,
): (batch: readonly Stored[]) => Promise<readonly EncodedEvent[]> {
  const sessions = new Map<string, { readonly position: number; readonly session: DcmSession }>();

  const sessionBefore = async ({ stream, position }: Stored): Promise<DcmSession> => {
    const cached = sessions.get(stream);
    if (cached?.position === position - 1) return cached.session;
    const past = position === 1 ? [] : await ledger.read(stream);
    return foldDcmSession(
      dcmSessionOf(stream),
      past.filter((one) => one.position < position),
    );
  };
  const derivedEvent = async (stored: Stored): Promise<DerivedEvent | null> => {
    const { stream, position, event } = stored;
    if (isRunStream(stream)) return waveEventOf(stream, event);
    if (!isDcmStream(stream)) return null;
    const session = evolveDcmSession(await sessionBefore(stored), stored);
    if (sessions.size >= mostSessions) sessions.clear();
    sessions.set(stream, { position, session });
    return isDcmEvent(event) ? derivedEventOf(event, session) : null;
  };
  return async (batch) => {
    const events: EncodedEvent[] = [];
    for (const stored of batch) events.push(...envelopesOf(repository, stored, await derivedEvent(stored)));
    return events;
  };
}

/** Returns the envelope of an event of the ledger, and then that of the event derived from it. */
function envelopesOf(repository: string, stored: Stored, derived: DerivedEvent | null): readonly EncodedEvent[] {
  const channels = channelsOf(stored.stream, stored.event);
  const envelopes = [{ event: stored.event.type, data: stored }, ...(derived === null ? [] : [derived])];
  const timestamp = Date.parse(stored.at);
  return envelopes.map(({ event, data }, part) => {
    const at = { seq: stored.seq, part };
    return { at, channels, rest: JSON.stringify({ event, data, timestamp, repository, id: formatCursor(at) }) };
  });
}

/** Returns many envelopes as one piece of bytes, for one write. */
export function bytesOf(encoding: Encoding, channel: string, events: readonly EncodedEvent[]): Buffer {
  return Buffer.concat(
    events.map(({ at, rest }) => {
      const envelope = `{"channel":${JSON.stringify(channel)},${rest.slice(1)}`;
      // JSON text has no line break
      return encoding === 'frames'
        ? textFrame(envelope)
        : Buffer.from(`id: ${formatCursor(at)}\ndata: ${envelope}\n\n`);
    }),
  );
}

/** Returns a whole text message of a server (RFC 6455 5.2): final, not masked, not compressed. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const header = bytes < 126 ? 2 : bytes < 1 << 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + bytes);
  frame[0] = 0x81;
  frame[1] = header === 2 ? bytes : header === 4 ? 126 : 127;
  if (header === 4) frame.writeUInt16BE(bytes, 2);
  if (header === 10) frame.writeBigUInt64BE(BigInt(bytes), 2);
  frame.write(text, header);
  return frame;
}
