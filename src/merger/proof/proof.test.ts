import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, type Scene, scene } from '../../../test/support/merger-scene.ts';
import { hashOf } from '../../../test/support/plans.ts';
import { planHash, taskId } from '../../domain/base/ids.ts';
import { inconclusive } from '../../domain/gates/make-verdict.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import { verifyObjects } from './objects.ts';
import { verifyChain } from './proof.ts';

let s: Scene;
let history: readonly Stored[];
beforeAll(async () => {
  s = await scene({ waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.work('b', { 'b.txt': 'b\n' });
  await s.closeRound(0, 0, ['a', 'b']);
  history = await s.ledger.read(run);
});
afterAll(() => s[Symbol.asyncDispose]());

const nameOf = (event: LedgerEvent): string => {
  const of = 'task' in event ? ` ${event.task}` : '';
  return event.type === 'phase-judged' ? `${event.phase}${of}` : `${event.type}${of}`;
};

test('a whole chain is proven, and its digest is the same each time', () => {
  const proven = verifyChain(history, 0, 0);
  expect(proven).toMatchObject({ ok: true, value: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(verifyChain(structuredClone(history), 0, 0)).toEqual(proven);
  expect(verifyChain(history, 0, 1)).toMatchObject({ ok: false });
});

test('no event that matters can be left out', () => {
  const spare = history.filter((_, index) => {
    const without = history.toSpliced(index, 1);
    return index > 0 && verifyChain(without, 0, 0).ok;
  });
  expect(spare.map(({ event }) => nameOf(event))).toEqual(['attempt-started a', 'attempt-started b']);
});

test('no phase that did not pass, or was overruled later, proves anything', () => {
  const failed = [inconclusive('round', { rule: 'round-has-tasks' })];
  for (const [index, stored] of history.entries()) {
    if (stored.event.type !== 'phase-judged') continue;
    for (const verdicts of [failed, []]) {
      const changed = { ...stored, event: { ...stored.event, verdicts } };
      expect([nameOf(stored.event), verifyChain(history.with(index, changed), 0, 0).ok]).toEqual([
        nameOf(stored.event),
        false,
      ]);
    }
    const overruled = { ...stored, position: history.length + 1, event: { ...stored.event, verdicts: failed } };
    expect([nameOf(stored.event), verifyChain([...history, overruled], 0, 0).ok]).toEqual([
      nameOf(stored.event),
      false,
    ]);
  }
});

test('what was judged, approved or begun before a version of the plan proves nothing under it', () => {
  const [created] = history.map(({ event }) => event);
  if (created?.type !== 'run-created') throw new Error('no run');
  const { plan, hash, by } = created;
  const replaced = { type: 'plan-replaced', plan, hash, keeps: [], threads: [], by } as const;
  // the yes comes last, so that it is not what gives an early version away
  const yes = history.filter(({ event }) => event.type === 'tap-decided');
  const rest = history.filter(({ event }) => event.type !== 'tap-decided');
  const ordered = rest.toSpliced(
    rest.findIndex(({ event }) => nameOf(event) === 'approval'),
    0,
    ...yes,
  );
  const after = ordered.slice(1).map((stored, index) => {
    const at = index + 1;
    const inserted = ordered
      .toSpliced(at, 0, { ...stored, event: replaced })
      .map((one, place) => ({ ...one, position: place + 1 }));
    return [nameOf(stored.event), verifyChain(inserted, 0, 0).ok];
  });
  const first = after.findIndex(([name]) => name === 'thread');
  expect(after).toEqual(after.map(([name], index) => [name, index <= first]));
  const other = { ...replaced, plan: { ...plan, strict: true } };
  const unlike = [{ ...history[0], event: created }, { ...history[1], event: other }, ...history.slice(1)];
  expect(
    verifyChain(
      unlike.map((one, at) => ({ ...one, position: at + 1 }) as Stored),
      0,
      0,
    ),
  ).toMatchObject({
    error: { gap: 'plan-hash' },
  });
});

describe('F24: under another version of the plan an attempt of the one before', () => {
  const again = ['thread', 'preflight', 'ownership', 'tap-opened', 'tap-decided', 'approval'];
  const judgedAgain = ['monitor a', 'monitor b'];

  /** Replaced when both tasks were ready; then all is judged, approved and judged again, and the round follows. */
  function chain(change: {
    readonly plan?: FrozenPlan;
    readonly reuses?: readonly string[];
    readonly judges?: boolean;
  }) {
    const [created] = history.map(({ event }) => event);
    if (created?.type !== 'run-created') throw new Error('no run');
    const { reuses = ['a', 'b'], judges = true, plan = created.plan } = change;
    const hash = hashOf(plan);
    const replaced = { type: 'plan-replaced', plan, hash, keeps: [], reuses, threads: [], by: created.by };
    const at = history.findIndex(({ event }) => event.type === 'round-opened');
    const before = history.slice(0, at);
    const names = judges ? [...again, ...judgedAgain] : again;
    const repeated = before
      .filter(({ event }) => names.includes(nameOf(event)))
      .map((one) => JSON.parse(JSON.stringify(one).replaceAll(created.hash, hash)) as Stored);
    const first = history[0] as Stored;
    const all = [...before, { ...first, event: replaced as never }, ...repeated, ...history.slice(at)];
    return all.map((one, place) => ({ ...one, position: place + 1 }));
  }
  const planOf = (): FrozenPlan => {
    const { event } = history[0] as Stored;
    if (event.type !== 'run-created') throw new Error('no run');
    return event.plan;
  };
  const changed = (): FrozenPlan => {
    const plan = planOf();
    const waves = plan.waves.map((wave) => ({
      ...wave,
      tasks: wave.tasks.map((task) => (task.id === 'a' ? { ...task, priority: task.priority + 1 } : task)),
    }));
    return { ...plan, waves };
  };

  test('counts if that version says that it reuses the task, and its gates judged it again', () => {
    expect(verifyChain(chain({}), 0, 0)).toMatchObject({ ok: true });
    expect(verifyChain(chain({ plan: { ...planOf(), strict: true } }), 0, 0)).toMatchObject({ ok: true });
  });

  test.each([
    ['if it is not named', { reuses: ['b'] }, { gap: 'task-not-reused', task: 'a' }],
    ['if it is not judged again', { judges: false }, { gap: 'task-voided', task: 'a' }],
  ] as const)('counts for nothing %s', (_, change, error) => {
    expect(verifyChain(chain(change), 0, 0)).toMatchObject({ ok: false, error });
  });

  test('counts for nothing if what it needs is neither reused nor kept', () => {
    const plan = planOf();
    const needs = (task: PlannedTask) => (task.id === 'b' ? { ...task, needs: [taskId('z')] } : task);
    const needing = { ...plan, waves: plan.waves.map((wave) => ({ ...wave, tasks: wave.tasks.map(needs) })) };
    const all = chain({ plan: needing }).map((one) =>
      one.event.type === 'run-created' ? { ...one, event: { ...one.event, plan: needing } } : one,
    );
    const under = JSON.parse(JSON.stringify(all).replaceAll(hashOf(plan), hashOf(needing))) as Stored[];
    const error = { gap: 'task-needs-gone', task: 'b' };
    expect(verifyChain(under, 0, 0)).toMatchObject({ ok: false, error });
    const kept = under.map((one) =>
      one.event.type === 'plan-replaced' ? { ...one, event: { ...one.event, keeps: [taskId('z')] } } : one,
    );
    expect(verifyChain(kept, 0, 0)).toMatchObject({ ok: true });
  });

  test('counts for nothing if the task is another one now', () => {
    const error = { gap: 'task-not-reused', task: 'a' };
    expect(verifyChain(chain({ plan: changed() }), 0, 0)).toMatchObject({ ok: false, error });
  });
});

test('phases that passed in another order prove nothing', () => {
  const phases = history.filter(({ event }) => event.type === 'phase-judged');
  for (const [at, first] of phases.entries()) {
    const second = phases[at + 1];
    if (second === undefined || first.event.type !== 'phase-judged' || second.event.type !== 'phase-judged') continue;
    const independent = first.event.phase === 'monitor' && second.event.phase === 'dispatch';
    const swapped = history.map((stored) => {
      if (stored === first) return { ...first, event: second.event };
      return stored === second ? { ...second, event: first.event } : stored;
    });
    const names = `${nameOf(first.event)} and ${nameOf(second.event)}`;
    expect([names, verifyChain(swapped, 0, 0).ok && !independent]).toEqual([names, false]);
  }
});

describe('altering one field breaks the chain:', () => {
  /** Replaces the value at `path` in every event that `which` names. */
  const alter = (which: string, path: string, value: unknown): readonly Stored[] =>
    history.map((stored) => {
      if (nameOf(stored.event) !== which) return stored;
      const event = structuredClone(stored.event) as unknown as Record<string, unknown>;
      const keys = path.split('.');
      const last = keys.pop() ?? '';
      const holder = keys.reduce((node, key) => node[key] as Record<string, unknown>, event);
      if (!(last in holder)) throw new Error(`${which} has no ${path}`);
      holder[last] = value;
      return { ...stored, event: event as unknown as LedgerEvent };
    });
  const other = 'f'.repeat(40);
  const hash = planHash('0'.repeat(64));
  test.each([
    ['run-created', 'hash', hash],
    ['run-created', 'plan.checks', []],
    ['run-created', 'plan.waves.0.tasks.0.owns', []],
    ['tap-decided', 'hash', hash],
    ['tap-decided', 'decision', 'held'],
    ['approval', 'evidence.hash', hash],
    ['approval', 'evidence.decision', 'pending'],
    ['run-branch-made', 'commit', other],
    ['task-base-made a', 'commit', other],
    ['attempt-intended a', 'attempt', 'x'],
    ['attempt-intended a', 'base', other],
    ['attempt-intended a', 'nonce', 'x'],
    ['dispatch a', 'evidence.attempt', 'x'],
    ['dispatch a', 'evidence.base', other],
    ['dispatch a', 'evidence.workspaceBase', other],
    ['attempt-ended a', 'ending.code', 1],
    ['attempt-ended a', 'attempt', 'x'],
    ['attempt-ended a', 'handoff.handoff.status', 'partial'],
    ['attempt-ended a', 'snapshot.commit', other],
    ['monitor a', 'evidence.ending.code', 1],
    ['monitor a', 'evidence.nonce', 'x'],
    ['monitor a', 'evidence.handoff.handoff.nonce', 'x'],
    ['monitor a', 'evidence.snapshot', null],
    ['monitor a', 'evidence.snapshot.commit', other],
    ['monitor a', 'evidence.snapshot.base', other],
    ['monitor a', 'evidence.snapshot.diff', []],
    ['round-opened', 'base', other],
    ['round-opened', 'tasks.0.snapshot', other],
    ['round-opened', 'tasks', []],
    ['candidate-built', 'base', other],
    ['candidate-built', 'steps', []],
    ['candidate-built', 'steps.1.commit', other],
    ['candidate-built', 'steps.1.tree', other],
    ['candidate-built', 'steps.1.task', 'a'],
    ['check-ended', 'check.outcome', 'failed'],
    ['check-ended', 'check.tree', other],
    ['check-ended', 'check.name', 'lint'],
    ['closure', 'evidence.base', other],
    ['closure', 'evidence.candidate', other],
    ['closure', 'evidence.tree', other],
    ['closure', 'evidence.tasks', []],
    ['closure', 'evidence.tasks.0.snapshot', other],
    ['closure', 'evidence.checks', []],
    ['closure', 'evidence.checks.0.tree', other],
    ['closure', 'evidence.checks.0.outcome', 'timed-out'],
  ])('%s %s', (which, path, value) => {
    expect(verifyChain(alter(which, path, value), 0, 0)).toMatchObject({ ok: false });
  });

  test.each([
    ['monitor a', 'evidence.snapshot.tree', other],
    ['monitor a', 'evidence.snapshot.commit', other],
    ['monitor a', 'evidence.snapshot.diff', []],
    ['candidate-built', 'steps.0.tree', other],
    ['candidate-built', 'steps.0.commit', other],
    ['candidate-built', 'base', other],
  ])('%s %s is not what the repository holds', async (which, path, value) => {
    const round = { wave: 0, round: 0 };
    expect(await verifyObjects(s.state.repository, history, round)).toMatchObject({ ok: true });
    expect(await verifyObjects(s.state.repository, alter(which, path, value), round)).toMatchObject({ ok: false });
  });
});

test.each(['task-dropped', 'task-retried', 'task-reworked'] as const)('%s after the verdict voids it', (type) => {
  const event = { type, task: 'a', by: { who: 'ada', via: 'command' }, message: '' } as unknown as LedgerEvent;
  const last = history.at(-1);
  if (last === undefined) throw new Error('empty');
  expect(verifyChain([...history, { ...last, position: last.position + 1, event }], 0, 0)).toMatchObject({ ok: false });
});

test('a candidate commit that changes what the task did not is refused', async () => {
  const built = history.find(({ event }) => event.type === 'candidate-built');
  if (built?.event.type !== 'candidate-built') throw new Error('no candidate');
  const [, second] = built.event.steps;
  const blob = s.bare('hash-object', '-w', '/dev/null');
  const index = `${s.root}/forged.index`;
  const forge = (...args: string[]) => s.bareWith({ GIT_INDEX_FILE: index }, ...args);
  forge('read-tree', second?.tree ?? '');
  forge('update-index', '--add', '--cacheinfo', `100644,${blob},smuggled.txt`);
  const tree = forge('write-tree');
  const commit = forge('commit-tree', tree, '-p', built.event.steps[0]?.commit ?? '', '-m', 'forged');
  const steps = [built.event.steps[0], { task: 'b', commit, tree }];
  const forged = history.map((stored) =>
    stored === built ? { ...stored, event: { ...built.event, steps } as LedgerEvent } : stored,
  );
  expect(await verifyObjects(s.state.repository, forged, { wave: 0, round: 0 })).toMatchObject({
    ok: false,
    error: { gap: 'path-unjudged', path: 'smuggled.txt' },
  });
});
