import { type DcmEvent, dcmEventOf } from '../../domain/external/dcm-events.ts';
import { isExternalEvent } from '../../domain/external/events.ts';
import { evolveSession, foldSession, type Session } from '../../domain/external/session.ts';
import { isRunStream, type Ledger, type Stored } from '../../ports/ledger.ts';
import { waveEventOf } from '../../protocol/wave-events.ts';
import { type Telling, tellingsOf } from './telling.ts';

/** Tells events of the ledger in its order. */
type Narrator = (batch: readonly Stored[]) => Promise<readonly Telling[]>;

const external = 'external:';
const mostSessions = 100;

/**
 * What an event of a session means depends on what the session had come to; that is kept from one event to the next, and read
 * from the ledger where it is not known. So the same event is told the same way to one who comes late.
 */
export function narrator(repository: string, ledger: Pick<Ledger, 'read'>): Narrator {
  const sessions = new Map<string, { readonly position: number; readonly session: Session }>();

  const sessionBefore = async ({ stream, position }: Stored): Promise<Session> => {
    const kept = sessions.get(stream);
    if (kept?.position === position - 1) return kept.session;
    const past = position === 1 ? [] : await ledger.read(stream);
    return foldSession(
      stream.slice(external.length),
      past.filter((one) => one.position < position),
    );
  };
  const madeOf = async (stored: Stored): Promise<DcmEvent | null> => {
    const { stream, position, event } = stored;
    if (isRunStream(stream)) return waveEventOf(stream, event);
    if (!stream.startsWith(external)) return null;
    const session = evolveSession(await sessionBefore(stored), stored);
    if (sessions.size >= mostSessions) sessions.clear();
    sessions.set(stream, { position, session });
    return isExternalEvent(event) ? dcmEventOf(event, session) : null;
  };
  return async (batch) => {
    const told: Telling[] = [];
    for (const stored of batch) told.push(...tellingsOf(repository, stored, await madeOf(stored)));
    return told;
  };
}
