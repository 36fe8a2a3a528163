import type { Result } from '../domain/base/result.ts';
import { followLedger } from '../engine/follow-ledger.ts';
import { externalStream, isExternalStream, type Ledger, sessionOf } from '../ports/ledger.ts';
import type { Asked } from './decide.ts';
import type { Refusal } from './refusal.ts';
import { foldSession, newSession, type Session } from './session.ts';
import { openSessionLog, type SessionLog } from './session-log.ts';

/** Every session that others drive in one repository, with its fold kept in memory, fed event by event. */
export type LiveSessions = {
  /** As the ledger has it now, or had it at that event; one that nobody has asked anything of is empty. */
  session(id: string, at?: number): Promise<Session>;
  /** The session that a batch is in, for good. */
  ofBatch(batch: string): Promise<string | undefined>;
  ofSubtask(subtask: string): Promise<string | undefined>;
  ask(session: string, asked: Asked): Promise<Result<Session, Refusal>>;
};

export function liveSessions(ledger: Pick<Ledger, 'read' | 'readAll' | 'subscribe' | 'appendExternal'>): LiveSessions {
  const logs = new Map<string, SessionLog>();
  const batches = new Map<string, string>();
  const subtasks = new Map<string, string>();
  const logOf = (id: string): SessionLog => {
    const log = logs.get(id) ?? openSessionLog(ledger, id);
    logs.set(id, log);
    return log;
  };
  const { catchUp } = followLedger(ledger, (stored) => {
    if (!isExternalStream(stored.stream)) return;
    const id = sessionOf(stored.stream);
    logOf(id).take(stored);
    if (stored.event.type !== 'external-batch-submitted') return;
    batches.set(stored.event.batch, id);
    for (const subtask of stored.event.subtasks) subtasks.set(subtask.id, id);
  });
  const found = async (among: ReadonlyMap<string, string>, id: string): Promise<string | undefined> => {
    if (!among.has(id)) await catchUp();
    return among.get(id);
  };
  return {
    session: async (id, at) => {
      if (at !== undefined) {
        const past = await ledger.read(externalStream(id));
        return foldSession(
          id,
          past.filter(({ seq }) => seq <= at),
        );
      }
      await catchUp();
      return logs.get(id)?.state() ?? newSession(id);
    },
    ofBatch: (batch) => found(batches, batch),
    ofSubtask: (subtask) => found(subtasks, subtask),
    ask: (session, asked) => logOf(session).ask(asked),
  };
}
