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
  me,
  nonceOf,
  plan,
  started,
  stateAfter,
  tree,
} from '../../test/support/plans.ts';
import { judged } from '../domain/gates/judge.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { holds } from './holds.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] }, c: {} }]);
const context = { plan: frozen, hash: hashOf(frozen), granted: [] };

/** One good attempt of a task, judged and settled. */
function ready(id: string): readonly RunEvent[] {
  const ended = attemptEnded(id);
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const { ending, handoff, snapshot } = ended;
  const evidence = { attempt: attempt(id, 1), nonce: nonceOf(id, 1), ending, handoff, snapshot };
  return [
    intended(id),
    started(id),
    judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(attempt(id, 1)) }),
    ended,
    judged(context, { phase: 'monitor', task: idOf(id), evidence }),
  ];
}
const allReady = stateAfter(created(frozen), ...['a', 'b', 'c'].flatMap(ready));
const snapshotOfTask = (id: string) => {
  const progress = allReady.tasks[idOf(id)]?.progress;
  return progress?.status === 'ready' ? progress.snapshot.commit : commit('none');
};
const round = (conflicts: readonly string[], snapshot = snapshotOfTask): readonly RunEvent[] => [
  {
    type: 'round-opened',
    wave: 0,
    round: 1,
    base: commit('base'),
    tasks: ['a', 'b', 'c'].map((id) => ({ task: idOf(id), snapshot: snapshot(id) })),
  },
  {
    type: 'candidate-built',
    wave: 0,
    round: 1,
    base: commit('base'),
    steps: [{ task: idOf('c'), commit: commit('c'), tree: tree('c') }],
    conflicts: conflicts.map((id) => ({ task: idOf(id), files: ['x.txt'] })),
  },
];
const after = (state: RunState, ...events: readonly RunEvent[]): RunState =>
  events.reduce<RunState>((before, event) => evolveRun(before, { seq: 0, event }) ?? before, state);

/** Records what follows until nothing does. */
function followed(state: RunState): { readonly state: RunState; readonly facts: readonly RunEvent[] } {
  const facts: RunEvent[] = [];
  let now = state;
  for (let step = holds(now)[0]; step?.kind === 'fact' && facts.length < 20; step = holds(now)[0]) {
    facts.push(...step.events);
    now = after(now, ...step.events);
  }
  return { state: now, facts };
}
const held = (task: string, hold: object) => ({ type: 'task-held', task, hold });

test('a task that conflicts is held with its files, and what stands on it for its sake', () => {
  expect(followed(after(allReady, ...round(['a']))).facts).toEqual([
    held('a', { because: 'conflict', files: ['x.txt'] }),
    held('b', { because: 'needs', task: 'a' }),
  ]);
});

test('a conflict of an earlier snapshot holds nobody', () => {
  expect(followed(after(allReady, ...round(['a'], () => commit('earlier')))).facts).toEqual([]);
});

test('what stands on a task stays held when that is dropped, and is held if it was ready', () => {
  const dropped: RunEvent = { type: 'task-dropped', task: idOf('a'), by: me };
  const { state } = followed(after(allReady, ...round(['a'])));
  expect(followed(after(state, dropped)).facts).toEqual([]);
  expect(followed(after(allReady, dropped)).facts).toEqual([held('b', { because: 'needs', task: 'a' })]);
});

test('nothing follows where nothing is held', () => {
  expect(followed(allReady).facts).toEqual([]);
});

test('finished work starts again when a task that it needs has another tree than its base, and only then', () => {
  const of = (made: ReturnType<typeof tree> | undefined): RunState => {
    const own = allReady.tasks[idOf('b')];
    if (own === undefined) throw new Error('no b');
    const entry = { task: idOf('a'), snapshot: commit('older'), ...(made === undefined ? {} : { tree: made }) };
    return {
      ...allReady,
      tasks: { ...allReady.tasks, [own.id]: { ...own, made: { tree: tree('base'), of: [entry] } } },
    };
  };
  const progress = allReady.tasks[idOf('a')]?.progress;
  if (progress?.status !== 'ready') throw new Error('a is not ready');
  const again = { type: 'task-retried', task: 'b', by: { who: 'tidegate', via: 'policy' } };
  expect(holds(of(tree('older')))).toEqual([{ kind: 'fact', events: [again] }]);
  expect(holds(of(progress.snapshot.tree))).toEqual([]);
  // older records do not say which tree it was
  expect(holds(of(undefined))).toEqual([]);
  const integrating = round([])
    .slice(0, 1)
    .reduce((now, event) => evolveRun(now, { seq: 0, event }) ?? now, of(tree('older')));
  expect(holds(integrating)).toEqual([]);
});
