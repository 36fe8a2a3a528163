import { expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  idOf,
  intended,
  plan,
  snapshot,
  started,
  stateAfter,
  tree,
} from '../../test/support/plans.ts';
import { judged } from '../domain/judge.ts';
import { closure } from './closure.ts';
import { monitor } from './monitor.ts';
import { contextOf } from './step.ts';

test('a candidate that holds none of the ready tasks, and no conflict, halts the run instead of being built for ever', () => {
  const frozen = plan([{ a: {} }]);
  const base = commit('base');
  const past = [
    created(frozen),
    { type: 'run-branch-made', commit: base, tree: tree('base') },
    intended('a'),
    started('a'),
  ] as const;
  const dispatched = judged(contextOf(stateAfter(...past)), {
    phase: 'dispatch',
    task: idOf('a'),
    evidence: dispatchEvidence(attempt('a', 1)),
  });
  const [ready] = monitor(stateAfter(...past, dispatched, attemptEnded('a')));
  if (ready?.kind !== 'fact') throw new Error('nothing is judged');
  const at = { wave: 0, round: 1 } as const;
  const tasks = [{ task: idOf('a'), snapshot: snapshot('a').commit }];

  const built = stateAfter(
    ...past,
    dispatched,
    attemptEnded('a'),
    ...ready.events,
    { type: 'round-opened', ...at, base, tasks },
    { type: 'candidate-built', ...at, base, steps: [], conflicts: [] },
  );

  expect(built.tasks[idOf('a')]?.progress.status).toBe('ready');
  expect(closure(built)).toMatchObject([
    { kind: 'fact', events: [{ type: 'round-abandoned' }, { type: 'run-halted' }] },
  ]);
});
