import { ok, type Result } from '../domain/base/result.ts';
import type { DcmEvent } from '../domain/ledger/dcm-events.ts';
import { followLedger } from '../engine/follow-ledger.ts';
import { type AppendResult, openStreamLog } from '../engine/run-log.ts';
import { dcmSessionOf, dcmStream, isDcmStream, type Ledger, type Stored } from '../ports/ledger.ts';
import type { DcmRefusal } from './decide.ts';
import { type DcmDecision, type DcmRequest, decideTogether } from './decide.ts';
import { type DcmSession, evolveDcmSession, foldDcmSession, newDcmSession } from './session.ts';

/** Every DCM session of one repository, with its fold kept in memory, fed event by event. */
export type DcmSessions = {
  /** Returns the session as the ledger has it now, or had it at an event. A session without events is empty. */
  session(id: string, at?: number): Promise<DcmSession>;
  /** Returns the session of a batch, which never changes. */
  ofBatch(batch: string): Promise<string | undefined>;
  ofSubtask(subtask: string): Promise<string | undefined>;
  request(session: string, request: DcmRequest): Promise<DcmAnswer>;
};

/** The session right after the request was recorded. */
type DcmAnswer = Result<DcmSession, DcmRefusal>;

export function dcmSessions(ledger: Pick<Ledger, 'read' | 'readAll' | 'subscribe' | 'appendDcm'>): DcmSessions {
  const logs = new Map<string, DcmLog>();
  const batches = new Map<string, string>();
  const subtasks = new Map<string, string>();
  const logOf = (id: string): DcmLog => {
    const log = logs.get(id) ?? openDcmLog(ledger, id);
    logs.set(id, log);
    return log;
  };
  const { catchUp } = followLedger(ledger, (stored) => {
    if (!isDcmStream(stored.stream)) return;
    const id = dcmSessionOf(stored.stream);
    logOf(id).take(stored);
    if (stored.event.type !== 'external-batch-submitted') return;
    batches.set(stored.event.batch, id);
    for (const subtask of stored.event.subtasks) subtasks.set(subtask.id, id);
  });
  const lookUp = async (sessions: ReadonlyMap<string, string>, id: string): Promise<string | undefined> => {
    if (!sessions.has(id)) await catchUp();
    return sessions.get(id);
  };
  return {
    session: async (id, at) => {
      if (at !== undefined) {
        const past = await ledger.read(dcmStream(id));
        return foldDcmSession(
          id,
          past.filter(({ seq }) => seq <= at),
        );
      }
      await catchUp();
      return logs.get(id)?.state() ?? newDcmSession(id);
    },
    ofBatch: (batch) => lookUp(batches, batch),
    ofSubtask: (subtask) => lookUp(subtasks, subtask),
    request: (session, request) => logOf(session).request(request),
  };
}

/**
 * One DCM session, with its fold kept in memory. It has no attempts and no merge, so it needs no coordinator: whoever gets a request
 * decides it and appends the facts at the position that it decided from.
 */
export type DcmLog = {
  state(): DcmSession;
  /** Folds in the event that follows on the last one; passes over events that are folded in already. */
  take(stored: Stored): void;
  /** Requests that arrive during an append share the next one. */
  request(request: DcmRequest): Promise<DcmAnswer>;
};
type Waiting = { readonly request: DcmRequest; resolve(answer: DcmAnswer): void; reject(cause: unknown): void };

export function openDcmLog(ledger: Pick<Ledger, 'read' | 'appendDcm'>, session: string): DcmLog {
  const log = openStreamLog<DcmSession, DcmEvent>({
    initial: newDcmSession(session),
    evolve: evolveDcmSession,
    read: (after) => ledger.read(dcmStream(session), after),
    append: async (position, events) => {
      const appended = await ledger.appendDcm(session, position, events);
      return appended.outcome === 'appended' ? appended.stored : null;
    },
  });
  let waiting: Waiting[] = [];
  let isAnswering = false;

  /** Decides until the answers are about the newest state: an append proves that, else a look at the ledger does. */
  const answersTo = async (requests: readonly DcmRequest[]): Promise<readonly DcmAnswer[]> => {
    for (;;) {
      let decisions: readonly DcmDecision[] = [];
      const result = await log.record((state) => {
        decisions = decideTogether(state, requests);
        return decisions.flatMap((one) => (one.ok ? one.value : []));
      });
      if (result.after.length > 0 || !(await log.catchUp())) return answersAfter(result, decisions);
    }
  };

  const answerAll = async (): Promise<void> => {
    isAnswering = true;
    while (waiting.length > 0) {
      // requests of one turn of the event loop share one append as well
      await new Promise((resolve) => setImmediate(resolve));
      const together = waiting;
      waiting = [];
      try {
        const answers = await answersTo(together.map(({ request }) => request));
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
    request: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        if (!isAnswering) void answerAll();
      }),
  };
}

/** Returns for each request the session right after its own facts. */
function answersAfter(
  { before, after }: AppendResult<DcmSession>,
  decisions: readonly DcmDecision[],
): readonly DcmAnswer[] {
  let done = 0;
  return decisions.map((decision) => {
    if (!decision.ok) return decision;
    done += decision.value.length;
    return ok(after[done - 1] ?? before);
  });
}
