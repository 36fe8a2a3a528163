import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentNote, type AgentReport, noReport } from '../../domain/agents/agent-note.ts';
import type { Trip } from '../../domain/breaker/spirals.ts';
import { type AgentEvent, noUsage, type Usage } from '../../domain/tool-calls/agent-event.ts';
import type { KnownSecrets } from '../output/redact.ts';
import { redactTexts } from '../output/redact.ts';

/** Records the events of an agent, for people and for the ledger. */
type Transcript = {
  tell(event: AgentEvent): void;
  trip(trip: Trip): void;
  report(): AgentReport;
  close(): void;
};

const caps = { text: 8 << 10, file: 32 << 20, usageNotes: 100 };

/** `transcript.jsonl` has every event, clipped, until it is full; the few that belong into the ledger are noted. No value of `secrets` is in it. */
export function openTranscript(
  directory: string,
  secrets: KnownSecrets,
  around: { readonly now: () => string; note(note: AgentNote): void; readonly usd: number },
): Transcript {
  const file = openSync(join(directory, 'transcript.jsonl'), 'a', 0o600);
  let report = noReport;
  let written = 0;
  let isOpen = true;
  let noted = { usage: noUsage, times: 0 };
  const noteUsage = (usage: Usage): void => {
    if (noted.times >= caps.usageNotes || !hasGrown(noted.usage, usage, around.usd)) return;
    noted = { usage, times: noted.times + 1 };
    around.note({ note: 'usage', usage });
  };
  return {
    tell(original) {
      // The relay may still report something after the end.
      if (!isOpen) return;
      const event = clipped(redactTexts(original, secrets()));
      const worth = noteOf(event, report);
      if (worth !== null) around.note(worth);
      if (event.type === 'usage') noteUsage(event.usage);
      report = evolveReport(report, event);
      if (written < caps.file) written += writeSync(file, `${JSON.stringify({ at: around.now(), ...event })}\n`);
    },
    trip(found) {
      const trip = redactTexts(found, secrets());
      report = { ...report, trips: [...report.trips, trip] };
      around.note({ note: 'tripped', trip });
    },
    report: () => report,
    close() {
      isOpen = false;
      closeSync(file);
    },
  };
}

/** True when the change is large enough for people: ten turns, or a twentieth of the money. */
const hasGrown = (noted: Usage, now: Usage, usd: number): boolean =>
  now.turns - noted.turns >= 10 || (now.usd ?? 0) - (noted.usd ?? 0) >= usd * 0.05;

function evolveReport(report: AgentReport, event: AgentEvent): AgentReport {
  switch (event.type) {
    case 'started':
      return { ...report, session: event.session ?? report.session, model: event.model ?? report.model };
    case 'usage':
      return { ...report, usage: event.usage };
    case 'denied':
      return { ...report, denials: report.denials + 1 };
    case 'unknown':
      return { ...report, unknownLines: report.unknownLines + 1 };
    case 'ended':
      return { ...report, outcome: event.outcome, trouble: event.trouble };
    default:
      return report;
  }
}

function noteOf(event: AgentEvent, report: AgentReport): AgentNote | null {
  switch (event.type) {
    case 'started':
      return event.session === report.session ? null : { note: 'started', session: event.session, model: event.model };
    case 'denied':
      return { note: 'denied', tool: event.call.tool, because: event.because };
    case 'provider-trouble':
      return { note: 'trouble', trouble: event.trouble };
    default:
      return null;
  }
}

/** Every text of it, so that one answer with a whole file in it does not fill the disk. */
function clipped(event: AgentEvent): AgentEvent {
  const clip = (part: unknown): unknown => {
    if (typeof part === 'string')
      return part.length <= caps.text ? part : `${part.slice(0, caps.text)}… [${part.length} characters]`;
    if (Array.isArray(part)) return part.slice(0, 100).map(clip);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, clip(field)]));
  };
  return clip(event) as AgentEvent;
}
