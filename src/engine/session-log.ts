import { ok, type Result } from '../domain/base/result.ts';
import { type Asked, type Decided, decideTogether } from '../domain/external/decide.ts';
import type { ExternalEvent } from '../domain/external/events.ts';
import type { Refusal } from '../domain/external/refusal.ts';
import { evolveSession, newSession, type Session } from '../domain/external/session.ts';
import { externalStream, type Ledger, type Stored } from '../ports/ledger.ts';
import { type AppendResult, openStreamLog } from './run-log.ts';

/**
 * One session that others drive, with its fold kept in memory. It has no attempts and no merge, so nothing of it waits for a coordinator:
 * whoever is asked decides and appends at the position that was decided from.
 */
export type SessionLog = {
  state(): Session;
  /** Folds in what follows on the last event that is folded in; what is known already is passed over. */
  take(stored: Stored): void;
  /** The session right after what was asked is recorded. Those who ask while an append is under way share the next one. */
  ask(asked: Asked): Promise<Answer>;
};
type Answer = Result<Session, Refusal>;
type Waiting = { readonly asked: Asked; resolve(answer: Answer): void; reject(cause: unknown): void };

export function openSessionLog(ledger: Pick<Ledger, 'read' | 'appendExternal'>, session: string): SessionLog {
  const log = openStreamLog<Session, ExternalEvent>({
    initial: newSession(session),
    evolve: evolveSession,
    read: (after) => ledger.read(externalStream(session), after),
    append: async (position, events) => {
      const appended = await ledger.appendExternal(session, position, events);
      return appended.outcome === 'appended' ? appended.stored : null;
    },
  });
  let waiting: Waiting[] = [];
  let isAnswering = false;

  /** Decides until the answers are those to the newest state: an append proves it, else a look at the ledger does. */
  const answersTo = async (asked: readonly Asked[]): Promise<readonly Answer[]> => {
    for (;;) {
      let decided: readonly Decided[] = [];
      const recorded = await log.record((state) => {
        decided = decideTogether(state, asked);
        return decided.flatMap((one) => (one.ok ? one.value : []));
      });
      if (recorded.after.length > 0 || !(await log.catchUp())) return answersAfter(recorded, decided);
    }
  };

  const answerAll = async (): Promise<void> => {
    isAnswering = true;
    while (waiting.length > 0) {
      // those who ask in one turn of the loop share one append as well
      await new Promise((resolve) => setImmediate(resolve));
      const together = waiting;
      waiting = [];
      try {
        const answers = await answersTo(together.map(({ asked }) => asked));
        for (const [at, answer] of answers.entries()) together[at]?.resolve(answer);
      } catch (cause) {
        for (const { reject } of together) reject(cause);
      }
    }
    isAnswering = false;
  };

  return {
    state: log.state,
    take: log.take,
    ask: (asked) =>
      new Promise((resolve, reject) => {
        waiting.push({ asked, resolve, reject });
        if (!isAnswering) void answerAll();
      }),
  };
}

/** Each with the session as it is right after its own facts. */
function answersAfter({ before, after }: AppendResult<Session>, decided: readonly Decided[]): readonly Answer[] {
  let done = 0;
  return decided.map((one) => {
    if (!one.ok) return one;
    done += one.value.length;
    return ok(after[done - 1] ?? before);
  });
}
