import { explain } from '../domain/explain/explain.ts';
import { decisionVersions } from '../domain/gates/versions.ts';
import type { ExternalCommand } from '../domain/ledger/dcm-commands.ts';
import { type ExternalEvent, isExternalEvent } from '../domain/ledger/dcm-events.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import type { Difference, Earlier } from '../domain/ledger/replayed.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import { decideExternal } from './decide.ts';
import type { Refusal } from './refusal.ts';
import { evolveSession, newSession, type RecordedAt, type Session } from './session.ts';

export type ReplayedSession = {
  readonly session: Session;
  /** How many facts were decided again. */
  readonly decided: number;
  readonly earlier: readonly Earlier[];
  readonly differences: readonly Difference[];
};

/**
 * Folds a session from its first event and decides every fact again, as things stood then: each is what follows when exactly
 * it is asked for. Reads nothing but its argument.
 */
export function replaySession(id: string, stored: readonly (RecordedAt & { readonly seq: number })[]): ReplayedSession {
  const differences: Difference[] = [];
  const events = stored.map(({ event }) => event);
  let session = newSession(id);
  const earlier: Earlier[] = [];
  /** What stands before this place follows from what was decided again. */
  let explained = 0;
  for (const [at, record] of stored.entries()) {
    if (isExternalEvent(record.event) && record.event.version !== decisionVersions.session)
      earlier.push({ seq: record.seq, rules: 'session', version: record.event.version });
    else if (at >= explained && record.event.type !== 'external-key-used') {
      const again = decideAgain(session, events, at);
      const recorded = canonicalJson(events.slice(at, at + Math.max(1, again.facts.length)));
      if (recorded === canonicalJson(again.facts)) explained = at + again.facts.length;
      else
        differences.push({ seq: record.seq, detail: `recorded is ${recorded}; now it would be ${outcomeText(again)}` });
    }
    session = evolveSession(session, record);
  }
  return { session, decided: stored.length - earlier.length, earlier, differences };
}

/** `refusal`: why it would not be decided now; null also when nothing leads to it. */
type Again = { readonly facts: readonly ExternalEvent[]; readonly refusal: Refusal | null };

function decideAgain(session: Session, events: readonly LedgerEvent[], at: number): Again {
  // the end of an empty wave comes before the start of the one that it was left for
  const event = events.slice(at, at + 2).find(({ type }) => type !== 'external-wave-ended');
  const command = event === undefined || !isExternalEvent(event) ? null : commandOf(event);
  if (event === undefined || command === null || !('by' in event)) return { facts: [], refusal: null };
  const decided = decideExternal(session, { command, by: event.by });
  return decided.ok ? { facts: decided.value, refusal: null } : { facts: [], refusal: decided.error };
}

function outcomeText({ facts, refusal }: Again): string {
  if (refusal !== null) return `refused: ${explain(refusal).detail}`;
  return facts.length === 0 ? 'nothing that can be asked for' : canonicalJson(facts);
}

/** What leads to this very fact, whatever it was that was asked for. */
function commandOf(event: ExternalEvent): ExternalCommand | null {
  switch (event.type) {
    case 'external-wave-created':
      return { type: 'create-wave', wave: event.wave, name: event.name, description: event.description };
    case 'external-wave-started':
      return { type: 'start-wave', wave: event.wave };
    case 'external-batch-submitted':
      return { type: 'submit-batch', batch: event.batch, wave: event.wave, subtasks: event.subtasks };
    case 'external-subtask-updated': {
      const { by: _, version: __, ...change } = event;
      return { ...change, type: 'update-subtask' };
    }
    case 'external-action-recorded': {
      const { by: _, version: __, ...report } = event;
      return { ...report, type: 'record-action' };
    }
    case 'external-batch-completed':
      return { type: 'complete-batch', batch: event.batch, failUnfinished: false };
    case 'external-wave-ended':
    case 'external-key-used':
      return null;
  }
}
