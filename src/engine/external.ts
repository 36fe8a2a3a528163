import { answerExternal } from '../domain/external/decide.ts';
import { evolveSession, newSession, type Session } from '../domain/external/session.ts';
import { isExternalStream, type Ledger, type Stored, type Stream, sessionOf } from '../ports/ledger.ts';
import { openStreamLog, type StreamLog } from './stream-log.ts';

/** Sessions that others drive: nothing is done in them but answering, each request with the facts that follow in one append. */
export type Sessions = {
  /** Knows these streams, and has answered all that was asked in them so far. */
  look(streams: readonly Stream[]): Promise<void>;
  notice(stored: Stored): void;
  /** Resolves when no answer is under way. */
  settled(): Promise<void>;
};

export function answerSessions(ledger: Ledger, epoch: number, failed: (cause: unknown) => void): Sessions {
  const sessions = new Map<Stream, { readonly log: StreamLog<Session>; answering: Promise<void> | null }>();
  const entryOf = (stream: Stream) => {
    const entry = sessions.get(stream) ?? {
      log: openStreamLog(ledger, stream, epoch, { initial: newSession(sessionOf(stream)), evolve: evolveSession }),
      answering: null,
    };
    sessions.set(stream, entry);
    return entry;
  };
  /** All that waits is answered at once; what is asked meanwhile makes the append lose, and is answered with it. */
  const answer = async (log: StreamLog<Session>): Promise<void> => {
    while (log.state().pending.length > 0) await log.record(answerExternal);
  };
  const answered = (entry: ReturnType<typeof entryOf>): Promise<void> => {
    entry.answering ??= answer(entry.log).finally(() => {
      entry.answering = null;
    });
    return entry.answering;
  };
  return {
    look: async (streams) => {
      for (const entry of streams.filter(isExternalStream).map(entryOf)) {
        await entry.log.catchUp();
        await answered(entry);
      }
    },
    notice: (stored) => {
      const entry = entryOf(stored.stream);
      entry.log.take([stored]);
      if (entry.log.state().pending.length > 0) answered(entry).catch(failed);
    },
    settled: async () => {
      await Promise.all([...sessions.values()].map(({ answering }) => answering));
    },
  };
}
