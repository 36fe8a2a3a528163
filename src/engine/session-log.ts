import { ok, type Result } from '../domain/base/result.ts';
import { type Asked, type Decided, decideTogether } from '../domain/external/decide.ts';
import type { Refusal } from '../domain/external/refusal.ts';
import { evolveSession, newSession, type Session } from '../domain/external/session.ts';
import { externalStream, type Ledger, type Stored } from '../ports/ledger.ts';

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
  let state = newSession(session);
  let position = 0;
  let waiting: Waiting[] = [];
  let isAnswering = false;

  const take = (stored: Stored): void => {
    if (stored.position !== position + 1) return;
    position = stored.position;
    state = evolveSession(state, stored);
  };
  /** Whether there was anything new. */
  const catchUp = async (): Promise<boolean> => {
    const before = position;
    for (const stored of await ledger.read(externalStream(session), position)) take(stored);
    return position > before;
  };

  /** Decides until the answers are those to the newest state: an append proves it, else a look at the ledger does. */
  const answersTo = async (asked: readonly Asked[]): Promise<readonly Answer[]> => {
    for (;;) {
      const from = state;
      const decided = decideTogether(from, asked);
      const facts = decided.flatMap((one) => (one.ok ? one.value : []));
      if (facts.length > 0) {
        const appended = await ledger.appendExternal(session, position, facts);
        if (appended.outcome === 'appended') return answersAfter(from, decided, appended.stored);
      }
      if (!(await catchUp()) && facts.length === 0) return decided.map((one) => (one.ok ? ok(from) : one));
    }
  };

  /** Each with the session as it is right after its own facts. */
  const answersAfter = (from: Session, decided: readonly Decided[], stored: readonly Stored[]): readonly Answer[] => {
    let now = from;
    let done = 0;
    const answers = decided.map((one) => {
      if (!one.ok) return one;
      now = stored.slice(done, done + one.value.length).reduce(evolveSession, now);
      done += one.value.length;
      return ok(now);
    });
    const last = stored.at(-1)?.position ?? 0;
    if (position < last) [state, position] = [now, last];
    return answers;
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
    state: () => state,
    take,
    ask: (asked) =>
      new Promise((resolve, reject) => {
        waiting.push({ asked, resolve, reject });
        if (!isAnswering) void answerAll();
      }),
  };
}
