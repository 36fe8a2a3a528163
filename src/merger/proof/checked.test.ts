import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, type Scene, scene } from '../../../test/support/merger-scene.ts';
import { log, me, tree } from '../../../test/support/plans.ts';
import { type TreeId, taskId } from '../../domain/base/ids.ts';
import { type CheckReport, testDigest } from '../../domain/checks/report.ts';
import type { CheckOutcome } from '../../domain/gates/evidence.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { Stored } from '../../ports/ledger.ts';
import { proveChecks, redOn, uncheckedOn } from './checked.ts';
import { eventsOf, judgedPhases } from './history.ts';

let s: Scene;
let history: readonly Stored[];
beforeAll(async () => {
  s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  history = await s.ledger.read(run);
});
afterAll(() => s[Symbol.asyncDispose]());

const tests = (failed: readonly string[], passed: readonly string[] = []): CheckReport => ({
  tests: { failed, passed: passed.map(testDigest) },
});
const failing = (on: TreeId, report: CheckReport): CheckOutcome => ({
  ...{ name: 'test', tree: on, outcome: 'failed', code: 1, log, tail: '' },
  report,
});

/** The same history with a check that is compared: red on the base and on the candidate. */
function compared(base: CheckReport, now: CheckReport, ...late: readonly LedgerEvent[]): readonly Stored[] {
  const against = baseTree();
  const events = history.flatMap(({ event }): readonly LedgerEvent[] => {
    if (event.type === 'run-created') {
      const checks = [
        { name: 'test', run: 'npm test', minutes: 1, parse: { as: 'junit' }, policy: 'ratchet' } as const,
      ];
      return [{ ...event, plan: { ...event.plan, checks } }];
    }
    if (event.type === 'run-branch-made')
      return [event, { type: 'check-ended', purpose: 'base', check: failing(against, base) }];
    if (event.type === 'check-ended')
      return event.check.name === 'test' ? [{ ...event, check: failing(event.check.tree, now) }, ...late] : [];
    if (event.type !== 'phase-judged' || event.phase !== 'closure') return [event];
    const baseline = { tree: against, checks: [failing(against, base)] };
    return [{ ...event, evidence: { ...event.evidence, checks: [failing(top(), now)], baseline } }];
  });
  return events.map((event, index) => ({
    ...must(history[0]),
    event,
    seq: index + 1,
    position: index + 1,
    hash: `${index}`,
  }));
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}
const baseTree = (): TreeId => must(eventsOf(history, 'run-branch-made')[0]).event.tree;
const top = (): TreeId => must(must(eventsOf(history, 'candidate-built')[0]).event.steps.at(-1)).tree;
const prove = (past: readonly Stored[]) =>
  proveChecks(past, must(judgedPhases(past, 'closure').at(-1)), {
    opened: must(eventsOf(past, 'round-opened').at(-1)).position,
    tasks: [taskId('a')],
    top: top(),
  });
const resolved: readonly LedgerEvent[] = [
  { type: 'requested-resolve', barrier: 'check-test', reason: 'known', by: me },
];
const decision = (on: TreeId, by = me): LedgerEvent => ({
  ...{ type: 'barrier-resolved', wave: 0, barrier: 'check-test', tree: on, reason: 'known' },
  by,
});

test('a red check that is no worse is proven by both its outcomes', () => {
  const past = compared(tests(['a', 'b']), tests(['a'], ['b']));
  const proven = prove(past);
  expect(proven).toMatchObject({ ok: true, value: { length: 2 } });
  expect(uncheckedOn(past, { tree: top(), against: baseTree() })).toEqual([]);
  expect(redOn(past, top())).toEqual(['test']);
});

test.each([
  ['another test fails', tests(['a']), tests(['b'], ['a'])],
  ['the report is lost', tests(['a']), { unreadable: 'absent' } as const],
  ['a failing test is gone', tests(['a', 'b']), tests(['a'])],
])('nothing is proven when %s, whatever the verdict says', (_name, base, now) => {
  const past = compared(base, now);
  expect(prove(past)).toEqual({ ok: false, error: { gap: 'check-failed', check: 'test' } });
  expect(uncheckedOn(past, { tree: top(), against: baseTree() })).toEqual(['test']);
});

test('what cannot be compared is proven by a person who was asked, for exactly this tree', () => {
  const lost = { unreadable: 'absent' } as const;
  const past = (...late: readonly LedgerEvent[]) => compared(tests(['a']), lost, ...late);
  expect(prove(past(...resolved, decision(top())))).toMatchObject({ ok: true });
  expect(prove(past(decision(top())))).toMatchObject({ ok: false });
  expect(prove(past(...resolved, decision(tree('other'))))).toMatchObject({ ok: false });
  expect(prove(past(...resolved, decision(top(), { ...me, via: 'policy' })))).toMatchObject({ ok: false });
  // a test that a task broke is not up to anybody
  expect(prove(compared(tests(['a']), tests(['b'], ['a']), ...resolved, decision(top())))).toMatchObject({ ok: false });
});

test('the outcomes are those of the ledger, on the tree that the round is built on', () => {
  const past = compared(tests(['a']), tests(['a']));
  const altered = (change: (event: LedgerEvent) => LedgerEvent) =>
    past.map((one) => ({ ...one, event: change(one.event) }));
  const claims = altered((event) =>
    event.type === 'phase-judged' && event.phase === 'closure'
      ? { ...event, evidence: { ...event.evidence, checks: [failing(top(), tests([], ['a']))] } }
      : event,
  );
  expect(prove(claims)).toEqual({ ok: false, error: { gap: 'check-unrecorded', check: 'test' } });
  const elsewhere = altered((event) =>
    event.type === 'phase-judged' && event.phase === 'closure'
      ? { ...event, evidence: { ...event.evidence, baseline: { tree: tree('other'), checks: [] } } }
      : event,
  );
  expect(prove(elsewhere)).toEqual({ ok: false, error: { gap: 'closure-tree' } });
  expect(prove(past.filter(({ event }) => event.type !== 'check-ended' || event.purpose !== 'base'))).toMatchObject({
    ok: false,
  });
});
