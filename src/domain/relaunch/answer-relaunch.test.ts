import { describe, expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  exited,
  handoff,
  hashOf,
  idOf,
  intended,
  me,
  nonceOf,
  plan,
  snapshot,
  started,
  stateAfter,
  task,
  tree,
} from '../../../test/support/plans.ts';
import { answer } from '../decide/answer.ts';
import { replacement } from '../decide/replan.ts';
import { judged } from '../gates/judge.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import { evolveRun, type RunState } from '../run/run.ts';
import { startable } from '../run/schedule.ts';
import { fingerprintOf } from './fingerprint.ts';
import { relaunchOf } from './relaunch.ts';

const roles = ['security', 'docs', 'qa'] as const;
const tasks = { a: {}, b: { needs: ['a'] }, c: {}, d: {} };
const bare = plan([tasks], { limits: { attempts: 1 } });
const closed: FrozenPlan = {
  ...bare,
  waves: bare.waves.map((wave) => ({
    ...wave,
    closure: roles.map((role) =>
      task(`wave-1-${role}`, { closes: role, role, owns: role === 'docs' ? ['docs/**'] : [] }),
    ),
  })),
};
const planned = (frozen: FrozenPlan, id: string) => {
  const found = frozen.waves.flatMap((wave) => wave.tasks).find((one) => one.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};
const begun = (frozen: FrozenPlan): readonly RunEvent[] => [
  created(frozen),
  judged(
    { plan: frozen, hash: hashOf(frozen), granted: [] },
    { phase: 'approval', wave: 0, evidence: { decision: 'approved', hash: hashOf(frozen) } },
  ),
  { type: 'run-branch-made', commit: commit('base'), tree: tree('base') },
];
type Made = { readonly ends?: number; readonly printed?: boolean; readonly of?: readonly string[] };
/** One attempt, from its base to its settlement. */
function attempted(
  frozen: FrozenPlan,
  id: string,
  { ends = 0, printed = true, of = [] }: Made = {},
): readonly RunEvent[] {
  const context = { plan: frozen, hash: hashOf(frozen), granted: [] };
  const ended = attemptEnded(id, { ending: exited(ends) });
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const { ending, handoff: left, snapshot: taken } = ended;
  const evidence = { attempt: attempt(id, 1), nonce: nonceOf(id, 1), ending, handoff: left, snapshot: taken };
  const fingerprint = fingerprintOf(frozen, planned(frozen, id), tree('base'), []);
  const needs = of.map((need) => ({ task: idOf(need), snapshot: snapshot(need).commit }));
  return [
    { type: 'task-base-made', task: idOf(id), commit: commit('base'), tree: tree('base'), of: needs },
    { ...intended(id), ...(printed ? { fingerprint } : {}) } as RunEvent,
    started(id),
    judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(attempt(id, 1)) }),
    ended,
    judged(context, { phase: 'monitor', task: idOf(id), evidence }),
  ];
}
/** Tasks a and b are ready, b builds on a; c has failed; d has not started. */
const half = (frozen: FrozenPlan): readonly RunEvent[] => [
  ...begun(frozen),
  ...attempted(frozen, 'a'),
  ...attempted(frozen, 'b', { of: ['a'] }),
  ...attempted(frozen, 'c', { ends: 1 }),
];

type Selection = Omit<RequestEvent & { readonly type: 'requested-relaunch' }, 'type' | 'by'>;
const select = (of: { only?: string[]; from?: Selection['from']; clear?: string[] }): RequestEvent => ({
  type: 'requested-relaunch',
  ...(of.only === undefined ? {} : { only: of.only.map(idOf) }),
  ...(of.from === undefined ? {} : { from: of.from }),
  ...(of.clear === undefined ? {} : { clear: of.clear.map(idOf) }),
  by: me,
});
const decided = (state: RunState, of: Parameters<typeof select>[0]) => answer(state, select(of));
function effect(state: RunState, of: Parameters<typeof select>[0]) {
  const said = decided(state, of);
  const last = said.ok && said.value !== 'later' ? said.value.at(-1) : undefined;
  if (last?.type !== 'wave-relaunched') throw new Error(JSON.stringify(said));
  const { starts, reuses } = last;
  return { starts: starts.map(({ task: id }) => id), reuses: reuses.map(({ task: id }) => id), roles: last.roles };
}
function applied(state: RunState, of: Parameters<typeof select>[0]): RunState {
  const said = decided(state, of);
  if (!said.ok || said.value === 'later') throw new Error(JSON.stringify(said));
  const next = said.value.reduce<RunState | null>((now, event) => evolveRun(now, { seq: 0, event }), state);
  if (next === null) throw new Error('no run');
  return next;
}
const statuses = (state: RunState) =>
  Object.fromEntries(Object.values(state.tasks).map(({ id, progress }) => [id, progress.status]));

describe('retry --only', () => {
  const state = stateAfter(...half(bare));

  test('starts just these again, and leaves the others as they are', () => {
    expect(statuses(state)).toEqual({ a: 'ready', b: 'ready', c: 'failed', d: 'waiting' });
    expect(effect(state, { only: ['c'] })).toEqual({ starts: ['c'], reuses: [], roles: [] });
    expect(statuses(applied(state, { only: ['c'] }))).toEqual({ ...statuses(state), c: 'waiting' });
    expect(statuses(applied(state, { only: ['a'] }))).toEqual({ ...statuses(state), a: 'waiting' });
  });

  test('gives a task its attempts back, as retry does, and starts it before the others', () => {
    const next = applied(state, { only: ['c'] });
    expect(next.tasks[idOf('c')]).toMatchObject({ charged: 0, base: null, session: null });
    expect(startable(next).map(({ id }) => id)).toEqual(['c', 'd']);
    expect(relaunchOf(next)).toEqual([
      { task: 'c', reason: { rule: 'next-selected', who: 'ada' } },
      { task: 'd', reason: { rule: 'next-first' } },
    ]);
  });

  test('brings a dropped task back when it is named, and only then', () => {
    const dropped = stateAfter(...half(bare), { type: 'task-dropped', task: idOf('c'), by: me });
    expect(statuses(applied(dropped, { only: ['c'] }))).toMatchObject({ c: 'waiting' });
    expect(effect(dropped, { from: 'implementation' }).starts).toEqual([]);
  });
});

describe('what cannot be selected is refused, and changes nothing:', () => {
  const state = stateAfter(...half(closed));
  test.each([
    ['a task that the run does not have', { only: ['c', 'nobody'] }, { rule: 'no-such-task', task: 'nobody' }],
    ['a result of a task that it does not have', { clear: ['nobody'] }, { rule: 'no-such-task', task: 'nobody' }],
    [
      'a role that the wave does not have',
      { from: 'eval' },
      { rule: 'relaunch-role', role: 'eval', roles: [...roles] },
    ],
    ['a role that has not been opened', { only: ['wave-1-qa'] }, { rule: 'role-not-open', task: 'wave-1-qa' }],
    ['reports that do not exist yet', { from: 'qa' }, { rule: 'relaunch-nothing' }],
    ['a task that starts anyway', { only: ['d'] }, { rule: 'task-status', task: 'd', status: 'waiting' }],
    ['nothing', {}, { rule: 'relaunch-nothing' }],
  ] as const)('%s', (_, of, error) => {
    expect(decided(state, of as Parameters<typeof select>[0])).toMatchObject({ ok: false, error });
  });

  test('a task that is running', () => {
    const running = stateAfter(...half(bare), intended('d'), started('d'));
    expect(decided(running, { only: ['c', 'd'] })).toMatchObject({ error: { rule: 'tasks-running', tasks: ['d'] } });
    expect(decided(running, { from: 'implementation' })).toMatchObject({ error: { rule: 'tasks-running' } });
  });

  test('work that is being integrated', () => {
    const round = { type: 'round-opened', wave: 0, round: 1, base: commit('base'), tasks: entries(['a']) } as const;
    const integrating = stateAfter(...half(bare), round);
    expect(decided(integrating, { only: ['c'] })).toMatchObject({ error: { rule: 'wave-integrating' } });
  });
});

const entries = (ids: readonly string[]) => ids.map((id) => ({ task: idOf(id), snapshot: snapshot(id).commit }));

describe('retry --from implementation', () => {
  const state = stateAfter(...half(bare));

  test('reuses results with an equal fingerprint, which are judged again, and starts the rest', () => {
    expect(effect(state, { from: 'implementation' })).toEqual({ starts: ['c'], reuses: ['a', 'b'], roles: [] });
    expect(statuses(applied(state, { from: 'implementation' }))).toEqual({
      ...{ a: 'ended', b: 'ended', c: 'waiting', d: 'waiting' },
    });
    const said = decided(state, { from: 'implementation' });
    const print = fingerprintOf(bare, planned(bare, 'a'), tree('base'), []);
    expect(said).toMatchObject({
      value: [{ reuses: [{ task: 'a', snapshot: snapshot('a').commit, was: print, is: print }, { task: 'b' }] }],
    });
  });

  test('--clear starts a task again, and what builds on it', () => {
    expect(effect(state, { from: 'implementation', clear: ['b'] })).toMatchObject({
      starts: ['b', 'c'],
      reuses: ['a'],
    });
    expect(effect(state, { from: 'implementation', clear: ['a'] })).toMatchObject({
      starts: ['a', 'b', 'c'],
      reuses: [],
    });
    expect(effect(state, { clear: ['b'] })).toEqual({ starts: ['b'], reuses: [], roles: [] });
  });

  test('--only limits it to these tasks', () => {
    expect(effect(state, { from: 'implementation', only: ['c'] })).toEqual({ starts: ['c'], reuses: [], roles: [] });
  });

  test('does not reuse a result without a fingerprint', () => {
    const old = stateAfter(...begun(bare), ...attempted(bare, 'a', { printed: false }));
    // b has not begun, and starts on the new result
    expect(effect(old, { from: 'implementation' })).toMatchObject({ starts: ['a', 'b'], reuses: [] });
  });

  test('does not reuse a result that was built on another snapshot of its need', () => {
    const edited = { ...snapshot('a'), commit: commit('edited') };
    const edit: RunEvent = {
      ...{ type: 'task-edited', task: idOf('a'), attempt: attempt('a', 1), from: snapshot('a').commit },
      ...{ snapshot: edited, paths: ['a/a.txt'], copy: 'c1', by: me },
    };
    const context = { plan: bare, hash: hashOf(bare), granted: [] };
    const evidence = {
      ...{ attempt: attempt('a', 1), nonce: nonceOf('a', 1), ending: exited(0), handoff: handoff(nonceOf('a', 1)) },
      ...{ snapshot: edited, acceptance: { snapshot: edited.commit, who: 'ada', edited: ['a/a.txt'] } },
    };
    const judgedAgain = judged(context, { phase: 'monitor', task: idOf('a'), evidence });
    const changed = stateAfter(...half(bare), edit, judgedAgain);
    expect(effect(changed, { from: 'implementation' })).toMatchObject({ starts: ['b', 'c'], reuses: ['a'] });
  });
});

describe('retry --from a closure role', () => {
  const tip = { commit: commit('tip'), tree: tree('tip') };
  const round: readonly RunEvent[] = [
    { type: 'task-dropped', task: idOf('c'), by: me },
    { type: 'task-dropped', task: idOf('d'), by: me },
    { type: 'round-opened', wave: 0, round: 1, base: commit('base'), tasks: entries(['a', 'b']) },
    {
      type: 'candidate-built',
      wave: 0,
      round: 1,
      base: commit('base'),
      steps: [{ task: idOf('b'), ...tip }],
      conflicts: [],
    },
  ];
  const reported = (role: string, word: string): readonly RunEvent[] => {
    const id = `wave-1-${role}`;
    const context = { plan: closed, hash: hashOf(closed), granted: [] };
    const nonce = nonceOf(id, 1);
    const given = handoff(nonce, { report: { word, findings: [] } });
    const left = { ...snapshot(id, []), base: tip.commit };
    const ended = attemptEnded(id, { handoff: given, snapshot: left });
    const evidence = { attempt: attempt(id, 1), nonce, ending: exited(0), handoff: given, snapshot: left };
    return [
      { type: 'role-opened', wave: 0, round: 1, task: idOf(id), ...tip },
      intended(id),
      judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(attempt(id, 1)) }),
      ended,
      judged(context, { phase: 'monitor', task: idOf(id), evidence }),
    ];
  };
  const judging = stateAfter(
    ...half(closed),
    ...round,
    ...reported('security', 'clear'),
    ...reported('docs', 'no-change'),
    ...reported('qa', 'concerns'),
  );

  test('keeps the reports before it, and forgets the later ones', () => {
    expect(effect(judging, { from: 'docs' })).toEqual({ starts: [], reuses: [], roles: ['wave-1-docs', 'wave-1-qa'] });
    const next = applied(judging, { from: 'docs' });
    expect(next.waves[0]?.rounds.at(-1)).toMatchObject({ status: 'built' });
    expect(next.tasks[idOf('wave-1-security')]).toEqual(judging.tasks[idOf('wave-1-security')]);
    expect(next.tasks[idOf('wave-1-docs')]).not.toHaveProperty('about');
    expect(relaunchOf(next)).toMatchObject([{ task: 'wave-1-docs', reason: { rule: 'next-barrier' } }]);
  });

  test('--only runs one role again', () => {
    expect(effect(judging, { only: ['wave-1-qa'] })).toEqual({ starts: [], reuses: [], roles: ['wave-1-qa'] });
  });

  test('from implementation on, the round is given up in the same append and all roles run again', () => {
    expect(effect(judging, { from: 'implementation' })).toEqual({
      ...{ starts: [], reuses: ['a', 'b'], roles: roles.map((role) => `wave-1-${role}`) },
    });
    expect(decided(judging, { from: 'implementation' })).toMatchObject({
      value: [{ type: 'round-abandoned', round: 1 }, { type: 'wave-relaunched' }],
    });
  });
});

describe('another version of the plan', () => {
  const replaced = (next: FrozenPlan, printed = true) =>
    replacement(stateAfter(...begun(bare), ...attempted(bare, 'a', { printed })), {
      ...{ plan: next, hash: hashOf(next), by: me },
    });

  test('names both fingerprints of every result that it reuses', () => {
    const strict = { ...bare, strict: true };
    const print = fingerprintOf(bare, planned(bare, 'a'), tree('base'), []);
    expect(replaced(strict)).toMatchObject({
      reuses: ['a'],
      fingerprints: [{ task: 'a', snapshot: snapshot('a').commit, was: print, is: print }],
    });
  });

  test.each([
    ['another directive', { ...bare, waves: plan([{ ...tasks, a: { priority: 9 } }]).waves }],
    ['another focus', { ...bare, focus: 'speed' }],
    ['another rule', { ...bare, forbid: ['rm -rf'] }],
    ['another denied command', { ...bare, block: ['git push'] }],
  ])('with %s reuses nothing', (_, next) => {
    expect(replaced(next)).not.toHaveProperty('reuses');
  });

  test('compares an attempt without a fingerprint by the words of the plan, as before', () => {
    const strict = replaced({ ...bare, strict: true }, false);
    expect(strict).toMatchObject({ reuses: ['a'] });
    expect(strict).not.toHaveProperty('fingerprints');
    expect(replaced({ ...bare, focus: 'speed' }, false)).not.toHaveProperty('reuses');
  });
});
