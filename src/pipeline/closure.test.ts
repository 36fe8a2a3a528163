import { expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  hashOf,
  idOf,
  intended,
  plan,
  snapshot,
  started,
  stateAfter,
  tree,
} from '../../test/support/plans.ts';
import { judged } from '../domain/gates/judge.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { closure } from './closure.ts';
import { monitor } from './monitor.ts';
import { contextOf } from './step.ts';

const base = commit('base');
const past = [
  created(plan([{ a: {} }])),
  { type: 'run-branch-made', commit: base, tree: tree('base') },
  intended('a'),
  started('a'),
] as const;
const dispatched = judged(contextOf(stateAfter(...past)), {
  phase: 'dispatch',
  task: idOf('a'),
  evidence: dispatchEvidence(attempt('a', 1)),
});
function ready(): readonly RunEvent[] {
  const [found] = monitor(stateAfter(...past, dispatched, attemptEnded('a')));
  if (found?.kind !== 'fact') throw new Error('nothing is judged');
  return [...past, dispatched, attemptEnded('a'), ...found.events];
}

const approved = judged(contextOf(stateAfter(...past)), {
  phase: 'approval',
  wave: 0,
  evidence: { decision: 'approved', hash: hashOf(plan([{ a: {} }])) },
});

test('a round is not opened with a snapshot that a person has changed by hand and the merger is still taking', () => {
  const state = stateAfter(...ready(), approved, {
    type: 'requested-edit',
    task: idOf('a'),
    from: snapshot('a').commit,
    copy: 'c1',
    by: { who: 'ada', via: 'terminal' },
  });
  expect(closure(state)).toEqual([]);
});

test('while an earlier wave lands nothing is merged on top of it, and no wave closes', () => {
  expect(closure(stateAfter(...ready(), approved))).toMatchObject([{ events: [{ type: 'round-opened' }] }]);
  expect(closure(stateAfter(...ready(), approved, { type: 'landing-queued' }))).toEqual([]);
});

test('a candidate that holds none of the ready tasks, and no conflict, halts the run instead of being built for ever', () => {
  const at = { wave: 0, round: 1 } as const;
  const tasks = [{ task: idOf('a'), snapshot: snapshot('a').commit }];

  const built = stateAfter(
    ...ready(),
    { type: 'round-opened', ...at, base, tasks },
    { type: 'candidate-built', ...at, base, steps: [], conflicts: [] },
  );

  expect(built.tasks[idOf('a')]?.progress.status).toBe('ready');
  expect(closure(built)).toMatchObject([
    { kind: 'fact', events: [{ type: 'round-abandoned' }, { type: 'run-halted' }] },
  ]);
});
