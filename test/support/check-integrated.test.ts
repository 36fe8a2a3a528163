import { beforeAll, expect, test } from 'vitest';
import type { CommitId, TreeId } from '../../src/domain/base/ids.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { type Simulation, simulate } from '../simulation/simulate.ts';
import { checkIntegrated } from './check-integrated.ts';

/** A good history with generated files, broken in one way at a time. */
let good: Simulation;
beforeAll(async () => {
  good = await simulate(seedWithGeneratedFiles, { misfortunes: 0, whims: 0, crashes: 0 });
});
const seedWithGeneratedFiles = 14;

function said(change: (event: LedgerEvent) => LedgerEvent | null): readonly string[] {
  const stored = good.stored.flatMap((one) => {
    const event = change(one.event);
    return event === null ? [] : [{ ...one, event }];
  });
  const git = { refs: good.git.refs(), commit: (id: string) => good.git.find(id) };
  const found = checkIntegrated(stored, git).map(({ invariant, what }) => `${invariant} ${what}`);
  return [...new Set(found)];
}
const other = 'f'.repeat(40);

test('a good history is one, and its files were rebuilt', () => {
  expect(said((event) => event)).toEqual([]);
  expect(good.stored.some(({ event }) => event.type === 'candidate-completed')).toBe(true);
});

test.each([
  [
    'a candidate that was never completed',
    (event) => (event.type === 'candidate-completed' ? null : event),
    'I4 merged without a whole candidate',
  ],
  [
    'a merge of something else',
    (event) => (event.type === 'merged' ? { ...event, new: other as CommitId } : event),
    'I4 merged ffff',
  ],
  [
    'commands that failed',
    (event) => (event.type === 'generator-ended' ? { ...event, ending: { ...event.ending, code: 1 } } : event),
    'I4 its generated files were not rebuilt',
  ],
  [
    'commands that ran elsewhere',
    (event) =>
      event.type === 'generator-ended' && event.snapshot !== null
        ? { ...event, snapshot: { ...event.snapshot, base: other as CommitId } }
        : event,
    'I4 its generated files were rebuilt on another commit',
  ],
  [
    'a tree that is not the recorded one',
    (event) => (event.type === 'candidate-completed' ? { ...event, tree: other as TreeId } : event),
    'I4 its tree is not the recorded one',
  ],
  [
    'checks of the tree without rebuilt files only',
    (event) => (event.type === 'check-ended' ? { ...event, check: { ...event.check, tree: other as TreeId } } : event),
    'I3 merged, but',
  ],
] as const satisfies readonly (readonly [string, (event: LedgerEvent) => LedgerEvent | null, string])[])(
  '%s is found',
  (_, change, what) => {
    expect(said(change)).toContainEqual(expect.stringContaining(what));
  },
);
