import { describe, expect, test } from 'vitest';
import { commit, created, idOf, me, plan, stateAfter, tree } from '../../../test/support/plans.ts';
import { type RunId, runId } from '../base/ids.ts';
import { answer } from '../decide/answer.ts';
import { describeFinding } from '../explain/explain.ts';
import { needsOf } from '../explain/needs.ts';
import type { DependencyEvent, DependencyRequest } from '../ledger/dependency-events.ts';
import type { RunEvent } from '../ledger/events.ts';
import { evolveRun, type RunState } from '../run/run.ts';
import { heldLanding, heldWave, holdsEnd, linkedRuns, openDebts } from './blocks.ts';
import { type Dependency, endName, evolveDependencies } from './dependency.ts';
import { addBranchDependency, addDependency, endDependency } from './dependency-requests.ts';
import { branchFact, linkedFact, requirementsOn } from './link.ts';

const [shop, pay, mail] = ['shop-0001', 'pay-0002', 'mail-0003'].map(runId) as [RunId, RunId, RunId];
const fresh = stateAfter(created(plan([{ a: {} }, { b: {} }])), {
  type: 'run-branch-made',
  commit: commit('base'),
  tree: tree('base'),
});
const run = (name: RunId, change: Partial<RunState> = {}): RunState => ({ ...fresh, run: name, ...change });
const grown = (state: RunState, ...events: readonly RunEvent[]): RunState =>
  events.reduce((now, event) => evolveRun(now, { seq: 0, event }) ?? now, state);

const asks = (on: string, more: Partial<Extract<DependencyRequest, { type: 'requested-dependency' }>> = {}) =>
  ({
    type: 'requested-dependency',
    subject: null,
    on,
    required: true,
    text: 'the price list',
    by: me,
    ...more,
  }) as const;
const added = (id: string, on: RunId, more: Partial<Extract<DependencyEvent, { type: 'dependency-added' }>> = {}) =>
  ({
    type: 'dependency-added',
    dependency: id,
    on: { run: on },
    required: true,
    text: 'the price list',
    by: me,
    ...more,
  }) as const;

/** The run with both of its tasks merged and landed on this branch. */
const landed = (state: RunState, branch = 'main'): RunState => {
  const merged = (task: 'a' | 'b', wave: number): readonly RunEvent[] => [
    {
      type: 'round-opened',
      wave,
      round: 1,
      base: commit('base'),
      tasks: [{ task: idOf(task), snapshot: commit(task) }],
    },
    { type: 'merge-intended', wave, round: 1, old: commit('base'), new: commit('tip') },
    {
      type: 'merged',
      wave,
      round: 1,
      old: commit('base'),
      new: commit('tip'),
      tasks: [{ task: idOf(task), commit: commit(task) }],
    },
    { type: 'wave-closed', wave },
  ];
  const tasks = [idOf('a'), idOf('b')];
  const commits = tasks.map((task) => ({ task, commit: commit(task) }));
  const where = { branch, old: commit('base'), new: commit('tip'), tasks, commits };
  return grown(state, ...merged('a', 0), ...merged('b', 1), { type: 'landed', ...where });
};

describe('a new dependency', () => {
  const others = [run(pay), run(mail)];
  const decide = (request: ReturnType<typeof asks>, runs: readonly RunState[] = others, isBranch = false) => {
    const state = run(shop);
    return addDependency(state, request, { runs: [...runs, state], branches: [], isBranch });
  };

  test('takes the next id of the repository', () => {
    expect(decide(asks('pay-0002'))).toMatchObject({ ok: true, value: { dependency: 'd1', on: { run: pay } } });
    const known = [grown(run(pay), added('d7', mail, { required: false })), run(mail)];
    expect(decide(asks('mail'), known)).toMatchObject({ value: { dependency: 'd8', on: { run: mail } } });
  });

  test('names a run, a prefix of one, run/task or a branch', () => {
    expect(decide(asks('pa'))).toMatchObject({ value: { on: { run: pay } } });
    expect(decide(asks('pay/b'))).toMatchObject({ value: { on: { run: pay, task: 'b' } } });
    expect(decide(asks('feature/prices'), others, true)).toMatchObject({ value: { on: { branch: 'feature/prices' } } });
    expect(decide(asks('pay-0002', { subject: idOf('a') }))).toMatchObject({ value: { task: 'a' } });
  });

  const over: RunState = { ...run(pay), ended: 'abandoned' };
  const dropped = grown(run(pay), { type: 'task-dropped', task: idOf('b'), by: me });
  test.each([
    ['itself', asks('shop'), others, 'shop-0001 cannot depend on itself'],
    ['nothing known', asks('nobody'), others, 'there is no run, task or branch nobody'],
    ['an unknown task', asks('pay/x'), others, 'pay-0002 has no task "x"; its tasks are a, b'],
    ['several runs', asks('p'), [run(pay), run(runId('prices-0004'))], 'p fits several runs: pay-0002, prices-0004'],
    ['a run that has landed there', asks('pay'), [landed(run(pay))], 'pay-0002 has already landed on main'],
    ['a run that is over', asks('pay'), [over], 'pay-0002 has ended (abandoned), so nothing of it can be waited for'],
    ['a dropped task', asks('pay/b'), [dropped], 'pay-0002/b was dropped or has landed'],
    ['no text', asks('pay', { text: ' ' }), others, 'the message is empty'],
    [
      'an unknown task of its own',
      asks('pay', { subject: idOf('z') }),
      others,
      'shop-0001 has no task "z"; its tasks are a, b',
    ],
  ])('on %s is refused', (_, request, runs, says) => {
    const refused = decide(request, runs);
    expect(refused.ok ? 'added' : describeFinding(refused.error)).toContain(says);
  });

  test('is refused while the same one is open', () => {
    const state = grown(run(shop), added('d1', pay));
    const twice = (request: ReturnType<typeof asks>) =>
      addDependency(state, request, { runs: [...others, state], isBranch: true, branches: [] });
    const refused = twice(asks('pay'));
    expect(refused.ok ? 'added' : describeFinding(refused.error)).toBe('it already depends on pay-0002 (d1)');
    for (const other of [asks('pay', { subject: idOf('a') }), asks('pay/a'), asks('mail'), asks('prices')])
      expect(twice(other).ok).toBe(true);
  });

  test('is refused when the runs would wait for each other, however many are between them', () => {
    const ring = [grown(run(pay), added('d1', mail)), grown(run(mail), added('d2', shop))];
    const refused = decide(asks('pay'), ring);
    expect(refused.ok ? 'added' : describeFinding(refused.error)).toBe(
      'the runs would wait for each other: shop-0001 on pay-0002 on mail-0003 on shop-0001',
    );
    // nothing waits for one that is optional, settled or cancelled
    expect(decide(asks('pay', { required: false }), ring).ok).toBe(true);
    const open = ring.slice(0, 1);
    const cancelled = { type: 'dependency-cancelled', dependency: 'd2', reason: 'no', by: me } as const;
    expect(decide(asks('pay'), [...open, grown(run(mail), added('d2', shop), cancelled)]).ok).toBe(true);
    expect(decide(asks('pay'), [...open, grown(run(mail), added('d2', shop, { required: false }))]).ok).toBe(true);
  });
});

describe('what is held', () => {
  const waiting = grown(run(shop), added('d1', pay));

  test('is every wave, the landing and the end, until the dependency is settled', () => {
    const held = (state: RunState) => [heldWave(state, 0).length, heldLanding(state).length, holdsEnd(state)];
    expect(held(waiting)).toEqual([1, 1, true]);
    expect(held(grown(waiting, { type: 'dependency-unmet', dependency: 'd1', because: 'abandoned' }))).toEqual([
      1,
      1,
      true,
    ]);
    for (const end of ['resolved', 'cancelled'] as const)
      expect(held(grown(waiting, { type: `dependency-${end}`, dependency: 'd1', reason: 'seen', by: me }))).toEqual([
        0,
        0,
        false,
      ]);
    expect(held(grown(run(shop), added('d1', pay, { required: false })))).toEqual([0, 0, false]);
  });

  test('by one of a task begins with its wave', () => {
    const later = grown(run(shop), added('d1', pay, { task: idOf('b') }));
    expect([heldWave(later, 0).length, heldWave(later, 1).length, heldLanding(later).length]).toEqual([0, 1, 0]);
    expect(heldLanding(grown(later, { type: 'wave-closed', wave: 1 })).length).toBe(1);
  });

  test('a task that a new version of the plan drops holds every wave', () => {
    const gone = { ...grown(run(shop), added('d1', pay, { task: idOf('b') })), plan: plan([{ a: {} }]) };
    expect(heldWave(gone, 0).length).toBe(1);
  });

  test('a person is told at either end, with a command', () => {
    const unmet = grown(waiting, { type: 'dependency-unmet', dependency: 'd1', because: 'abandoned' });
    expect(needsOf(unmet)).toMatchObject([
      { kind: 'dependency', barrier: 'd1', command: 'tidegate dep resolve d1 -m "your reason"' },
    ]);
    const branch = grown(run(shop), added('d1', pay, { on: { branch: 'prices' } }));
    expect(needsOf(branch)).toMatchObject([{ kind: 'dependency', command: expect.stringContaining('dep resolve d1') }]);
    const owes = grown(landed(run(pay), 'other'), {
      ...{ type: 'dependency-owed', dependency: 'd1', of: { run: shop }, branch: 'main' },
      ...{ required: true, text: 'the price list', by: me },
    });
    expect(needsOf(owes)).toMatchObject([
      { kind: 'dependency', message: expect.stringContaining('shop-0001 depends on it') },
    ]);
  });
});

describe('the other end', () => {
  const linked = (own: RunState, ...others: readonly RunState[]) => ({
    stateOf: (id: RunId) => others.find((one) => one.run === id) ?? null,
    requiring: others.flatMap((state) => requirementsOn(state, own.run).map((dependency) => ({ state, dependency }))),
    branches: [],
  });
  const next = (own: RunState, ...others: readonly RunState[]) => linkedFact(own, linked(own, ...others));
  const requiring = grown(run(shop), added('d1', pay));
  const owing = grown(run(pay), next(run(pay), requiring) as RunEvent);

  test('learns of it once, from the run that requires it', () => {
    expect(openDebts(owing)).toMatchObject([{ id: 'd1', side: 'owes', other: { run: shop }, branch: 'main' }]);
    expect(linkedRuns(owing)).toEqual([shop]);
    expect(next(owing, requiring)).toBeNull();
    expect(next(run(mail), requiring)).toBeNull();
    expect(next({ ...run(pay), ended: 'abandoned' }, requiring)).toBeNull();
  });

  test('meets it by landing on the branch that is waited for, and both ends know by the same rule', () => {
    const evidence = {
      landed: { run: pay, branch: 'main', commit: commit('tip') },
      by: { who: 'tidegate', via: 'policy' },
    };
    expect(next(requiring, landed(owing))).toEqual({ type: 'dependency-resolved', dependency: 'd1', ...evidence });
    expect(next(landed(owing), requiring)).toEqual({ type: 'dependency-resolved', dependency: 'd1', ...evidence });
  });

  test('does not meet it by landing elsewhere, in part, or before it was undone', () => {
    expect(next(requiring, landed(owing, 'other'))).toBeNull();
    const undone = { type: 'undone', branch: 'main', old: commit('tip'), new: commit('base'), exact: true, task: null };
    expect(next(requiring, grown(landed(owing), undone as RunEvent))).toBeNull();
    const gone = { ...grown(landed(owing), undone as RunEvent), ended: 'landed' as const };
    expect(next(requiring, gone)).toEqual({ type: 'dependency-unmet', dependency: 'd1', because: 'undone' });
    const first = {
      branch: 'main',
      old: commit('base'),
      new: commit('tip'),
      tasks: [idOf('a')],
      commits: [{ task: idOf('a'), commit: commit('a') }],
    };
    const part = grown(owing, { type: 'landed', ...first });
    expect(next(requiring, part)).toBeNull();
    const ofTask = grown(run(shop), added('d1', pay, { on: { run: pay, task: idOf('a') } }));
    expect(next(ofTask, part)).toMatchObject({
      type: 'dependency-resolved',
      landed: { task: 'a', commit: commit('a') },
    });
  });

  test('is open again when the landing that met it is undone, and met again by the next landing', () => {
    const undone = { type: 'undone', branch: 'main', old: commit('tip'), new: commit('base'), exact: true, task: null };
    const whole = landed(owing);
    const met = grown(requiring, next(requiring, whole) as RunEvent);
    expect([linkedRuns(met), next(met, whole)]).toEqual([[pay], null]);
    const back = grown(whole, next(whole, met) as RunEvent, undone as RunEvent);
    const again = next(met, back);
    expect(again).toEqual({ type: 'dependency-unmet', dependency: 'd1', because: 'undone' });
    const open = grown(met, again as RunEvent);
    expect([heldLanding(open).length, heldWave(open, 0).length, next(open, back)]).toEqual([1, 1, null]);
    expect(next(open, landed(back))).toMatchObject({ type: 'dependency-resolved', landed: { run: pay } });
    // the end that owes follows, and never decides before the other one
    expect(next(back, met)).toBeNull();
    expect(next(back, open)).toMatchObject({ type: 'dependency-unmet', because: 'undone' });
    expect(next({ ...back, ended: 'landed' }, open)).toBeNull();
    // without one task the run is not whole
    const oneBack = grown(whole, { ...undone, task: idOf('a') } as RunEvent);
    expect(next(met, oneBack)).toMatchObject({ type: 'dependency-unmet', because: 'undone' });
  });

  test('stays met for a run that has landed, and for one that a person released', () => {
    const undone = { type: 'undone', branch: 'main', old: commit('tip'), new: commit('base'), exact: true, task: null };
    const back = grown(landed(owing), undone as RunEvent);
    const met = grown(requiring, next(requiring, landed(owing)) as RunEvent);
    expect(next({ ...met, ended: 'landed' }, back)).toBeNull();
    expect(next(landed(met), back)).toBeNull();
    expect(next({ ...met, ended: 'done' }, back)).toMatchObject({ type: 'dependency-unmet' });
    const released = grown(requiring, { type: 'dependency-resolved', dependency: 'd1', reason: 'seen', by: me });
    expect([next(released, back), linkedRuns(released)]).toEqual([null, []]);
  });

  test('of a dropped task holds nothing and is for a person at the other end, until the task is retried', () => {
    const ofTask = grown(run(shop), added('d1', pay, { task: idOf('a') }));
    const dropped = grown(ofTask, { type: 'task-dropped', task: idOf('a'), by: me });
    expect([heldWave(ofTask, 0).length, heldWave(dropped, 0).length, heldLanding(dropped).length]).toEqual([1, 0, 0]);
    expect(next(grown(run(pay), next(run(pay), ofTask) as RunEvent), dropped)).toMatchObject({
      type: 'dependency-unmet',
      because: 'dropped',
    });
    const retried = grown(dropped, { type: 'task-retried', task: idOf('a'), by: me });
    expect(heldWave(retried, 0).length).toBe(1);
  });

  test('that is over or dropped the task leaves it to a person, once', () => {
    const gone = { ...owing, ended: 'abandoned' as const };
    const unmet = next(requiring, gone);
    expect(unmet).toEqual({ type: 'dependency-unmet', dependency: 'd1', because: 'abandoned' });
    expect(next(grown(requiring, unmet as RunEvent), gone)).toBeNull();
    const ofTask = grown(run(shop), added('d1', pay, { on: { run: pay, task: idOf('a') } }));
    const dropped = grown(owing, { type: 'task-dropped', task: idOf('a'), by: me });
    expect(next(ofTask, dropped)).toMatchObject({ type: 'dependency-unmet', because: 'dropped' });
    // the run that requires it is gone: the other one is not released by that
    expect(next(owing, { ...requiring, ended: 'abandoned' })).toMatchObject({ type: 'dependency-unmet' });
  });

  test('follows a decision of the end that requires it', () => {
    for (const end of ['resolved', 'cancelled'] as const) {
      const event = { type: `dependency-${end}`, dependency: 'd1', reason: 'seen', by: me } as const;
      expect(next(owing, grown(requiring, event))).toEqual(event);
    }
  });

  test('hundred runs with hundred dependencies are looked through in no time', () => {
    const names = Array.from({ length: 100 }, (_, index) => runId(`run-${index}`));
    const runs = names.map((name, at) =>
      names.reduce(
        (state, other, to) =>
          other === name ? state : grown(state, added(`d${at * 100 + to}`, other, { required: false })),
        run(name),
      ),
    );
    const [first] = runs;
    if (first === undefined) throw new Error('no run');
    runs.map((state) => requirementsOn(state, first.run));
    const began = performance.now();
    for (const state of runs) next(state, ...runs.filter((other) => other !== state));
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('a decision of a person', () => {
  const state = grown(run(shop), added('d1', pay));
  const ends = (dependency: string, reason = 'seen') =>
    ({ type: 'requested-dependency-end', dependency, end: 'resolved', reason, by: me }) as const;

  test('settles it once, also after the end of the run', () => {
    expect(answer(state, ends('d1'))).toMatchObject({ value: [{ type: 'dependency-resolved', reason: 'seen' }] });
    expect(answer({ ...state, ended: 'abandoned' }, ends('d1')).ok).toBe(true);
    const settled = grown(state, { type: 'dependency-resolved', dependency: 'd1', reason: 'seen', by: me });
    expect(answer(settled, ends('d1'))).toMatchObject({ error: { rule: 'dependency-settled' } });
  });

  test('needs a reason and a dependency of this run', () => {
    expect(answer(state, ends('d1', ' '))).toMatchObject({ error: { rule: 'dependency-reason' } });
    expect(answer(state, ends('d2'))).toMatchObject({ error: { rule: 'no-such-dependency' } });
    const owed = { type: 'dependency-owed', dependency: 'd3', of: { run: mail }, branch: 'main' } as const;
    const owing = grown(state, { ...owed, required: true, text: 'x', by: me });
    expect(answer(owing, ends('d3'))).toMatchObject({ error: { rule: 'dependency-elsewhere', run: mail } });
  });

  test('names ends as people type them', () => {
    const landing = { run: pay, branch: 'main', commit: commit('tip') };
    expect([{ run: pay }, { run: pay, task: idOf('a') }, { branch: 'x/y' }, landing].map(endName)).toEqual([
      'pay-0002',
      'pay-0002/a',
      'x/y',
      'pay-0002',
    ]);
  });
});

describe('a branch that depends on a run', () => {
  const asked = { ...asks(pay), branch: 'main' };
  const waits = evolveDependencies([], added('d1', pay, { branch: 'main' }));
  const around = (runs: readonly RunState[], branches: readonly Dependency[] = []) => ({
    runs,
    branches,
    isBranch: false,
    isDependent: true,
  });
  const linked = (branches: readonly Dependency[]) => ({ stateOf: () => null, requiring: [], branches });
  const decided = (branches: readonly Dependency[], type: 'dependency-resolved' | 'dependency-cancelled') =>
    evolveDependencies(branches, { type, dependency: 'd1', reason: 'by hand', by: me });
  const closed: readonly RunEvent[] = [
    { type: 'wave-closed', wave: 0 },
    { type: 'wave-closed', wave: 1 },
  ];

  test('takes the next id, and is refused for a branch that is not there', () => {
    const runs = [run(pay), grown(run(shop), added('d4', mail))];
    expect(addBranchDependency(asked, around(runs, waits))).toMatchObject({
      value: { type: 'dependency-added', dependency: 'd5', branch: 'main', on: { run: pay } },
    });
    expect(addBranchDependency(asked, { ...around(runs), isDependent: false })).toMatchObject({
      error: { rule: 'dependency-branch', named: 'main' },
    });
    const itself = { ...asks('main'), branch: 'main' };
    expect(addBranchDependency(itself, { ...around(runs), isBranch: true })).toMatchObject({
      error: { rule: 'dependency-same-branch' },
    });
  });

  test('is refused when the run requires one that lands there, and the other way round', () => {
    const requires = grown(run(pay), added('d1', shop));
    expect(addBranchDependency(asked, around([requires, run(shop)]))).toMatchObject({
      error: { rule: 'dependency-cycle', ring: [shop, pay].toReversed() },
    });
    const elsewhere = run(shop, { target: { ...fresh.target, branch: 'next' } });
    expect(addBranchDependency(asked, around([requires, elsewhere]))).toMatchObject({ ok: true });
    const surroundings = { runs: [run(shop), run(pay)], branches: waits, isBranch: false };
    expect(addDependency(run(pay), asks(shop), surroundings)).toMatchObject({ error: { rule: 'dependency-cycle' } });
  });

  test('holds the landing of every other run there, and no wave', () => {
    const fact = linkedFact(run(shop), linked(waits));
    expect(fact).toMatchObject({ type: 'dependency-added', dependency: 'd1', branch: 'main' });
    const held = grown(run(shop), fact as RunEvent);
    expect(linkedFact(held, linked(waits))).toBeNull();
    expect([heldWave(held, 0), heldWave(held, 1)]).toEqual([[], []]);
    expect(heldLanding(held)).toMatchObject([{ id: 'd1' }]);
    expect(holdsEnd(held)).toBe(false);
    expect(linkedFact(run(shop, { target: { ...fresh.target, branch: 'next' } }), linked(waits))).toBeNull();
    expect(linkedFact(run(shop, { ended: 'landed' }), linked(waits))).toBeNull();
    expect(heldLanding({ ...held, plan: { ...held.plan, land: 'branch' } })).toEqual([]);
    expect(needsOf(grown(held, ...closed)).map(({ kind }) => kind)).toContain('requires');
  });

  test('is owed by the run that it waits for, which lands', () => {
    const fact = linkedFact(run(pay), linked(waits));
    expect(fact).toMatchObject({ type: 'dependency-owed', dependency: 'd1', of: { branch: 'main' }, branch: 'main' });
    const owing = grown(run(pay), fact as RunEvent);
    expect(heldLanding(owing)).toEqual([]);
    expect(linkedFact(landed(owing), linked(waits))).toMatchObject({ type: 'dependency-resolved', dependency: 'd1' });
  });

  test('is resolved by the landing there, left to a person when the run ends, and followed by all runs', () => {
    const held = grown(run(shop), linkedFact(run(shop), linked(waits)) as RunEvent);
    expect(branchFact(waits, () => run(pay))).toBeNull();
    expect(branchFact(waits, () => landed(run(pay)))).toMatchObject({ type: 'dependency-resolved' });
    const unmet = branchFact(waits, () => run(pay, { ended: 'abandoned' }));
    expect(unmet).toMatchObject({ type: 'dependency-unmet', because: 'abandoned' });
    const left = evolveDependencies(waits, unmet as DependencyEvent);
    expect(linkedFact(held, linked(left))).toMatchObject({ type: 'dependency-unmet', because: 'abandoned' });
    for (const type of ['dependency-resolved', 'dependency-cancelled'] as const) {
      const after = grown(held, linkedFact(held, linked(decided(waits, type))) as RunEvent);
      expect(heldLanding(after)).toEqual([]);
    }
  });

  test('is decided for the branch, and not for a run that lands there', () => {
    const held = grown(run(shop), linkedFact(run(shop), linked(waits)) as RunEvent);
    const end = { type: 'requested-dependency-end', dependency: 'd1', end: 'resolved', reason: 'no', by: me } as const;
    expect(endDependency(held, end)).toMatchObject({ error: { rule: 'dependency-elsewhere', branch: 'main' } });
    expect(endDependency({ run: runId('repository'), dependencies: waits }, end)).toMatchObject({ ok: true });
  });
});
