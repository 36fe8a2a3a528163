import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { me, you } from '../../../test/support/plans.ts';
import { planHash } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import { decideTap, type TapDecision } from './decide-tap.ts';
import { evolveTap, type TapState } from './tap.ts';

const hash = planHash('a'.repeat(64));
const edited = planHash('b'.repeat(64));
const opened: RunEvent & { type: 'tap-opened' } = {
  type: 'tap-opened',
  tap: 'start',
  hash,
  expires: '2026-01-02T00:00:00.000Z',
};
type TapEvent = RunEvent & { readonly type: 'tap-opened' | 'tap-decided' };

const decided = (decision: TapDecision, by = me): TapEvent => ({
  type: 'tap-decided',
  tap: 'start',
  decision,
  hash,
  by,
});
const given = (...past: TapEvent[]) => {
  const state = past.reduce<TapState | undefined>(evolveTap, undefined);
  return {
    state,
    when: (decision: TapDecision, by = me, seen = hash, at = '2026-01-01T00:00:00.000Z') =>
      decideTap(state, { tap: 'start', decision, hash: seen, by }, at),
  };
};

describe('a tap', () => {
  test('that was never opened decides nothing', () => {
    expect(given().when('approved')).toEqual({ ok: false, error: { rule: 'tap-absent', tap: 'start' } });
  });

  test('that is pending takes each decision', () => {
    for (const decision of ['approved', 'rejected', 'held', 'expired'] as const)
      expect(given(opened).when(decision)).toEqual({ ok: true, value: [decided(decision)] });
  });

  test('gives its first approve or reject the last word (H1)', () => {
    for (const first of ['approved', 'rejected'] as const)
      for (const second of ['approved', 'rejected', 'held', 'expired'] as const)
        expect(given(opened, decided(first, me)).when(second, you)).toEqual({
          ok: false,
          error: { rule: 'tap-settled', status: first, who: 'ada' },
        });
  });

  test('that is on hold is lifted by a later approve, and keeps its expiry until then', () => {
    const held = given(opened, decided('held', you));
    expect(held.state).toEqual({ status: 'held', hash, by: you, expires: opened.expires });
    expect(held.when('approved')).toEqual({ ok: true, value: [decided('approved')] });
    expect(given(opened, decided('held'), decided('approved')).state).toEqual({ status: 'approved', hash, by: me });
  });

  test('refuses an approval of another version of the plan (H1)', () => {
    expect(given(opened).when('approved', me, edited)).toEqual({
      ok: false,
      error: { rule: 'plan-outdated' },
    });
  });

  test('F4: is decided by when the person answered, whenever the answer is read', () => {
    const expires = opened.expires ?? '';
    const late = { ok: false, error: { rule: 'tap-expired', tap: 'start', expired: expires } };
    for (const tap of [given(opened), given(opened, decided('held'))]) {
      expect(tap.when('approved', me, hash, expires)).toEqual(late);
      expect(tap.when('approved', me, hash, '2027-01-01T00:00:00.000Z')).toEqual(late);
      expect(tap.when('approved', me, hash, 'some time')).toEqual(late);
      expect(tap.when('approved', me, hash, '2026-01-01T23:59:59.999Z').ok).toBe(true);
    }
  });

  test('that ran out is not approved by anybody any more', () => {
    expect(given(opened, decided('expired')).when('approved').ok).toBe(false);
  });
});

test('for every sequence of decisions a tap is approved only if the first approve or reject was an approve', () => {
  const decision = fc.constantFrom<TapDecision>('approved', 'rejected', 'held', 'expired');
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 8 }), (decisions) => {
      let state: TapState | undefined = evolveTap(undefined, opened);
      for (const one of decisions) {
        const result = decideTap(state, { tap: 'start', decision: one, hash, by: me }, '2026-01-01T00:00:00.000Z');
        if (result.ok) for (const event of result.value) state = evolveTap(state, event as TapEvent);
      }
      const final = decisions.find((one) => one !== 'held');
      expect(state?.status).toBe(final ?? (decisions.length > 0 ? 'held' : 'pending'));
    }),
  );
});
