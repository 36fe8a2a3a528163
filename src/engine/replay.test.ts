import { beforeAll, expect, test } from 'vitest';
import { simulate } from '../../test/simulation/simulate.ts';
import { me, theRun } from '../../test/support/plans.ts';
import { pass } from '../domain/gates/make-verdict.ts';
import type { Stored } from '../ports/ledger.ts';
import { replayRun } from './replay.ts';

let stored: readonly Stored[] = [];
beforeAll(async () => {
  stored = (await simulate(12, { misfortunes: 12, whims: 8, crashes: 2 })).stored.filter(
    ({ stream }) => stream === theRun,
  );
});

test('a history that decided itself has no differences, and every judgement was made again', () => {
  const judgements = stored.filter(({ event }) => event.type === 'phase-judged').length;
  expect(replayRun(stored)).toMatchObject({ judged: judgements, differences: [] });
  expect(judgements).toBeGreaterThan(10);
});

test('a verdict that the evidence does not give is found, with its place', () => {
  const at = stored.findIndex(
    ({ event }) => event.type === 'phase-judged' && event.verdicts.some((verdict) => verdict.outcome !== 'pass'),
  );
  const forged = stored.map((one, index) =>
    index === at && one.event.type === 'phase-judged'
      ? { ...one, event: { ...one.event, verdicts: [pass('proof')] } }
      : one,
  );
  expect(at).toBeGreaterThan(0);
  expect(replayRun(forged).differences).toEqual([
    { seq: stored[at]?.seq, detail: expect.stringContaining('the same evidence gives') },
    // what was decided of it does not follow from the forged verdict either
    { seq: stored[at + 1]?.seq, detail: expect.stringContaining('the same attempt gives') },
  ]);
});

test('a file that was not put on the list of kept ones is found', () => {
  const forged = stored.map((one) =>
    one.event.type === 'attempt-ended' && one.event.snapshot !== null
      ? {
          ...one,
          event: {
            ...one.event,
            snapshot: { ...one.event.snapshot, refused: [{ rule: 'nested-git', where: 'a/.git' }] },
          },
        }
      : one,
  ) as readonly Stored[];
  const found = replayRun(forged).differences.filter(({ detail }) => detail.startsWith('kept was'));
  expect(found.length).toBeGreaterThan(0);
  const earlier = forged.map((one) =>
    one.event.type === 'attempt-ended' ? { ...one, event: { ...one.event, version: 0 } } : one,
  );
  expect(replayRun(earlier).differences.some(({ detail }) => detail.startsWith('kept was'))).toBe(false);
  expect(replayRun(earlier).earlier).toContainEqual({ seq: found[0]?.seq, rules: 'kept', version: 0 });
});

test('a grant counts from where it stands, not before', () => {
  const at = stored.findIndex(({ event }) => event.type === 'phase-judged' && event.phase === 'monitor');
  const without = stored.filter(({ event }) => event.type !== 'task-granted');
  expect(at).toBeGreaterThan(0);
  expect(replayRun(without.slice(0, at)).differences).toEqual([]);
});

test('requests alone come to nothing', () => {
  const [first] = stored;
  expect(replayRun(first === undefined ? [] : [first])).toEqual({
    state: null,
    judged: 0,
    differences: [],
    earlier: [],
  });
  expect(first?.event).toMatchObject({ type: 'requested-run', by: me });
});
