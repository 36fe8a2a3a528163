import { evolveSession, newSession, type Session } from '../domain/external/session.ts';
import { isExternalStream, type Ledger, sessionOf } from '../ports/ledger.ts';
import { follower } from './follower.ts';

/** Every session that others drive in one repository, with its fold kept in memory, fed event by event. */
export type LiveSessions = {
  /** As the ledger has it now; one that nobody has asked anything of is empty. */
  session(id: string): Promise<Session>;
  ofBatch(id: string): Promise<Session | undefined>;
  ofSubtask(id: string): Promise<Session | undefined>;
};

export function liveSessions(ledger: Pick<Ledger, 'readAll'>): LiveSessions {
  const sessions = new Map<string, Session>();
  const batches = new Map<string, string>();
  const subtasks = new Map<string, string>();
  const { catchUp } = follower(ledger, (stored) => {
    if (!isExternalStream(stored.stream)) return;
    const id = sessionOf(stored.stream);
    sessions.set(id, evolveSession(sessions.get(id) ?? newSession(id), stored));
    if (stored.event.type !== 'external-batch-submitted') return;
    batches.set(stored.event.batch, id);
    for (const subtask of stored.event.subtasks) subtasks.set(subtask.id, id);
  });
  const caughtUp = async (id: () => string | undefined): Promise<Session | undefined> => {
    await catchUp();
    const known = id();
    return known === undefined ? undefined : sessions.get(known);
  };
  return {
    session: async (id) => (await caughtUp(() => id)) ?? newSession(id),
    ofBatch: (id) => caughtUp(() => batches.get(id)),
    ofSubtask: (id) => caughtUp(() => subtasks.get(id)),
  };
}
