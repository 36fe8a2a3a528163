import { describe, expect, test } from 'vitest';
import { failure } from '../../../test/support/findings.ts';
import {
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  hashOf,
  idOf,
  attempt as idOfAttempt,
  intended,
  me,
  plan,
  snapshot,
  started,
  stateAfter,
  tree,
  you,
} from '../../../test/support/plans.ts';
import { describeRefusal } from '../explain/explain.ts';
import { judged } from '../gates/judge.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { answer } from './answer.ts';
import { misfit, replacement } from './replan.ts';

const old = plan([{ a: {}, b: {}, d: {} }, { c: { needs: ['a'] } }]);
const at = { wave: 0, round: 1 } as const;
const context = { plan: old, hash: hashOf(old), granted: [] };
const ready = (id: string): readonly RunEvent[] => {
  const ended = attemptEnded(id);
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const { ending, handoff, snapshot: taken, attempt } = ended;
  const nonce = `nonce-${id}-1`;
  const evidence = { attempt, nonce, ending, handoff, snapshot: taken };
  return [
    intended(id),
    started(id),
    judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(idOfAttempt(id, 1)) }),
    ended,
    judged(context, { phase: 'monitor', task: idOf(id), evidence }),
  ];
};
const settled = (id: string): RunEvent => ({
  type: 'attempt-settled',
  task: idOf(id),
  attempt: idOfAttempt(id, 1),
  version: 1,
  charged: 0,
  free: 0,
  spirals: 0,
  turn: 'command',
  decision: { becomes: 'ready' },
  limits: { attempts: 2, chain: [], freeLaunches: 3, waitedLaunches: 3, spirals: 2 },
});
const opened: RunEvent = {
  type: 'round-opened',
  ...at,
  base: commit('base'),
  tasks: [{ task: idOf('a'), snapshot: snapshot('a').commit }],
};
const built: RunEvent = {
  type: 'candidate-built',
  ...at,
  base: commit('base'),
  steps: [{ task: idOf('a'), commit: commit('next'), tree: tree('next') }],
  conflicts: [],
};
const closing = (frozen: FrozenPlan): RunEvent =>
  judged(
    { plan: frozen, hash: hashOf(frozen), granted: [] },
    {
      phase: 'closure',
      wave: 0,
      evidence: {
        round: 1,
        base: commit('base'),
        candidate: commit('next'),
        tree: tree('next'),
        tasks: [],
        checks: [],
      },
    },
  );
const merged: readonly RunEvent[] = [
  closing(old),
  { type: 'merge-intended', ...at, old: commit('base'), new: commit('next') },
  {
    type: 'merged',
    ...at,
    old: commit('base'),
    new: commit('next'),
    tasks: [{ task: idOf('a'), commit: commit('next') }],
  },
];
const seen: RunEvent = judged(context, {
  phase: 'merge',
  wave: 0,
  evidence: { round: 1, old: commit('base'), new: commit('next'), observed: commit('next'), proof: 'f' },
});
const begun: readonly RunEvent[] = [
  created(old),
  { type: 'tap-opened', tap: 'start', hash: hashOf(old), expires: null },
  { type: 'tap-decided', tap: 'start', decision: 'approved', hash: hashOf(old), by: me },
  judged(context, { phase: 'approval', wave: 0, evidence: { decision: 'approved', hash: hashOf(old) } }),
  { type: 'run-branch-made', commit: commit('base'), tree: tree('base') },
];
/** Task a is merged, b is ready, d was dropped by a person. */
const half: readonly RunEvent[] = [
  ...begun,
  ...ready('a'),
  ...ready('b'),
  { type: 'task-dropped', task: idOf('d'), by: you },
  opened,
  built,
  ...merged,
  seen,
];

const asked = (next: FrozenPlan, replaces: FrozenPlan = old): RequestEvent => ({
  type: 'requested-replan',
  plan: next,
  hash: hashOf(next),
  replaces: hashOf(replaces),
  by: you,
});
const errorOf = (state: RunState, next: FrozenPlan): string => {
  const said = answer(state, asked(next));
  return said.ok ? JSON.stringify(said.value) : describeRefusal(said.error);
};
const typesOf = (state: RunState, next: FrozenPlan): readonly string[] => {
  const said = answer(state, asked(next));
  if (!said.ok || said.value === 'later') return [said.ok ? 'later' : describeRefusal(said.error)];
  return said.value.map((event) => event.type);
};
const next = plan([{ a: {}, b: {}, d: {}, e: {} }, { c: { needs: ['a'] } }]);
const replacing = (past: readonly RunEvent[], by: FrozenPlan): RunEvent =>
  replacement(stateAfter(...past), { plan: by, hash: hashOf(by), by: you });

describe('a new version of the plan', () => {
  test('keeps what is merged and dropped, judges ready work again, begins the rest anew, and counts attempts on', () => {
    const state = stateAfter(...half, replacing(half, next));
    const progress = Object.values(state.tasks).map((task) => [task.id, task.progress.status, task.launches]);
    expect(progress).toEqual([
      ['a', 'merged', 1],
      ['b', 'ended', 1],
      ['d', 'dropped', 0],
      ['e', 'waiting', 0],
      ['c', 'waiting', 0],
    ]);
    expect([state.hash, state.taps, state.checks]).toEqual([hashOf(next), {}, {}]);
    expect(state.waves.map(({ approval, ownership, rounds }) => [approval, ownership, rounds.length])).toEqual([
      [null, null, 1],
      [null, null, 0],
    ]);
  });

  test('drops by name what it leaves out; what a later one has again begins anew', () => {
    const less = plan([{ a: {}, d: {} }, { c: { needs: ['a'] } }]);
    const said = answer(stateAfter(...half), asked(less));
    const events = said.ok && said.value !== 'later' ? said.value : [];
    expect(events).toEqual([
      { type: 'task-dropped', task: 'b', by: you },
      { type: 'plan-replaced', plan: less, hash: hashOf(less), keeps: ['a', 'd'], threads: [], by: you },
    ]);
    const state = stateAfter(...half, ...events, replacing([...half, ...events], old));
    const status = (id: string) => state.tasks[idOf(id)]?.progress.status;
    expect([status('b'), status('d'), state.tasks[idOf('b')]?.launches]).toEqual(['waiting', 'dropped', 1]);
    expect(answer(stateAfter(...half, ...events), { type: 'requested-retry', task: idOf('b'), by: me })).toEqual({
      ok: false,
      error: { rule: 'task-removed', task: 'b' },
    });
  });

  test('F24: keeps the work of a ready task that it asks for in the same words, and judges it again', () => {
    const b = plan([{ a: {}, b: {}, d: {} }, { c: { needs: ['a'] } }]);
    const past = [created(b), ...begun.slice(1), ...ready('a'), settled('a'), ...ready('b'), settled('b')];
    const reuses = (written: FrozenPlan) => replacing(past, written);
    const more = plan([{ a: {}, b: {}, d: {}, e: {} }, { c: { needs: ['a'] } }], {
      checks: [{ name: 'test', run: 'npm test', minutes: 1 }],
    });
    expect(reuses(more)).toMatchObject({ keeps: [], reuses: ['a', 'b'] });
    const state = stateAfter(...past, reuses(more));
    const [a] = Object.values(state.tasks);
    expect(a).toMatchObject({ progress: { status: 'ended', snapshot: snapshot('a'), attempt: { monitored: null } } });
    expect([state.waves[0]?.ownership, state.waves[0]?.approval]).toEqual([null, null]);
    const others = [
      plan([{ a: { priority: 9 }, b: {}, d: {} }, { c: { needs: ['a'] } }]),
      plan([{ a: {}, b: {}, d: {} }, { c: { needs: ['a'] } }], { forbid: ['drop tables'] }),
      plan([{ d: {} }, { a: {}, b: {}, c: { needs: ['a'] } }]),
      plan([{ a: { needs: ['d'] }, b: { needs: ['a'] }, d: {} }, { c: {} }]),
    ];
    expect(others.map((written) => (reuses(written) as { reuses?: readonly string[] }).reuses ?? [])).toEqual([
      ['b'],
      [],
      [],
      [],
    ]);
  });

  test('lets a run go on that stood', () => {
    for (const stood of [
      { type: 'run-paused', by: me },
      { type: 'run-stopped', by: me },
      { type: 'run-halted', because: failure('disk full') },
    ] as const)
      expect(typesOf(stateAfter(...half, stood), next)).toEqual(['plan-replaced', 'run-resumed']);
  });

  test('of the same hash has happened already', () => {
    expect(answer(stateAfter(...half), asked(old))).toEqual({ ok: true, value: [] });
  });
});

describe('a new version is refused', () => {
  const state = stateAfter(...half);
  test.each([
    ['without a task that is merged', plan([{ b: {} }]), 'a is merged, so the plan must keep it in wave 1'],
    ['with it in another wave', plan([{ b: {} }, { a: {} }]), 'a is merged, so the plan must keep it in wave 1'],
    ['for another branch', plan([{ a: {} }], { base: 'dev' }), 'demo-ab12 started on main and lands there'],
    ['with tasks that meet', plan([{ a: {}, b: { owns: ['x'] }, e: { owns: ['x'] } }]), 'could both write'],
  ])('%s', (_, written, why) => {
    expect(errorOf(state, written)).toContain(why);
  });

  test('when somebody else replaced the plan meanwhile', () => {
    expect(answer(state, asked(next, next))).toMatchObject({ ok: false });
  });

  test('when it changes the tasks of a closed wave, or leaves nothing to do', () => {
    const closed = stateAfter(...half, { type: 'wave-closed', wave: 0 });
    expect(errorOf(closed, plan([{ a: {}, b: {} }, { c: {} }]))).toContain('wave 1 is closed');
    const all = stateAfter(...half, { type: 'wave-closed', wave: 0 }, { type: 'wave-closed', wave: 1 });
    expect(errorOf(all, plan([{ a: { priority: 1 }, b: {}, d: {} }, { c: {} }]))).toContain('every wave is closed');
  });

  test('while agents work, unless they are being stopped', () => {
    const live = [...half, intended('c')];
    expect(errorOf(stateAfter(...live), next)).toBe('c is running; first: tidegate stop demo-ab12');
    expect(typesOf(stateAfter(...live, { type: 'run-stopped', by: me }), next)).toEqual(['later']);
  });

  test('while a wave is integrated; one that stands still is given up', () => {
    const integrating = [...begun, ...ready('a'), opened, built];
    expect(errorOf(stateAfter(...integrating), next)).toContain('wave 1 is being integrated');
    expect(typesOf(stateAfter(...integrating, { type: 'run-halted', because: failure('disk full') }), next)).toEqual([
      'round-abandoned',
      'plan-replaced',
      'run-resumed',
    ]);
    const moving = [...integrating, ...merged.slice(0, 2)];
    expect(errorOf(stateAfter(...moving, { type: 'run-halted', because: failure('disk full') }), next)).toContain(
      'being moved',
    );
    expect(typesOf(stateAfter(...moving, { type: 'run-stopped', by: me }), next)).toEqual(['later']);
  });

  test('while a branch is landed on, and when the run has ended', () => {
    expect(errorOf(stateAfter(...half, { type: 'target-observed', commit: commit('base') }), next)).toContain(
      'landing',
    );
    expect(errorOf(stateAfter(...half, { type: 'run-ended', outcome: 'done' }), next)).toBe('the run has ended (done)');
  });
});

test('a run that began at uncommitted changes is not replanned to leave by a branch of its own', () => {
  const branch = { type: 'run-branch-made', commit: commit('base'), tree: tree('base') } as const;
  const onOwnBranch = { ...old, land: 'branch' } as const;
  expect(misfit(stateAfter(created(old), branch), onOwnBranch)).toBeNull();
  expect(misfit(stateAfter(created(old), { ...branch, onto: commit('theirs') }), onOwnBranch)).toMatchObject({
    fault: 'mistakes',
    findings: [{ rule: 'uncommitted-unfit', fault: 'lands-on-branch' }],
  });
});
