import { expect, test } from 'vitest';
import { policy } from '../settings/policy.ts';
import { type Holding, shortageOf, sizeBytes, sizeText, toRemove } from './disk.ts';

const workspace = (id: string, bytes: number, usedAt: number): Holding => ({
  kind: 'workspace',
  id,
  bytes,
  usedAt,
  over: true,
});
const product = (id: string, bytes: number, usedAt: number): Holding => ({ kind: 'product', id, bytes, usedAt });
const holdings = [
  workspace('new', 10, 9),
  product('old', 10, 1),
  workspace('needed', 50, 0),
  product('fresh', 10, 8),
  workspace('old', 10, 2),
];
const removed = (free: number, limits: { cap: number; free: number }) =>
  toRemove(holdings, free, limits, ({ id }) => id === 'needed').map(({ kind, id }) => `${kind} ${id}`);

test.each([
  ['nothing while both limits hold', 100, { cap: 90, free: 100 }, []],
  ['the oldest workspace first', 100, { cap: 89, free: 0 }, ['workspace old']],
  ['as many as are needed, to the byte', 100, { cap: 70, free: 0 }, ['workspace old', 'workspace new']],
  ['products after all workspaces', 100, { cap: 61, free: 0 }, ['workspace old', 'workspace new', 'product old']],
  [
    'never what is needed, even if that is not enough',
    100,
    { cap: 0, free: 0 },
    ['workspace old', 'workspace new', 'product old', 'product fresh'],
  ],
  ['for room on the disk as for the cap', 85, { cap: 90, free: 100 }, ['workspace old', 'workspace new']],
])('what goes: %s', (_, free, limits, gone) => {
  expect(removed(free, limits)).toEqual(gone);
});

test('copies go before all else, but for those that somebody looks at or has changed', () => {
  const copy = (id: string, over: boolean): Holding => ({ kind: 'copy', id, bytes: 10, usedAt: 99, over });
  const edit: Holding = { kind: 'edit', id: 'theirs', bytes: 10, usedAt: 1, over: false };
  const all = [...holdings, edit, copy('left', true), copy('open', false)];
  const gone = (cap: number) => toRemove(all, 100, { cap, free: 0 }, () => true).map(({ kind, id }) => `${kind} ${id}`);
  expect(gone(119)).toEqual(['copy left']);
  expect(gone(0)).toEqual(['copy left', 'product old', 'product fresh']);
});

test('room is short above the cap and below the floor, and the reason names both figures', () => {
  const limits = { cap: sizeBytes('20GB'), free: sizeBytes('500MB') };
  const memory = policy.leastMemory;
  expect(shortageOf({ used: limits.cap, free: limits.free, memory }, limits)).toBeNull();
  expect(shortageOf({ used: 0, free: 1e12, memory: memory - 1 }, limits)?.because).toEqual({
    rule: 'memory-short',
    free: memory - 1,
  });
  expect(shortageOf({ used: 25e9, free: 1e12, memory }, limits)?.because).toEqual({
    rule: 'disk-over-cap',
    used: 25e9,
    cap: 20e9,
  });
  expect(shortageOf({ used: 0, free: 499e6, memory }, limits)?.because).toEqual({
    rule: 'disk-short',
    free: 499e6,
    least: 500e6,
  });
});

test('sizes are written as disks are sold', () => {
  expect(['1MB', '20GB', '3TB', '0MB'].map(sizeBytes)).toEqual([1e6, 20e9, 3e12, 0]);
  expect(() => sizeBytes('20 GiB')).toThrow('Not a size');
  expect([999, 1500, 2_500_000, 20e9].map(sizeText)).toEqual(['999 B', '1.5 KB', '2.5 MB', '20.0 GB']);
});
