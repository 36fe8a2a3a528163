import type { TaskId } from '../domain/base/ids.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { Stored } from '../ports/ledger.ts';
import { endingDocument, handoffDocument } from '../view/document.ts';

/** Every launch of an agent on a task, as the ledger tells it. */
export function attemptsOf(stored: readonly Stored[], task: TaskId) {
  const mine = stored.flatMap(({ at, event }) => ('task' in event && event.task === task ? [{ at, event }] : []));
  return mine.flatMap(({ at: began, event }) => {
    if (event.type !== 'attempt-intended') return [];
    const { attempt, number, agent, base, from } = event;
    const started = mine.find((other) => other.event.type === 'attempt-started' && other.event.attempt === attempt);
    const ended = mine.find((other) => other.event.type === 'attempt-ended' && other.event.attempt === attempt);
    const times = { began, started: started?.at ?? null, ended: ended?.at ?? null };
    return [{ attempt, number, agent, base, from, ...times, ...endOf(ended?.event) }];
  });
}

function endOf(event: Stored['event'] | undefined) {
  if (event?.type !== 'attempt-ended') return notEnded;
  const { ending, handoff, snapshot, refusals = [], reminded, log } = event satisfies RunEvent;
  return {
    ending: endingDocument(ending),
    handoff: handoffDocument(handoff),
    snapshot: snapshot?.commit ?? null,
    usage: event.agent?.usage ?? null,
    refusals,
    reminded,
    log: { bytes: log.bytes, sha256: log.sha256 },
  };
}

const notEnded = { ending: null, handoff: null, snapshot: null, usage: null, refusals: [], reminded: false, log: null };
