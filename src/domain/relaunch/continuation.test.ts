import { describe, expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  created,
  dispatchEvidence,
  exited,
  hashOf,
  idOf,
  intended,
  me,
  nonceOf,
  plan,
  snapshot,
  stateAfter,
  type TaskSketch,
} from '../../../test/support/plans.ts';
import { judged } from '../gates/judge.ts';
import type { RunEvent } from '../ledger/events.ts';
import { evolveRun } from '../run/run.ts';
import { continuations } from './continuation.ts';

const owner: TaskSketch = { promotes: { api: 'repo-landed' } };
const limit = 2;
const frozen = plan([{ a: owner, b: owner, c: {} }], {
  limits: { attempts: limit },
  matrix: { path: 'matrix.json', levels: { api: 'contract-frozen' } },
});
const context = { plan: frozen, hash: hashOf(frozen), granted: [] };

/** Attempt `number` of a task: it ends with this exit code. */
function attempted(id: string, code: number, number = 1): readonly RunEvent[] {
  const ended = attemptEnded(id, { ending: exited(code), number });
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const { ending, handoff, snapshot: left } = ended;
  const evidence = { attempt: attempt(id, number), nonce: nonceOf(id, number), ending, handoff, snapshot: left };
  return [
    intended(id, number),
    judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(attempt(id, number)) }),
    ended,
    judged(context, { phase: 'monitor', task: idOf(id), evidence }),
  ];
}
const failed = (id: string) => [...attempted(id, 1), ...attempted(id, 1, 2)];
const past = [created(frozen), ...failed('b'), ...attempted('c', 0)];

describe('an owner that failed, when its sibling has finished', () => {
  const state = stateAfter(...past, ...attempted('a', 0));
  const [event] = continuations(state, idOf('a'), limit);

  test('continues from its snapshot at no cost', () => {
    expect(state.tasks[idOf('b')]).toMatchObject({ charged: limit, progress: { status: 'failed' } });
    expect(continuations(state, idOf('a'), limit)).toMatchObject([
      { type: 'task-continued', task: 'b', settled: 'a', components: ['api'], from: snapshot('b').commit, charged: 1 },
    ]);
    const next = event === undefined ? null : evolveRun(state, { seq: 0, event });
    expect(next?.tasks[idOf('b')]).toMatchObject({
      charged: 1,
      progress: { status: 'waiting', next: { from: snapshot('b').commit, continues: ['api'], after: 'rejected' } },
    });
  });

  test('is told what was wrong with its attempt before; a record that does not say reads as before', () => {
    if (event === undefined) throw new Error('not continued');
    const { after: _, ...older } = event;
    const startOf = (one: RunEvent) => {
      const progress = evolveRun(state, { seq: 0, event: one })?.tasks[idOf('b')]?.progress;
      return progress?.status === 'waiting' ? progress.next : null;
    };
    expect(startOf(event)).toMatchObject({ after: 'rejected', findings: [{ rule: expect.any(String) }] });
    expect(startOf(older)).toMatchObject({ after: 'interrupted' });
  });

  test('fails again with the same count, and is not continued because of its own attempt', () => {
    if (event === undefined) throw new Error('not continued');
    const again = stateAfter(...past, ...attempted('a', 0), event, ...attempted('b', 1, 3));
    expect(again.tasks[idOf('b')]).toMatchObject({ charged: limit, progress: { status: 'failed' } });
    expect(continuations(again, idOf('b'), limit)).toEqual([]);
  });
});

describe('it does not continue', () => {
  test('while something else keeps the wave open', () => {
    const open = [created(frozen), ...failed('b'), ...attempted('a', 0)];
    expect(continuations(stateAfter(...open), idOf('a'), limit)).toEqual([]);
    expect(continuations(stateAfter(...open, ...failed('c')), idOf('c'), limit)).toEqual([]);
    // the last other task finishes, whether it is an owner or not
    expect(continuations(stateAfter(...open, ...attempted('c', 0)), idOf('c'), limit)).toMatchObject([{ task: 'b' }]);
  });

  test('when no sibling is proven, or none is left', () => {
    expect(
      continuations(
        stateAfter(created(frozen), ...failed('b'), ...failed('a'), ...attempted('c', 0)),
        idOf('c'),
        limit,
      ),
    ).toEqual([]);
    const dropped = { type: 'task-dropped', task: idOf('a'), by: me } as const;
    expect(continuations(stateAfter(...past, dropped), idOf('c'), limit)).toEqual([]);
  });

  test('when a person holds it', () => {
    const held: RunEvent = { type: 'task-held', task: idOf('b'), hold: { because: 'conflict', files: ['x'] } };
    const state = stateAfter(created(frozen), ...attempted('b', 0), held, ...attempted('c', 0), ...attempted('a', 0));
    expect(state.tasks[idOf('b')]?.progress.status).toBe('held');
    expect(continuations(state, idOf('a'), limit)).toEqual([]);
  });

  test('because of an attempt that did not finish its task', () => {
    const state = stateAfter(...past, ...attempted('a', 1));
    expect(continuations(state, idOf('a'), limit)).toEqual([]);
  });
});
