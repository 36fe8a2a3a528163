import { expect, test } from 'vitest';
import { planHash, taskId } from '../../src/domain/base/ids.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { checkReplanned, isBack } from './plan-versions.ts';
import { created, hashOf, idOf, intended, me, plan, you } from './plans.ts';

const old = plan([{ a: {}, b: {} }, { c: {} }]);
const next = plan([{ a: {}, d: {} }, { c: {} }]);
const asked = { type: 'requested-replan', plan: next, hash: hashOf(next), replaces: hashOf(old), by: me } as const;
const dropped = { type: 'task-dropped', task: taskId('b'), by: me } as const;
const replaced = { type: 'plan-replaced', plan: next, hash: hashOf(next), by: me } as const;
const merged = { type: 'merged', wave: 0, round: 1, old: 'x', new: 'y', tasks: [{ task: 'a', commit: 'y' }] };

const history = (...events: readonly unknown[]) =>
  events.map((event, index) => ({
    seq: index + 1,
    stream: 'demo-ab12',
    position: index + 1,
    at: '',
    epoch: 1,
    hash: '',
    event: event as LedgerEvent,
  }));
const said = (...events: readonly unknown[]) => checkReplanned(history(...events)).map(({ invariant }) => invariant);

const good = [created(old), merged, asked, dropped, replaced];

test('a version that was asked for, keeps what is merged and drops what it leaves out is good', () => {
  expect(said(...good)).toEqual([]);
});

test.each([
  ['nobody asked for', [created(old), merged, dropped, replaced], 'I2'],
  ['somebody else asked for', [created(old), merged, { ...asked, by: you }, dropped, replaced], 'I2'],
  ['was asked for instead of another', [created(old), { ...asked, replaces: 'z' }, dropped, replaced], 'I2'],
  ['comes while an agent works', [created(old), intended('a'), asked, dropped, replaced], 'I2'],
  ['leaves a task out in silence', [created(old), asked, replaced], 'I7'],
  [
    'has other tasks in a closed wave',
    [created(old), { type: 'wave-closed', wave: 0 }, asked, dropped, replaced],
    'I3',
  ],
])('one that %s is found', (_, events, invariant) => {
  expect(said(...events)).toEqual([invariant]);
});

test('one without what is merged, or with another hash, is found', () => {
  const less = plan([{ d: {} }, { c: {} }]);
  const version = { plan: less, hash: hashOf(less) };
  const drops = { type: 'task-dropped', task: idOf('a'), by: me };
  expect(said(created(old), merged, { ...asked, ...version }, dropped, drops, { ...replaced, ...version })).toEqual([
    'I5',
  ]);
  const other = planHash('f'.repeat(64));
  expect(said(created(old), { ...asked, hash: other }, dropped, { ...replaced, hash: other })).toEqual(['I2']);
});

test('a task that was left out and is there again is not dropped any more', () => {
  const back = { ...replaced, plan: old, hash: hashOf(old) };
  expect(isBack(history(created(old), dropped, replaced, back), 'b', 2)).toBe(true);
  expect(isBack(history(created(old), dropped, back), 'b', 2)).toBe(false);
});
