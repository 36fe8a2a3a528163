import { beforeAll, expect, test } from 'vitest';
import { chain, draft, storedOf } from '../../src/adapters/ledger/chain.ts';
import type { HandoffEvidence } from '../../src/domain/gates/evidence.ts';
import { genesis } from '../../src/domain/ledger/chain.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { type Simulation, simulate } from '../simulation/simulate.ts';
import { checkClosedProven, checkLandedProven, checkProven } from './check-proven.ts';
import { me } from './plans.ts';

/** A good history with contracts, proofs and promotions, broken in one way at a time. */
let good: Simulation;
beforeAll(async () => {
  good = await simulate(383, { misfortunes: 0, whims: 0, crashes: 0 });
});

type Change = (event: LedgerEvent) => readonly LedgerEvent[];

function changed(change: Change): readonly Stored[] {
  let tip = genesis;
  let position = 0;
  const mine = good.stored.filter(({ stream }) => stream !== 'repo');
  return mine.flatMap(({ stream, at, epoch, event }) => {
    const links = chain(draft(stream, change(event)), { tip, position }, { epoch, at });
    position += links.length;
    tip = links.at(-1) ?? tip;
    return links.map(storedOf);
  });
}

function broken(change: Change): string {
  const history = changed(change);
  const found = [...checkProven(history), ...checkClosedProven(history), ...checkLandedProven(history)];
  return found.map(({ what }) => what).join('\n');
}

const without =
  (type: LedgerEvent['type']): Change =>
  (event) =>
    event.type === type ? [] : [event];

const handoffs =
  (change: (handoff: HandoffEvidence) => HandoffEvidence): Change =>
  (event) =>
    event.type === 'attempt-ended' ? [{ ...event, handoff: change(event.handoff) }] : [event];

test('the history is good, and holds what the others break', () => {
  expect(broken((event) => [event])).toBe('');
  const types = new Set(good.stored.map(({ event }) => event.type));
  expect([types.has('proof-registered'), types.has('components-promoted'), types.has('landed')]).toEqual([
    true,
    true,
    true,
  ]);
});

test.each<[string, Change, RegExp]>([
  [
    'no claim',
    handoffs((one) => {
      if (one.kind !== 'given') return one;
      const { claims: _, ...handoff } = one.handoff;
      return { ...one, handoff };
    }),
    /merged, but \S+: it claims no proof unit/,
  ],
  [
    'a gap',
    handoffs((one) =>
      one.kind === 'given'
        ? { ...one, handoff: { ...one.handoff, claims: { ...one.handoff.claims, state: 'gap' } } }
        : one,
    ),
    /it reports a gap/,
  ],
  [
    'no declared proof',
    (event) =>
      event.type === 'attempt-ended' && event.snapshot !== null
        ? [{ ...event, snapshot: { ...event.snapshot, proofs: [] } }]
        : [event],
    /it left no out\/\S+\.json/,
  ],
  [
    'no check of the snapshot',
    (event) => (event.type === 'check-ended' && event.purpose === 'snapshot' ? [] : [event]),
    /its own tree is not checked/,
  ],
  ['no proof of a person', without('proof-registered'), /nobody proved it/],
  ['a proof that nobody asked for', without('requested-proof'), /nobody proved it[\s\S]*nobody proved parser/],
  ['no promotion', without('components-promoted'), /parser is not promoted to[\s\S]*the wave closes, but parser/],
  [
    'a proof that is revoked before the merge',
    (event) =>
      event.type === 'proof-registered'
        ? [event, { type: 'proof-revoked', bundle: event.bundle, reason: 'wrong', by: me }]
        : [event],
    /nobody proved it/,
  ],
  [
    'a proof that is revoked before the landing',
    (event) =>
      event.type === 'landing-intended'
        ? [
            ...['p1', 'p2', 'p3'].map(
              (bundle) => ({ type: 'proof-revoked', bundle, reason: 'wrong', by: me }) as const,
            ),
            event,
          ]
        : [event],
    /^it lands, but the proof of \S+ is revoked/,
  ],
])('%s is noticed', (_, change, what) => {
  expect(broken(change)).toMatch(what);
});
