import { expect, test } from 'vitest';
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
import type { RunEvent, RunOutcome } from '../ledger/events.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] } }]);
const [a, b] = [idOf('a'), idOf('b')];
const by = me;

/** Both tasks are merged and the run has ended so; then `more` happened. */
const after = (outcome: RunOutcome, ...more: RunEvent[]) =>
  stateAfter(
    created(frozen),
    ...['a', 'b'].flatMap((id): readonly RunEvent[] => [intended(id), attemptEnded(id)]),
    {
      type: 'merged',
      wave: 0,
      round: 1,
      old: commit('base'),
      new: commit('b'),
      tasks: [a, b].map((task) => ({ task, commit: commit(task) })),
    },
    { type: 'wave-closed', wave: 0 },
    { type: 'run-ended', outcome },
    ...more,
  );
const drop = (state: ReturnType<typeof after>, task: typeof a, paths: readonly string[] = []) =>
  answer(state, { type: 'requested-drop', task, paths, by });
const dropped = (task: typeof a): RunEvent => ({ type: 'task-dropped', task, by });
const yes: readonly RunEvent[] = [
  { type: 'tap-opened', tap: 'land', hash: hashOf(frozen), expires: null },
  { type: 'tap-decided', tap: 'land', decision: 'approved', hash: hashOf(frozen), by },
];
const landed = {
  type: 'landed',
  branch: 'main',
  old: commit('base'),
  new: commit('b'),
  tasks: [a, b],
  commits: [a, b].map((task) => ({ task, commit: commit(task) })),
} as const satisfies RunEvent;

test('of a run that can never land, any task is discarded, merged or not', () => {
  for (const outcome of ['abandoned', 'rejected', 'failed'] as const)
    expect(drop(after(outcome), a)).toEqual({ ok: true, value: [dropped(a)] });
  expect(drop(after('abandoned', dropped(a)), a)).toEqual({ ok: true, value: [] });
});

test('of a run that can still land, no task is discarded that another one needs, and none that is on its way', () => {
  expect(drop(after('done'), a)).toEqual({ ok: false, error: { rule: 'need-not-chosen', task: b, need: a } });
  expect(drop(after('done'), b)).toEqual({ ok: true, value: [dropped(b)] });
  expect(drop(after('done', dropped(b)), a)).toEqual({ ok: true, value: [dropped(a)] });
  expect(drop(after('done', ...yes), b)).toEqual({ ok: false, error: { rule: 'branch-moving' } });
});

test('what has landed is not discarded, unless it was undone', () => {
  const undone = {
    type: 'undone',
    task: null,
    branch: 'main',
    old: commit('b'),
    new: commit('base'),
    exact: true,
  } as const;
  expect(drop(after('landed', landed), b)).toEqual({ ok: false, error: { rule: 'task-landed', task: b } });
  expect(drop(after('landed', landed, undone), b)).toEqual({ ok: true, value: [dropped(b)] });
});

test('paths are not taken out of a run that has ended', () => {
  expect(drop(after('abandoned'), a, ['x'])).toEqual({ ok: false, error: { rule: 'run-ended', outcome: 'abandoned' } });
});
