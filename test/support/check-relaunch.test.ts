import { expect, test } from 'vitest';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { fingerprintOf } from '../../src/domain/relaunch/fingerprint.ts';
import { checkRelaunched } from './check-relaunch.ts';
import { attemptEnded, commit, created, idOf, intended, me, plan, snapshot, task, tree, you } from './plans.ts';

const sketch = plan([{ a: {}, b: { needs: ['a'] }, c: {} }]);
const roles = (['security', 'qa'] as const).map((closes) => task(`wave-1-${closes}`, { closes, owns: [] }));
const frozen = { ...sketch, waves: sketch.waves.map((wave) => ({ ...wave, closure: roles })) };
const print = fingerprintOf(frozen, task('a'), tree('base'), []);
const begun = [
  created(frozen),
  { type: 'task-base-made', task: idOf('a'), commit: commit('base'), tree: tree('base'), of: [] },
  { ...intended('a'), fingerprint: print },
];
const past = [...begun, attemptEnded('a')];
const order = { from: 'implementation', clear: [idOf('c')] };
const reuse = { task: idOf('a'), snapshot: snapshot('a').commit, was: print, is: print };
const asked = { type: 'requested-relaunch', ...order, by: me };
const relaunched = {
  type: 'wave-relaunched',
  wave: 0,
  ...order,
  starts: [{ task: idOf('c') }],
  reuses: [reuse],
  roles: [],
};
const accepted = (request: number) => ({ type: 'request-accepted', request });

const found = (...events: readonly unknown[]) =>
  checkRelaunched(
    events.map((event, index) => ({
      ...{ seq: index + 1, stream: 'demo-ab12', position: index + 1, at: '', epoch: 1, hash: '' },
      event: event as LedgerEvent,
    })),
  ).map(({ what }) => what);
const applied = (change: object = {}) => found(...past, asked, { ...relaunched, by: me, ...change }, accepted(5));

test('a selection that was asked for, and a result that is reused for what it was made from, are good', () => {
  expect(applied()).toEqual([]);
});

test.each([
  ['of somebody else', { by: you }, 'a selection that nobody asked for, or that is not consumed'],
  ['of something else', { clear: [] }, 'a selection that nobody asked for, or that is not consumed'],
  ['with another fingerprint', { reuses: [{ ...reuse, was: '0' }] }, 'reused for another fingerprint'],
  ['for something else', { reuses: [{ ...reuse, is: '0' }] }, 'reused for something that it was not made from'],
  ['with another snapshot', { reuses: [{ ...reuse, snapshot: commit('x') }] }, 'another snapshot of a is reused'],
])('one %s is found', (_, change, what) => {
  expect(applied(change).join('; ')).toContain(what);
});

test('one that is applied twice, or to what runs or is not selected, is found', () => {
  const again = { ...relaunched, by: me };
  expect(found(...past, asked, again, again, accepted(5))).toEqual([expect.stringContaining('not consumed')]);
  const only = { only: [idOf('b')] };
  const starts = { type: 'wave-relaunched', wave: 0, ...only, reuses: [], roles: [], by: me };
  const one = { type: 'requested-relaunch', ...only, by: me };
  const other = { ...starts, starts: [{ task: idOf('b') }, { task: idOf('c') }], roles: [roles[1]?.id] };
  expect(found(...past, one, other, accepted(5))).toEqual([
    'c starts again, unselected',
    'wave-1-qa runs again, unselected',
  ]);
  const running = { ...starts, only: [idOf('a')], starts: [{ task: idOf('a') }] };
  const asking = { ...one, only: [idOf('a')] };
  expect(found(...begun, asking, running, accepted(4))).toEqual(['a is selected while it runs']);
});

test('an attempt with a fingerprint of its own, and a task that continues for nothing, are found', () => {
  expect(found(...begun.slice(0, 2), { ...intended('a'), fingerprint: '0' })).toEqual([
    expect.stringContaining('another fingerprint than its plan and base'),
  ]);
  const continued = { type: 'task-continued', task: idOf('a'), settled: idOf('b') };
  expect(found(...past, continued)).toEqual(['a continues at no cost, and nothing has finished']);
});
