import { expect, test } from 'vitest';
import type { AgentNote } from '../../src/domain/agents/agent-note.ts';
import type { LedgerEvent, RunEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { checkOrchestrator, checkWithoutOrchestrator } from './check-orchestrator.ts';
import { checkRecords } from './check-records.ts';
import { attempt, attemptEnded, created, ended, hashOf, idOf, intended, log, me, plan } from './plans.ts';

const frozen = plan([{ a: {}, b: {} }], {
  orchestrator: { agent: 'command', command: ['guide'], model: null, text: '', usd: 1, minutes: 60 },
});
const hash = hashOf(frozen);
const history = (...events: readonly LedgerEvent[]): readonly Stored[] =>
  [created(frozen), ...events].map((event, index) => ({
    ...{ stream: 'demo-ab12', position: index + 1, seq: index + 1, at: '2026-01-01T00:00:00.000Z', epoch: 1 },
    ...{ hash: String(index), event },
  }));
const approved: RunEvent = { type: 'tap-decided', tap: 'start', decision: 'approved', hash, by: me };
const id = attempt('orchestrator', 1);
const limits = { usd: 1, minutes: 60, most: 10 };
const begins: RunEvent = {
  ...{ type: 'orchestrator-intended', attempt: id, number: 1, nonce: 'n', agent: 'command', hash, view: 'v' },
  ...limits,
};
const ends: RunEvent = {
  ...{ type: 'orchestrator-ended', attempt: id, ending: ended('stopped'), log, chargedSeconds: 1 },
};
const noted = (note: AgentNote, more: object): LedgerEvent =>
  ({ type: 'orchestrator-noted', attempt: id, number: 1, note, ...more }) as LedgerEvent;
const guidance = { note: 'posted', post: 1, kind: 'orchestrator-guidance', target: 'all', text: 'x' } as const;
const place = { id: '1', to: 'all', status: 'closed' } as const;

test('a sound history passes', () => {
  const sound = history(approved, intended('a'), begins, noted(guidance, { place }), ends, attemptEnded('a'));
  expect([checkOrchestrator(sound), checkRecords(sound), checkWithoutOrchestrator(sound)]).toEqual([[], [], []]);
});

test.each<[string, readonly LedgerEvent[], string]>([
  ['nobody approved it', [intended('a'), begins], 'nobody approved'],
  ['no task runs', [approved, begins], 'without a task'],
  ['it may spend more', [approved, intended('a'), { ...begins, usd: 2 } as RunEvent], 'beyond its budget'],
  ['there are two', [approved, intended('a'), begins, { ...begins, nonce: 'm' } as RunEvent], 'second'],
  ['it starts too often', [approved, intended('a'), { ...begins, number: 11 } as RunEvent], 'too many'],
  ['it ends twice', [approved, intended('a'), begins, ends, ends], 'ends twice'],
  ['it speaks after its end', [approved, intended('a'), begins, ends, noted(guidance, { place })], 'not running'],
  [
    'it starts after the end',
    [approved, intended('a'), { type: 'run-ended', outcome: 'landed' }, begins],
    'after the end',
  ],
  ['it is taken for a task', [approved, { ...intended('a'), task: idOf('orchestrator') } as RunEvent], 'for a task'],
])('a history is refused in which %s', (_, events, what) => {
  expect(checkOrchestrator(history(...events)).map((one) => one.what)).toContainEqual(expect.stringContaining(what));
});

test.each<[string, LedgerEvent]>([
  ['a request', noted({ ...guidance, kind: 'request' }, { place })],
  ['guidance that waits', noted(guidance, { place: { ...place, status: 'open' } })],
  ['guidance that follows something up', noted(guidance, { place: { ...place, of: '1' } })],
  ['guidance for a person', noted(guidance, { place: { ...place, to: 'person' } })],
  ['a change', noted(guidance, { place, changes: [{ record: '1', act: 'resolve', status: 'resolved' }] })],
])('a history is refused in which the orchestrator adds %s', (_, event) => {
  expect(checkRecords(history(approved, intended('a'), begins, event))).not.toEqual([]);
});
