import { isExternalStream, type Ledger, sessionOf } from '../ports/ledger.ts';
import { type ReplayedSession, replaySession } from './replay.ts';

/** Every session of the repository that others drive, decided again from its first event. */
export async function replaySessions(ledger: Ledger): Promise<readonly ReplayedSession[]> {
  const streams = (await ledger.streams()).filter(isExternalStream);
  return await Promise.all(streams.map(async (stream) => replaySession(sessionOf(stream), await ledger.read(stream))));
}
