import { describe, expect, test } from 'vitest';
import { by, hello } from '../../test/support/run-events.ts';
import { closed, commit, heldBy, seen, tree, withHello } from '../../test/support/standing-states.ts';
import { noticesOf } from '../domain/board/notices.ts';
import { barriersOfRun } from '../domain/closure/barriers.ts';
import { answer } from '../domain/decide/answer.ts';
import { needsOf } from '../domain/explain/needs.ts';
import { failWith } from '../domain/gates/make-verdict.ts';
import type { PlannedTask } from '../domain/plan/plan.ts';
import type { Bundle } from '../domain/proofs/bundle.ts';
import type { RunState } from '../domain/run/run.ts';
import { closingActions, closureDocument } from './closing.ts';
import { waveStanding } from './role-text.ts';
import { whyRun } from './why.ts';

const bundle: Bundle = {
  id: 'p1',
  task: hello,
  snapshot: commit,
  tree,
  level: 'live',
  artifacts: [],
  attestation: 'seen',
  by,
  state: 'revoked',
};
const round = { round: 1, base: commit, tasks: [], steps: [{ task: hello, commit, tree }], tip: { commit, tree } };
const merged = { ...round, status: 'merged', closed: [], old: commit, new: commit, judged: true } as const;

const planned = (state: RunState, change: Partial<PlannedTask>): RunState['plan'] => ({
  ...state.plan,
  waves: state.plan.waves.map((wave) => ({
    ...wave,
    tasks: wave.tasks.map((task) => (task.id === hello ? { ...task, ...change } : task)),
  })),
});

/** Merged, every wave closed, and then the proof was revoked. */
function revoked(change: Partial<PlannedTask>, levels = {}): RunState {
  const base: RunState = { ...closed, bundles: [bundle] };
  const promoted = { levels, commit, tree };
  return {
    ...base,
    plan: planned(base, change),
    waves: base.waves.map((wave) => ({ ...wave, rounds: [{ ...merged, promoted }] })),
  };
}
const live = { exit: { completion: null, durability: null, proof: 'live', docs: null } } as const;
const promotes = { promotes: { parser: 'pilot-live' } } as const;

describe.each([
  ['of a task', revoked(live), 'proof-hello', 'proof-revoked'],
  ['of a component', revoked(promotes, { parser: 'pilot-live' }), 'component-parser', 'component-proof-missing'],
])('a proof %s that is revoked between merge and landing', (_, state, id, code) => {
  test('is shown by why, status, needs, notices and the API, with its code', () => {
    expect(needsOf(state).map(({ kind, task, barrier }) => [kind, task, barrier])).toEqual([['barrier', hello, id]]);
    expect(noticesOf(state).map(({ item }) => item)).toEqual([`${state.run} barrier ${hello} ${id}`]);
    expect(closingActions(seen(state))).toMatchObject([{ id, owner: 'person', code }]);
    expect(whyRun(seen(state), { ahead: null, attended: true }).command).toContain(`tidegate proof add ${state.run}/`);
    const [wave] = state.waves;
    if (wave === undefined) throw new Error('no wave');
    expect(waveStanding(state, wave)).toContain(', closed, but does not land: ');
    expect(closureDocument(seen(state), wave)).toMatchObject({ barriers: [{ id, code }] });
  });

  test('can be resolved for the merged tree, also after the end of the run', () => {
    const request = { type: 'requested-resolve', barrier: id, reason: 'it is known', by } as const;
    const resolved = { type: 'barrier-resolved', wave: 0, barrier: id, tree, reason: 'it is known', by };
    expect(answer(state, request)).toEqual({ ok: true, value: [resolved] });
    expect(answer({ ...state, ended: 'done' }, request)).toEqual({ ok: true, value: [resolved] });
    const after = {
      ...state,
      waves: state.waves.map((wave) => ({ ...wave, resolved: [{ barrier: id, tree, reason: '', by }] })),
    };
    expect(barriersOfRun(after)).toEqual([]);
    expect(answer({ ...after, ended: 'done' }, request)).toMatchObject({ ok: false });
  });

  test('is why an ended run does not land', () => {
    const ended = whyRun(seen({ ...state, ended: 'done' }), { ahead: null, attended: true });
    expect(ended.command).toContain(`tidegate proof add ${state.run}/`);
  });
});

test('a held exit contract is one barrier, one need and one action', () => {
  const verdicts = [
    failWith('exit-contract', [
      { rule: 'exit-claim', code: 'proof-level-gap', part: 'proof', level: 'integration', claimed: 'unit' },
    ]),
  ];
  const state = withHello({ progress: heldBy({ because: 'gate', verdicts }) });
  expect(barriersOfRun(state)).toMatchObject([{ id: 'contract-hello', kind: 'contract', task: hello, tree }]);
  expect(needsOf(state).map(({ kind, barrier }) => [kind, barrier])).toEqual([['held', 'contract-hello']]);
  const [first, ...others] = closingActions(seen(state)).filter(({ owner }) => owner === 'person');
  expect([first?.id, first?.code, others]).toEqual(['contract-hello', 'proof-level-gap', []]);
  expect(first?.command).toContain('tidegate rework');
});
