import { expect, test } from 'vitest';
import { attempt, exited, handoff, idOf, log, me, order, plan, snapshot, tree } from '../../../test/support/plans.ts';
import type { CheckOutcome, MonitorEvidence } from '../../domain/gates/evidence.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { Stored } from '../../ports/ledger.ts';
import { proveExit } from './exits.ts';
import type { History } from './history.ts';

const unit = { completion: null, durability: null, proof: 'unit', docs: null };
const check = { name: 'test', run: 'true', minutes: 1 };
const passed: CheckOutcome = {
  ...{ name: 'test', tree: snapshot('a').tree, outcome: 'passed', code: 0 },
  ...{ log, tail: '' },
};
const fine: MonitorEvidence = {
  attempt: attempt('a', 1),
  nonce: 'n',
  ending: exited(0),
  handoff: handoff('n', { claims: { proof: 'unit' } }),
  snapshot: snapshot('a'),
  checks: [passed],
};

function proven(change: Partial<MonitorEvidence> = {}, recorded: CheckOutcome | null = passed, version = 4) {
  const frozen = plan([{ a: { exit: unit, artifacts: [{ path: 'o' }] } }], { checks: [check] });
  const evidence = { ...fine, snapshot: { ...snapshot('a'), proofs: [proof] }, ...change };
  const judged = { type: 'phase-judged', phase: 'monitor', task: idOf('a'), version, evidence, verdicts: [] } as const;
  const events: readonly LedgerEvent[] = [
    { type: 'run-created', ...order(frozen), by: me },
    ...(recorded === null ? [] : [{ type: 'check-ended', purpose: 'snapshot', check: recorded } as const]),
    judged,
  ];
  const history = events.map((event, at) => ({ event, position: at + 1, hash: `${at}` }) as unknown as Stored);
  const monitor = { ...(history.at(-1) as Stored), event: judged };
  return proveExit(history as History, monitor);
}
const proof = { path: 'o', sha256: 'ab'.repeat(32), bytes: 1 };

test('a contract is proven by claims of the attempt, its proofs and a recorded check of exactly its tree', () => {
  expect(proven()).toMatchObject([{ position: 2 }]);
});

test('nothing that is left out, of another tree or only said proves it', () => {
  const unclaimed = [handoff('n'), handoff('x', { claims: { proof: 'unit' } }), { kind: 'absent' } as const];
  for (const left of unclaimed) expect(proven({ handoff: left })).toBe('task-claims');
  expect(proven({ handoff: handoff('n', { claims: { proof: 'unit', state: 'gap' } }) })).toBe('task-claims');
  expect(proven({ checks: [] })).toBe('task-exit-unproven');
  expect(proven({}, null)).toBe('task-exit-unproven');
  expect(proven({}, { ...passed, outcome: 'failed' })).toBe('task-exit-unproven');
  const other = { ...passed, tree: tree('other') };
  expect(proven({ checks: [other] }, other)).toBe('task-exit-unproven');
  expect(proven({ snapshot: snapshot('a') })).toBe('task-exit-unproven');
  expect(proven({ snapshot: { ...snapshot('a'), proofs: [{ path: 'o', fault: 'absent' }] } })).toBe(
    'task-exit-unproven',
  );
});

test('a resolution that no person asked for proves nothing', () => {
  expect(proven({ resolved: { tree: snapshot('a').tree, who: 'ada' } })).toBe('task-exit-unproven');
  expect(proven({ resolved: { tree: tree('other'), who: 'ada' } })).toBe('task-exit-unproven');
});

test('a task that was judged before there were contracts has none', () => {
  expect(proven({ handoff: handoff('n'), checks: [] }, null, 3)).toEqual([]);
});
