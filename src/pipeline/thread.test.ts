import { expect, test } from 'vitest';
import { created, hashOf, me, plan, stateAfter, theRun } from '../../test/support/plans.ts';
import { replacement } from '../domain/decide/replan.ts';
import type { ThreadEvidence } from '../domain/gates/evidence.ts';
import { judged } from '../domain/gates/judge.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { FrozenPlan } from '../domain/plan/plan.ts';
import type { RunState } from '../domain/run/run.ts';
import { approval } from './approval.ts';
import { ownership } from './ownership.ts';
import { preflight } from './preflight.ts';
import { contextOf } from './step.ts';
import { thread } from './thread.ts';

const places = { intake: 'https://forum.example/intake', threads: null, tokenFrom: null };
const forum = plan([{ a: {} }, { b: {} }], { thread: places });
const intended = (wave: number): RunEvent => ({ type: 'thread-intended', wave, key: `key-${wave}` });
const bound: ThreadEvidence = { board: 'intake', id: 't-1', failed: [] };
const judgedAs = (evidence: ThreadEvidence, wave = 0, of: FrozenPlan = forum): RunEvent =>
  judged({ plan: of, hash: hashOf(of), granted: [] }, { phase: 'thread', wave, evidence });
const run = (...events: RunEvent[]): RunState => stateAfter(created(forum), ...events);
const replaced = (past: readonly RunEvent[], next: FrozenPlan): RunEvent =>
  replacement(run(...past), { plan: next, hash: hashOf(next), by: me });

test('without addresses each wave has the built-in board, as it always had', () => {
  const state = stateAfter(created(plan([{ a: {} }])));
  const evidence = { board: 'builtin', id: `${theRun}/wave-0` } as const;
  const verdict = judged(contextOf(state), { phase: 'thread', wave: 0, evidence });
  expect(thread(state)).toEqual([{ kind: 'fact', events: [verdict] }]);
  expect(verdict.verdicts).toEqual([{ gate: 'thread', version: 1, outcome: 'pass' }]);
});

test('a thread elsewhere is intended before it is asked for, each wave by a key of its own', () => {
  const keys = thread(run()).flatMap((step) => (step.kind === 'fact' ? step.events : []));
  expect(keys).toMatchObject([
    { type: 'thread-intended', wave: 0, key: expect.stringContaining(`${theRun}:wave-0:`) },
    { type: 'thread-intended', wave: 1, key: expect.stringContaining(`${theRun}:wave-1:`) },
  ]);
  expect(thread(run(intended(0), intended(1)))).toMatchObject([
    { kind: 'effect', key: 'thread 0', effect: { do: 'bind-thread', wave: 0, key: 'key-0' } },
    { kind: 'effect', key: 'thread 1', effect: { do: 'bind-thread', wave: 1, key: 'key-1' } },
  ]);
});

test('no later phase of a wave is judged, and nobody is asked, before its thread is there', () => {
  const waiting = run(intended(0), intended(1), judgedAs(bound));
  const given = { now: '2026-01-01T12:00:00.000Z', nonce: () => 'n' };
  expect(preflight(waiting)).toMatchObject([{ events: [{ phase: 'preflight', wave: 0 }] }]);
  expect([ownership(waiting), approval(waiting, given)]).toEqual([[], []]);
});

test.each<ThreadEvidence>([
  bound,
  { board: 'threads', id: '7', failed: [{ way: 'intake', because: { rule: 'delivery-refused', status: 500 } }] },
  {
    board: 'log',
    id: 'runs/demo/wave-0.log',
    failed: [{ way: 'intake', because: { rule: 'delivery-late', seconds: 5 } }],
  },
  { board: 'builtin', id: 'demo/wave-0', failed: [{ way: 'log', because: { rule: 'thread-log', code: 'ENOSPC' } }] },
])('the phase passes with $board', (evidence) => {
  expect(judgedAs(evidence)).toMatchObject({ verdicts: [{ gate: 'thread', version: 1, outcome: 'pass' }] });
});

test('under another plan a wave keeps its thread, unless threads are opened elsewhere now', () => {
  const before = [intended(0), judgedAs(bound), intended(1), judgedAs({ ...bound, id: 't-2' }, 1)];
  const same = plan([{ a: {}, c: {} }, { b: {} }], { thread: places });
  expect(thread(run(...before, replaced(before, same)))).toMatchObject([
    { events: [{ evidence: bound }] },
    { events: [{ evidence: { id: 't-2' } }] },
  ]);
  const other = plan([{ a: {} }, { b: {} }], { thread: { ...places, intake: 'https://other.example/intake' } });
  expect(thread(run(...before, replaced(before, other)))).toMatchObject([
    { events: [{ type: 'thread-intended' }] },
    { events: [{ type: 'thread-intended' }] },
  ]);
});
