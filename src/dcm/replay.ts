import { explain } from '../domain/explain/explain.ts';
import { decisionVersions } from '../domain/gates/versions.ts';
import { type DcmEvent, isDcmEvent } from '../domain/ledger/dcm-events.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import type { Difference, Earlier } from '../domain/ledger/replayed.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import { dcmSessionOf, isDcmStream, type Ledger } from '../ports/ledger.ts';
import type { DcmRefusal } from './decide.ts';
import { type DcmCommand, decideDcm } from './decide.ts';
import {
  countsOf,
  currentDcmWave,
  type DcmSession,
  evolveDcmSession,
  newDcmSession,
  type RecordedAt,
  subtasksOfWave,
} from './session.ts';

export type DcmReplay = {
  readonly session: DcmSession;
  /** The number of facts that were decided again. */
  readonly decided: number;
  readonly earlier: readonly Earlier[];
  readonly differences: readonly Difference[];
};

/** Replays every DCM session of a repository. */
export async function replayDcmSessions(ledger: Ledger): Promise<readonly DcmReplay[]> {
  const streams = (await ledger.streams()).filter(isDcmStream);
  return await Promise.all(
    streams.map(async (stream) => replayDcmSession(dcmSessionOf(stream), await ledger.read(stream))),
  );
}

/** Folds a session from its first event and decides every fact again, from the state before it. Reads nothing but its arguments. */
export function replayDcmSession(id: string, stored: readonly (RecordedAt & { readonly seq: number })[]): DcmReplay {
  const differences: Difference[] = [];
  const events = stored.map(({ event }) => event);
  let session = newDcmSession(id);
  const earlier: Earlier[] = [];
  /** Facts before this place follow from decisions that were repeated. */
  let explained = 0;
  for (const [at, record] of stored.entries()) {
    if (isDcmEvent(record.event) && record.event.version !== decisionVersions.session)
      earlier.push({ seq: record.seq, rules: 'session', version: record.event.version });
    else if (at >= explained && record.event.type !== 'external-key-used') {
      const again = decideAgain(session, events, at);
      const recorded = canonicalJson(events.slice(at, at + Math.max(1, again.facts.length)));
      if (recorded === canonicalJson(again.facts)) explained = at + again.facts.length;
      else
        differences.push({ seq: record.seq, detail: `recorded is ${recorded}; now it would be ${outcomeText(again)}` });
    }
    session = evolveDcmSession(session, record);
  }
  return { session, decided: stored.length - earlier.length, earlier, differences };
}

/** Returns one line about a session, for people. */
export function dcmSessionLine(state: DcmSession): string {
  const wave = currentDcmWave(state) ?? state.waves.at(-1);
  if (wave === undefined) return 'no wave yet';
  const { total, completed, failed } = countsOf(subtasksOfWave(state, wave.number));
  return `wave ${wave.number} ${wave.status}, ${completed} of ${total} tasks completed${failed === 0 ? '' : `, ${failed} failed`}`;
}

/** `refusal`: the reason why it would not be decided now; null also when no command leads to it. */
type Again = { readonly facts: readonly DcmEvent[]; readonly refusal: DcmRefusal | null };

function decideAgain(session: DcmSession, events: readonly LedgerEvent[], at: number): Again {
  // the end of an empty wave comes before the start of the wave that replaced it
  const event = events.slice(at, at + 2).find(({ type }) => type !== 'external-wave-ended');
  const command = event === undefined || !isDcmEvent(event) ? null : commandOf(event);
  if (event === undefined || command === null || !('by' in event)) return { facts: [], refusal: null };
  const decision = decideDcm(session, { command, by: event.by });
  return decision.ok ? { facts: decision.value, refusal: null } : { facts: [], refusal: decision.error };
}

function outcomeText({ facts, refusal }: Again): string {
  if (refusal !== null) return `refused: ${explain(refusal).detail}`;
  return facts.length === 0 ? 'nothing that can be asked for' : canonicalJson(facts);
}

/** Returns a command that leads to exactly this fact, whatever the original request was. */
function commandOf(event: DcmEvent): DcmCommand | null {
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
