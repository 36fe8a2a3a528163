import { describe, expect, test } from 'vitest';
import {
  attemptEnded,
  commit,
  created,
  hashOf,
  idOf,
  intended,
  me,
  plan,
  stateAfter,
} from '../../../test/support/plans.ts';
import { answer } from '../decide/answer.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { withoutTasks } from './land-some.ts';
import { leftToLand } from './undo.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] }, d: {} }]);
const [a, b, c, d] = [idOf('a'), idOf('b'), idOf('c'), idOf('d')];
const landed = (...tasks: (typeof a)[]): RunEvent => ({
  type: 'landed',
  branch: 'main',
  old: commit('old'),
  new: commit('new'),
  tasks,
  commits: tasks.map((task) => ({ task, commit: commit(task) })),
});

/** All four tasks are merged, and the landing is asked about. */
function merged(...more: RunEvent[]): RunState {
  const tasks = [a, b, c, d].map((task) => ({ task, commit: commit(task) }));
  return stateAfter(
    created(frozen),
    ...['a', 'b', 'c', 'd'].flatMap(worked),
    { type: 'merged', wave: 0, round: 1, old: commit('base'), new: commit('tip'), tasks },
    { type: 'wave-closed', wave: 0 },
    { type: 'tap-opened', tap: 'land', hash: hashOf(frozen), expires: null },
    ...more,
  );
}
const worked = (id: string): readonly RunEvent[] => [intended(id), attemptEnded(id)];
const ask = (state: RunState, ...tasks: (typeof a)[]) => answer(state, { type: 'requested-land', tasks, by: me });

describe('a choice of tasks to land', () => {
  test('is a yes to exactly these', () => {
    expect(ask(merged(), a, d)).toMatchObject({ ok: true, value: [{ type: 'tap-decided', tasks: [a, d] }] });
  });

  test('of all that is left is no choice', () => {
    const answered = ask(merged(), a, b, c, d);
    expect(answered.ok && answered.value !== 'later' && 'tasks' in (answered.value[0] ?? {})).toBe(false);
  });

  test.each([
    [[b], { rule: 'need-not-chosen', task: b, need: a }],
    [[a, c], { rule: 'need-not-chosen', task: c, need: b }],
    [[], { rule: 'no-task-left' }],
    [[idOf('z')], { rule: 'no-such-task', run: 'demo-ab12', task: 'z' }],
  ])('of %j is refused: %j', (tasks, error) => {
    expect(ask(merged(), ...tasks)).toEqual({ ok: false, error });
  });

  test('counts what has landed before', () => {
    const state = merged(landed(a));
    expect(leftToLand(state)).toEqual([b, c, d]);
    expect(ask(state, a)).toEqual({ ok: false, error: { rule: 'task-landed', task: a } });
    expect(ask(state, b)).toMatchObject({ ok: true });
  });

  test('is refused when what it needs was taken back', () => {
    const undone: RunEvent = {
      type: 'undone',
      task: a,
      branch: 'main',
      old: commit('new'),
      new: commit('revert'),
      exact: false,
    };
    expect(ask(merged(landed(a), undone), b)).toEqual({
      ok: false,
      error: { rule: 'need-undone', task: b, need: a, branch: 'main' },
    });
  });

  test('is refused while a wave is open', () => {
    const two = plan([{ a: {} }, { e: {} }]);
    const state = stateAfter(created(two), ...worked('a'), {
      type: 'merged',
      wave: 0,
      round: 1,
      old: commit('base'),
      new: commit('tip'),
      tasks: [{ task: a, commit: commit('a') }],
    });
    expect(ask(state, a)).toEqual({ ok: false, error: { rule: 'wave-open', wave: 0 } });
  });
});

test('without a task, all that needs it is left out as well, and why', () => {
  expect(withoutTasks(merged(), [a])).toEqual({
    tasks: [d],
    also: [
      { task: b, needs: a },
      { task: c, needs: a },
    ],
  });
  expect(withoutTasks(merged(landed(a)), [c])).toEqual({ tasks: [b, d], also: [] });
});

test('a landing without names is of all that was left, and an undo of the whole run lets all of it land again', () => {
  expect(leftToLand(merged(landed(a), landed(b, c, d)))).toEqual([]);
  const undone: RunEvent = {
    type: 'undone',
    task: null,
    branch: 'main',
    old: commit('new'),
    new: commit('old'),
    exact: true,
  };
  expect(leftToLand(merged(landed(a), landed(b, c, d), undone))).toEqual([a, b, c, d]);
});
