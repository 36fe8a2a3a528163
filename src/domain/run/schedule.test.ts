import { describe, expect, test } from 'vitest';
import { failure } from '../../../test/support/findings.ts';
import {
  created,
  firstAttempt,
  idOf,
  me,
  type PlanSketch,
  plan,
  stateAfter,
  type TaskSketch,
} from '../../../test/support/plans.ts';
import type { Finding } from '../findings/finding.ts';
import { pass } from '../gates/make-verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { noUsage } from '../tool-calls/agent-event.ts';
import { type RunState, tasksOfWave } from './run.ts';
import { blockingNeed, isBlocked, mayIntegrate, startable } from './schedule.ts';
import { fresh, type TaskProgress } from './task.ts';

type Waves = readonly Readonly<Record<string, TaskSketch>>[];
const approved = (wave: number): RunEvent => ({
  type: 'phase-judged',
  version: 1,
  phase: 'approval',
  wave,
  evidence: { decision: 'approved', hash: 'h' as never },
  verdicts: [pass('approval')],
});

const attempt = { ...firstAttempt('a'), usage: noUsage };

/** A run with every wave approved, and the tasks brought to these states. */
function given(
  waves: Waves,
  at: Readonly<Record<string, TaskProgress['status']>> = {},
  sketch: PlanSketch = {},
  only: number | null = null,
): RunState {
  const state = stateAfter(created(plan(waves, sketch), only), ...waves.map((_, wave) => approved(wave)));
  const tasks = Object.fromEntries(
    Object.values(state.tasks).map((task) => {
      const status = at[task.id];
      return [
        task.id,
        status === undefined ? task : { ...task, progress: { ...task.progress, attempt, status } as TaskProgress },
      ];
    }),
  );
  return { ...state, tasks };
}
const ids = (state: RunState): readonly string[] => startable(state).map(({ id }) => id);
const taskOf = (state: RunState, id: string) => {
  const found = state.tasks[idOf(id)];
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

describe('tasks may start', () => {
  test('the one with the longest path behind it first, then by priority', () => {
    const waves = [{ a: {}, b: { priority: 9 }, c: {}, d: { needs: ['c'] }, e: { needs: ['d'] } }];
    expect(ids(given(waves))).toEqual(['c', 'b', 'a']);
  });

  test('when everything that they need is ready, merged or done', () => {
    const waves = [{ a: {}, b: { needs: ['a'] } }];
    for (const status of ['ready', 'merged', 'done'] as const) expect(ids(given(waves, { a: status }))).toEqual(['b']);
    for (const status of ['running', 'ended', 'held', 'failed', 'dropped'] as const)
      expect(ids(given(waves, { a: status }))).toEqual([]);
  });

  test('not before their wave is approved', () => {
    expect(startable(stateAfter(created(plan([{ a: {} }]))))).toEqual([]);
  });

  test('of the current wave only, when the schedule is strict', () => {
    expect(ids(given([{ a: {} }, { b: {} }], { a: 'running' }))).toEqual([]);
  });

  test('of later waves too when it is eager and they touch nothing of what is open', () => {
    const eager = { schedule: 'eager' } as const;
    expect(ids(given([{ a: {} }, { b: {} }], { a: 'running' }, eager))).toEqual(['b']);
    expect(ids(given([{ a: {} }, { b: { reads: ['a/**'] } }], { a: 'running' }, eager))).toEqual([]);
    expect(ids(given([{ a: {} }, { b: { owns: null } }], { a: 'running' }, eager))).toEqual([]);
    expect(ids(given([{ a: {} }, { b: { needs: ['a'] } }], { a: 'running' }, eager))).toEqual([]);
  });

  test('without what they need in waves that this run leaves out: those are closed', () => {
    expect(ids(given([{ a: {} }, { b: { needs: ['a'] } }], {}, {}, 1))).toEqual(['b']);
  });
});

describe('a task is blocked', () => {
  const waves = [{ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } }];
  test('by a need that failed, is held or was dropped, however far away', () => {
    for (const status of ['failed', 'held', 'dropped'] as const) {
      const state = given(waves, { a: status });
      expect(tasksOfWave(state, 0).map((task) => isBlocked(state, task))).toEqual([false, true, true]);
      expect(blockingNeed(state, taskOf(state, 'c'))).toBe('b');
    }
  });

  test('not by one that is at work', () => {
    const state = given(waves, { a: 'running' });
    expect(isBlocked(state, taskOf(state, 'b'))).toBe(false);
  });

  test('by its own failed launch', () => {
    const halted = stateAfter(created(plan(waves)), {
      type: 'task-base-refused',
      task: idOf('a'),
      because: failure('x'),
    });
    expect(isBlocked(halted, taskOf(halted, 'a'))).toBe(true);
    const resumed = stateAfter(
      created(plan(waves)),
      { type: 'task-base-refused', task: idOf('a'), because: failure('x') },
      { type: 'run-resumed', by: me },
    );
    expect(isBlocked(resumed, taskOf(resumed, 'a'))).toBe(false);
  });
});

describe('a failed launch', () => {
  const waves = [{ a: {}, b: {} }, { c: {} }];
  const halted = (state: RunState, id: string, halt: Finding): RunState => {
    const task = taskOf(state, id);
    const progress: TaskProgress = { status: 'waiting', next: { ...fresh, halt }, last: null };
    return { ...state, tasks: { ...state.tasks, [id]: { ...task, progress } } };
  };
  const launch: Finding = { rule: 'launch-failed', because: null, before: [] };

  test('halts its wave, and no other', () => {
    const state = halted(given(waves, {}, { schedule: 'eager' }), 'a', launch);
    expect(ids(state)).toEqual(['c']);
    expect(['a', 'b', 'c'].map((id) => isBlocked(state, taskOf(state, id)))).toEqual([true, true, false]);
  });

  test('is not the same as needs that do not fit together: that task waits alone', () => {
    const conflict: Finding = { rule: 'needs-conflict', task: idOf('a'), need: idOf('b'), files: ['x'] };
    expect(ids(halted(given([{ a: {}, b: {} }]), 'a', conflict))).toEqual(['b']);
  });
});

describe('a ready task goes into a round', () => {
  const waves = [{ a: {}, b: { needs: ['a'] } }];
  test('with what it stands on, or after that was merged', () => {
    for (const status of ['ready', 'merged'] as const) {
      const state = given(waves, { a: status, b: 'ready' });
      expect(mayIntegrate(state, taskOf(state, 'b'))).toBe(true);
    }
  });

  test('not while what it stands on has failed, is held, dropped or at work again', () => {
    for (const status of ['failed', 'held', 'dropped', 'running', 'waiting'] as const) {
      const state = given(waves, { a: status, b: 'ready' });
      expect(mayIntegrate(state, taskOf(state, 'b'))).toBe(false);
    }
  });
});
