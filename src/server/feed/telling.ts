import type { DcmEvent } from '../../domain/external/dcm-events.ts';
import type { Stored } from '../../ports/ledger.ts';
import { channelsOf } from '../../protocol/channels.ts';
import { type Cursor, formatCursor } from '../../protocol/cursor.ts';

/** One envelope that is ready to go out: serialised once, whoever hears it. */
export type Telling = {
  readonly at: Cursor;
  readonly channels: ReadonlySet<string>;
  /** The envelope without its channel, which alone differs between listeners. */
  readonly rest: string;
};

/** What goes out for one event of the ledger: itself, then what was made from it. */
export function tellingsOf(repository: string, stored: Stored, made: DcmEvent | null): readonly Telling[] {
  const channels = channelsOf(stored.stream, stored.event);
  const envelopes = [{ event: stored.event.type, data: stored }, ...(made === null ? [] : [made])];
  const timestamp = Date.parse(stored.at);
  return envelopes.map(({ event, data }, part) => {
    const at = { seq: stored.seq, part };
    return { at, channels, rest: JSON.stringify({ event, data, timestamp, repository, id: formatCursor(at) }) };
  });
}

export const envelopeText = (channel: string, { rest }: Telling): string =>
  `{"channel":${JSON.stringify(channel)},${rest.slice(1)}`;
