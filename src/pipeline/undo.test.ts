import { describe, expect, test } from 'vitest';
import { commit, created, idOf, log, me, plan, theRun, tree } from '../../test/support/plans.ts';
import type { TaskId } from '../domain/base/ids.ts';
import type { CheckOutcome } from '../domain/gates/evidence.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import type { LedgerEvent, RunEvent } from '../domain/ledger/events.ts';
import { foldRun } from '../domain/run/run.ts';
import { keepingOf } from '../engine/jobs/disk-keeper.ts';
import type { Step } from './step.ts';
import { steps } from './steps.ts';

const checks = ['test', 'lint'].map((name) => ({ name, run: `npm ${name}`, minutes: 1 }));
const landed: readonly RunEvent[] = [
  created(plan([{ a: {}, b: {} }], { checks })),
  {
    type: 'landed',
    branch: 'main',
    old: commit('base'),
    new: commit('new'),
    tasks: [idOf('a')],
    commits: [{ task: idOf('a'), commit: commit('new') }],
  },
  { type: 'run-ended', outcome: 'landed' },
];
const asked = (task: TaskId | null = null): LedgerEvent => ({ type: 'requested-undo', task, by: me });
const prepared = (task: TaskId | null = null, onto = 'tip'): RunEvent => ({
  type: 'undo-prepared',
  task,
  branch: 'main',
  onto: commit(onto),
  commit: commit(`reverts ${onto}`),
  tree: tree('reverts'),
  reverts: [commit('two'), commit('one')],
});
const checked = (name: string, outcome: CheckOutcome['outcome'] = 'passed'): RunEvent => ({
  type: 'check-ended',
  purpose: 'undo',
  check: { name, tree: tree('reverts'), outcome, code: 0, log, tail: 'no fence' },
});
const undone = (task: TaskId | null): RunEvent => ({
  type: 'undone',
  task,
  branch: 'main',
  old: commit('tip'),
  new: commit('reverts tip'),
  exact: false,
});

/** Requests are known by their place: the first is the fourth event. */
const stateAfter = (...events: readonly LedgerEvent[]) => {
  const state = foldRun([...landed, ...events].map((event, index) => ({ seq: index + 1, event })));
  if (state === null) throw new Error('no run');
  return state;
};
const stepsAfter = (...events: readonly LedgerEvent[]): readonly Step[] =>
  steps(stateAfter(...events), { now: '2026-01-01T12:00:00.000Z', nonce: () => '' });
const askMerger = (task: TaskId | null = null, seq = 4): Step => ({
  kind: 'effect',
  key: `undo ${seq}`,
  effect: { do: 'ask-merger', request: { do: 'undo', run: theRun, task }, answers: seq },
});
const runCheck = (name: string): unknown => ({
  kind: 'effect',
  key: `check ${tree('reverts')} ${name}`,
  effect: { do: 'check', purpose: 'undo', commit: commit('reverts tip'), tree: tree('reverts'), check: { name } },
});

describe('an undo of a run that has ended', () => {
  test('asks the merger, which takes the branch back or prepares reverts', () => {
    expect(stepsAfter(asked())).toEqual([askMerger()]);
    expect(openUndo(stateAfter(asked()))).toEqual({ task: null, onto: null, check: null });
  });

  test('has every check run on what was prepared, one after the other, and only then asks again', () => {
    expect(stepsAfter(asked(), prepared())).toMatchObject([runCheck('test')]);
    expect(stepsAfter(asked(), prepared(), checked('test'))).toMatchObject([runCheck('lint')]);
    expect(openUndo(stateAfter(asked(), prepared(), checked('test')))).toMatchObject({
      onto: commit('tip'),
      check: 'lint',
    });
    expect(stepsAfter(asked(), prepared(), checked('test'), checked('lint'))).toEqual([askMerger()]);
  });

  test.each(['failed', 'timed-out'] as const)('is refused in one append with its answer when a check %s', (outcome) => {
    const [step, ...more] = stepsAfter(
      asked(idOf('a')),
      prepared(idOf('a')),
      checked('test'),
      checked('lint', outcome),
    );
    expect(more).toEqual([]);
    const at = { run: theRun, task: idOf('a') };
    const because = {
      rule: 'undo-check',
      ...at,
      branch: 'main',
      check: 'lint',
      reverts: [commit('two'), commit('one')],
    } as const;
    const events: readonly RunEvent[] = [
      { type: 'undo-refused', task: idOf('a'), because },
      { type: 'request-refused', request: 4, because: { rule: 'undo-refused', ...at, because } },
    ];
    expect(step).toEqual({ kind: 'fact', events });
    const past = [asked(idOf('a')), prepared(idOf('a')), checked('test'), checked('lint', outcome), ...events];
    expect(stateAfter(...past).undo.prepared).toBeNull();
    expect(stepsAfter(...past)).toEqual([]);
  });

  test('halts when a check could not run, whatever the run is at, and is taken up by resume', () => {
    const halted: RunEvent = {
      type: 'run-halted',
      because: { rule: 'check-unrunnable', check: 'test', because: null, words: 'no fence' },
    };
    const past = [asked(), prepared(), checked('test', 'could-not-run')];
    expect(stepsAfter(...past)).toEqual([{ kind: 'fact', events: [halted] }]);
    expect(stepsAfter({ type: 'run-stopped', by: me }, ...past)).toEqual([{ kind: 'fact', events: [halted] }]);
    expect(stepsAfter(...past, halted)).toEqual([]);
    expect(
      stepsAfter(...past, halted, {
        type: 'run-resumed',
        rechecks: [{ tree: tree('reverts'), check: 'test' }],
        by: me,
      }),
    ).toMatchObject([runCheck('test')]);
  });

  test('that was prepared anew is checked anew', () => {
    const again: RunEvent = { ...prepared(null, 'later'), tree: tree('other') } as RunEvent;
    const past = [asked(), prepared(), checked('test'), checked('lint'), again];
    expect(stepsAfter(...past)).toMatchObject([{ effect: { do: 'check', tree: tree('other') } }]);
    expect(stateAfter(...past).undo.prepared?.tries).toBe(2);
  });

  test('is accepted once the ledger says that it is undone, also after a crash before the answer', () => {
    for (const task of [null, idOf('a')])
      expect(stepsAfter(asked(task), prepared(task), undone(task))).toEqual([
        { kind: 'fact', events: [{ type: 'request-accepted', request: 4 }] },
      ]);
  });

  test('waits for an earlier one, whatever that is of', () => {
    expect(stepsAfter(asked(idOf('a')), asked(), asked(idOf('b')))).toEqual([askMerger(idOf('a'))]);
    const answered: RunEvent = { type: 'request-accepted', request: 4 };
    expect(stepsAfter(asked(idOf('a')), asked(), undone(idOf('a')), answered)).toEqual([askMerger(null, 5)]);
  });

  test('waits until it is known whether a landing that was begun has happened', () => {
    const again: RunEvent = { type: 'landing-intended', branch: 'main', old: null, new: commit('x'), worktree: null };
    expect(stepsAfter(again, asked())).toEqual([]);
  });

  test('keeps the workspaces of its checks', () => {
    const job = `${theRun}.check.${'0'.repeat(16)}.0.1`;
    expect(keepingOf(job, [stateAfter(asked(), prepared())])).toEqual({ keep: true, why: 'its undo is under way' });
    expect(keepingOf(job, [stateAfter()]).keep).toBe(false);
  });
});

test('what is undone is not undone again: tasks until the whole run is, the run until it lands again', () => {
  const again: RunEvent = {
    type: 'landed',
    branch: 'main',
    old: commit('x'),
    new: commit('y'),
    tasks: [idOf('a')],
    commits: [{ task: idOf('a'), commit: commit('y') }],
  };
  const accepted = (seq: number) => [{ kind: 'fact', events: [{ type: 'request-accepted', request: seq }] }];
  expect(stepsAfter(undone(idOf('a')), asked(idOf('a')))).toEqual(accepted(5));
  expect(stepsAfter(undone(idOf('a')), asked(idOf('b')))).toEqual([askMerger(idOf('b'), 5)]);
  expect(stepsAfter(undone(null), asked(idOf('b')))).toEqual(accepted(5));
  expect(stepsAfter(undone(idOf('a')), undone(null), again, asked(idOf('a')))).toEqual([askMerger(idOf('a'), 7)]);
});
