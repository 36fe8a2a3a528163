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
import { endName } from './dependency.ts';
import { addDependency } from './dependency-requests.ts';
import { linkedFact, requirementsOn } from './link.ts';

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
    return addDependency(state, request, { runs: [...runs, state], isBranch });
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
    expect([{ run: pay }, { run: pay, task: idOf('a') }, { branch: 'x/y' }].map(endName)).toEqual([
      'pay-0002',
      'pay-0002/a',
      'x/y',
    ]);
  });
});
