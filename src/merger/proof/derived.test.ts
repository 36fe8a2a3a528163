import { expect, test } from 'vitest';
import { attempt, commit, created, exited, handoff, idOf, plan, snapshot, tree } from '../../../test/support/plans.ts';
import { plannedResolver } from '../../domain/derived/derive-resolver.ts';
import type { DiffEntry, SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { inconclusive, pass } from '../../domain/gates/make-verdict.ts';
import type { RepairInputs } from '../../domain/ledger/derived-task-events.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import { proveDerived } from './derived.ts';

const resolver = { agent: ['command'], command: ['resolve'], model: null };
const frozen = plan([{ a: {}, b: {} }], { resolver });
const [b, made] = [idOf('b'), idOf('resolve-b-1')];
const changed = (change: DiffEntry['change']): DiffEntry => ({
  ...{ path: 'b/a.txt', change, oldMode: '100644', newMode: '100644' },
});
const taken: SnapshotEvidence = { ...snapshot('b'), diff: [changed('modified')] };
const result = snapshot('resolve-b-1', ['b/a.txt']);
const repair = { onto: commit('onto'), paths: ['b/a.txt'] };
const inputs: RepairInputs = { ...repair, snapshot: taken.commit, base: taken.base };
const stands = frozen.waves[0]?.tasks.find(({ id }) => id === b) as PlannedTask;
const planned = plannedResolver(frozen, stands, { id: made, owns: repair.paths });
const none = { markers: [], gone: [] };

const judged = (task: string, left: typeof taken, sides?: typeof none, gates = [pass('sides')]): RunEvent => ({
  ...{ type: 'phase-judged', phase: 'monitor', version: 5, task: idOf(task), verdicts: gates },
  evidence: {
    ...{ attempt: attempt(task, 1), nonce: 'n', ending: exited(0), handoff: handoff('n'), snapshot: left },
    ...(sides === undefined ? {} : { sides }),
  },
});

const derived: RunEvent = {
  ...{ type: 'task-derived', task: made, wave: 0, purpose: 'resolver', planned, standsFor: [b], inputs },
};
const held: RunEvent = { type: 'task-held', task: b, hold: { because: 'conflict', files: ['b/a.txt'], repair } };
const built: RunEvent = {
  ...{ type: 'candidate-built', wave: 0, round: 1, base: commit('base'), steps: [] },
  conflicts: [{ task: b, files: ['b/a.txt'], repair }],
};
const ended: RunEvent = {
  ...{
    type: 'attempt-ended',
    task: made,
    attempt: attempt('resolve-b-1', 1),
    ending: exited(0),
    handoff: handoff('n'),
  },
  ...{ snapshot: result, snapshotProblem: null, kept: [], version: 1, reminded: false, chargedSeconds: 1 },
  log: { file: 'output.log', bytes: 0, kept: 0, sha256: '0'.repeat(64) },
};
const compared: RunEvent = { type: 'sides-compared', task: made, snapshot: result.commit, ...none };

const first = judged('b', taken);
const good: readonly RunEvent[] = [
  created(frozen),
  first,
  built,
  held,
  derived,
  ended,
  compared,
  judged('resolve-b-1', result, none),
];

const provenBy = (events: readonly RunEvent[], opened = events.length + 1) =>
  proveDerived(
    events.map((event, at) => ({ event, position: at + 1, hash: `${at}` }) as unknown as Stored),
    { task: b, snapshot: result.commit, by: made },
    opened,
  );

const replaced = (one: RunEvent, by: RunEvent | null): readonly RunEvent[] =>
  good.flatMap((event) => (event !== one ? [event] : by === null ? [] : [by]));
const withInputs = (change: Partial<RepairInputs>): RunEvent =>
  ({ ...derived, inputs: { ...inputs, ...change } }) as RunEvent;

test('a derived task with all that proves it may be merged for its task', () => {
  expect(provenBy(good)).toMatchObject([{ position: 5 }, { position: 3 }, { position: 4 }, { position: 7 }]);
});

test('a key that a later version adds and leaves empty changes nothing', () => {
  const later = { ...planned, later: [], other: { more: null }, flag: false };
  expect(provenBy(replaced(derived, { ...derived, planned: later } as RunEvent))).toHaveLength(4);
});

test.each<[string, readonly RunEvent[]]>([
  ['derived-unmade', replaced(derived, null)],
  ['derived-twice', [...good, { ...derived, task: idOf('resolve-b-2') } as RunEvent]],
  ['derived-twice', [...good, derived]],
  ['derived-for-other', replaced(derived, { ...derived, standsFor: [idOf('a')] } as RunEvent)],
  ['derived-for-other', replaced(derived, { ...derived, wave: 1 } as RunEvent)],
  ['derived-scope', replaced(derived, { ...derived, planned: { ...planned, owns: ['**'] } } as RunEvent)],
  ['derived-scope', replaced(derived, { ...derived, planned: { ...planned, command: ['other'] } } as RunEvent)],
  ['derived-scope', replaced(derived, { ...derived, planned: { ...planned, needs: [idOf('a')] } } as RunEvent)],
  ['derived-scope', replaced(derived, { ...derived, planned: { ...planned, allowEmpty: true } } as RunEvent)],
  [
    'derived-scope',
    replaced(derived, { ...derived, planned: { ...planned, artifacts: ['x'] } } as unknown as RunEvent),
  ],
  [
    'derived-scope',
    replaced(derived, {
      ...derived,
      planned: { ...planned, directive: { ...planned.directive, text: 'drop the other side' } },
    } as RunEvent),
  ],
  ['derived-scope', replaced(derived, { ...derived, granted: ['b/a.txt'] } as RunEvent)],
  ['derived-scope', replaced(derived, withInputs({ paths: ['a/a.txt'] }))],
  ['derived-pair', replaced(derived, withInputs({ onto: commit('other') }))],
  ['derived-pair', replaced(derived, withInputs({ snapshot: commit('other') }))],
  ['derived-pair', replaced(derived, withInputs({ failing: commit('other') }))],
  ['derived-pair', replaced(held, null)],
  ['derived-pair', replaced(first, judged('b', { ...taken, diff: [changed('added')] }))],
  ['derived-pair', replaced(held, { type: 'task-held', task: b, hold: { because: 'needs', task: idOf('a') } })],
  ['derived-pair', replaced(built, { ...built, conflicts: [{ task: b, files: ['b/a.txt'] }] } as RunEvent)],
  ['derived-uncompared', replaced(compared, null)],
  ['derived-uncompared', replaced(compared, { ...compared, snapshot: commit('other') } as RunEvent)],
  ['derived-uncompared', replaced(compared, { ...compared, markers: ['b/a.txt'] } as RunEvent)],
  ['derived-uncompared', [...good.slice(0, -1), judged('resolve-b-1', result)]],
  [
    'derived-uncompared',
    [
      ...good.slice(0, -1),
      judged('resolve-b-1', result, none, [inconclusive('sides', { rule: 'sides-compared' }) as never]),
    ],
  ],
])('%s is found', (gap, events) => {
  expect(provenBy(events)).toEqual({ gap, task: made });
});

test('a culprit is repaired on top of the steps before it', () => {
  const failing = commit('failing');
  const subject = { ...repair, failing };
  const steps = [
    { task: idOf('a'), commit: commit('onto'), tree: tree('onto') },
    { task: b, commit: failing, tree: tree('failing') },
  ];
  const round: RunEvent = { type: 'candidate-built', wave: 0, round: 1, base: commit('base'), steps, conflicts: [] };
  const blamed: RunEvent = { type: 'culprit-found', wave: 0, round: 1, task: b, check: 'test', tree: tree('failing') };
  const hold = { because: 'check', check: 'test', tree: tree('failing'), repair: subject } as const;
  const events = (round: RunEvent, blamed: RunEvent): readonly RunEvent[] => [
    created(frozen),
    judged('b', taken),
    round,
    blamed,
    { type: 'task-held', task: b, hold },
    withInputs({ failing, check: 'test' }),
    ended,
    compared,
    judged('resolve-b-1', result, none),
  ];
  expect(provenBy(events(round, blamed))).toHaveLength(5);
  const pair = { gap: 'derived-pair', task: made };
  expect(provenBy(events({ ...round, steps: steps.toReversed() } as RunEvent, blamed))).toEqual(pair);
  expect(provenBy(events(round, { ...blamed, task: idOf('a') } as RunEvent))).toEqual(pair);
});
