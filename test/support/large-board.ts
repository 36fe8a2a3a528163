import type { RecordKind } from '../../src/domain/board/kinds.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { Recorded } from '../../src/domain/run/run.ts';
import { attempt, created, idOf, me, plan } from './plans.ts';

const tasks = 40;
const kinds: readonly RecordKind[] = ['request', 'question', 'note', 'request', 'decision', 'contradiction', 'request'];
const severities = ['normal', 'critical', 'normal', 'advisory'] as const;

/** The time at which a record of a large board was posted. */
export const postedAt = (record: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, record)).toISOString();

/**
 * The events of a run with so many records between 40 tasks of two waves, of all kinds and severities, three of ten settled. `allOpen`:
 * open requests to tasks of one wave and nothing else, the most that there can be to look through.
 */
export function largeBoard(records: number, { allOpen = false } = {}): readonly Recorded[] {
  const names = Array.from({ length: tasks }, (_, at) => `t${at}`);
  const wave = (from: number, to: number) => Object.fromEntries(names.slice(from, to).map((name) => [name, {}]));
  const waves = allOpen ? [wave(0, tasks)] : [wave(0, tasks / 2), wave(tasks / 2, tasks)];
  const events: RunEvent[] = [created(plan(waves))];
  for (let at = 0; at < records; at += 1) {
    const kind = allOpen ? 'request' : (kinds[at % kinds.length] ?? 'note');
    const [author, target] = [`t${at % tasks}`, idOf(`t${(at * 7 + 3) % tasks}`)];
    const severity = allOpen ? 'critical' : (severities[at % severities.length] ?? 'normal');
    const id = String(at + 1);
    const waits = kind !== 'note' && kind !== 'decision';
    events.push({
      ...{ type: 'attempt-noted', task: idOf(author), attempt: attempt(author, 1), number: at },
      note: { note: 'posted', post: at, kind, target, text: `record ${id} of ${author}`, severity },
      place: { id, to: target, status: waits ? 'open' : 'closed', at: postedAt(at) },
    });
    if (waits && !allOpen && at % 10 < 3)
      events.push({ type: 'record-changed', record: id, act: 'resolve', status: 'resolved', reason: 'done', by: me });
  }
  return events.map((event, seq) => ({ seq: seq + 1, event }));
}
