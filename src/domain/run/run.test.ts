import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { simulate } from '../../../test/simulation/simulate.ts';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  exited,
  handoff,
  idOf,
  intended,
  me,
  nonceOf,
  plan,
  snapshot,
  started,
  stateAfter,
  tree,
} from '../../../test/support/plans.ts';
import { answer } from '../decide/answer.ts';
import { judged } from '../gates/judge.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { canonicalJson, dependentsOf } from '../plan/plan.ts';
import { checkKey, foldRun, type Recorded, type RunState } from './run.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] }, d: {} }]);
const context = { plan: frozen, hash: 'h' as never, granted: [] };

/** One good attempt of a task, judged by the real gates. */
function ready(id: string): readonly RunEvent[] {
  const evidence = {
    attempt: attempt(id, 1),
    nonce: nonceOf(id, 1),
    ending: exited(0),
    handoff: handoff(nonceOf(id, 1)),
    snapshot: snapshot(id),
  };
  return [
    { type: 'task-base-made', task: idOf(id), commit: commit('base'), tree: tree('base') },
    intended(id),
    started(id),
    judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(attempt(id, 1)) }),
    attemptEnded(id),
    judged(context, { phase: 'monitor', task: idOf(id), evidence }),
  ];
}
const run = (...events: RunEvent[]): RunState => stateAfter(created(frozen), ...events);
const statuses = (state: RunState) =>
  Object.fromEntries(Object.values(state.tasks).map((task) => [task.id, task.progress.status]));
const events = (answered: ReturnType<typeof answer>): readonly RunEvent[] =>
  answered.ok && answered.value !== 'later' ? answered.value : [];
const answered = (request: RequestEvent): readonly RunEvent[] => events(answer(run(...allReady, culprit), request));
const allReady = ['a', 'b', 'c', 'd'].flatMap(ready);
const culprit: RunEvent = {
  type: 'task-held',
  task: idOf('a'),
  hold: { because: 'check', check: 'test', tree: tree('x') },
};

describe('what stands on a task', () => {
  test('is held with it, and only that', () => {
    expect(statuses(run(...allReady, culprit))).toEqual({ a: 'held', b: 'held', c: 'held', d: 'ready' });
    expect(run(...allReady, culprit).tasks[idOf('c')]?.progress).toMatchObject({
      hold: { because: 'needs', task: 'a' },
    });
  });

  test('starts again when the task is retried or reworked', () => {
    const by = { task: idOf('a'), by: me };
    for (const again of [
      { type: 'requested-retry', ...by },
      { type: 'requested-rework', message: 'x', ...by },
    ] as const)
      expect(statuses(run(...allReady, culprit, ...answered(again)))).toEqual({
        a: 'waiting',
        b: 'waiting',
        c: 'waiting',
        d: 'ready',
      });
  });

  test('is ready again when the task passes its gates after all, and not when it is dropped', () => {
    const dropped: RunEvent = { type: 'task-dropped', task: idOf('a'), by: me };
    expect(statuses(run(...allReady, culprit, dropped))).toEqual({ a: 'dropped', b: 'held', c: 'held', d: 'ready' });
    const granted: RunEvent = { type: 'task-granted', task: idOf('a'), paths: ['x'], meets: [], by: me };
    const [verdict] = ready('a').slice(-1) as [RunEvent];
    expect(statuses(run(...allReady, culprit, granted, verdict))).toEqual({
      a: 'ready',
      b: 'ready',
      c: 'ready',
      d: 'ready',
    });
  });

  test('and has not begun gets a new base when the task works on', () => {
    const [base] = ready('b');
    const begun = run(...ready('a'), base as RunEvent);
    const reworked = events(answer(begun, { type: 'requested-rework', task: idOf('a'), message: 'x', by: me }));
    expect(run(...ready('a'), base as RunEvent).tasks[idOf('b')]?.base).toBe(commit('base'));
    expect(run(...ready('a'), base as RunEvent, ...reworked).tasks[idOf('b')]?.base).toBeNull();
  });

  test('is found however indirect', () => {
    expect(dependentsOf(frozen, idOf('a'))).toEqual(['b', 'c']);
  });
});

test('a grant has ownership judged again', () => {
  const verdict = judged(context, { phase: 'ownership', wave: 0, evidence: { granted: [] } });
  expect(run(verdict).waves[0]?.ownership).toEqual(verdict.verdicts);
  expect(
    run(verdict, { type: 'task-granted', task: idOf('a'), paths: ['x'], meets: [], by: me }).waves[0]?.ownership,
  ).toBeNull();
});

test('resume forgets checks that could not run, and no others', () => {
  const check = (name: string, outcome: 'passed' | 'could-not-run'): RunEvent => ({
    type: 'check-ended',
    purpose: 'candidate',
    check: { name, tree: tree('x'), outcome, code: 0, log: { file: '', bytes: 0, kept: 0, sha256: '' }, tail: '' },
  });
  const before = [check('test', 'passed'), check('lint', 'could-not-run')];
  const state = run(...before, ...events(answer(run(...before), { type: 'requested-resume', by: me })));
  expect(Object.keys(state.checks)).toEqual([checkKey(tree('x'), 'test')]);
});

test('requests wait until they are answered', () => {
  const events: readonly Recorded['event'][] = [created(frozen), { type: 'requested-pause', by: me }];
  expect(stateAfter(...events).pending).toEqual([{ seq: 2, request: { type: 'requested-pause', by: me } }]);
  expect(stateAfter(...events, { type: 'request-accepted', request: 2 }).pending).toEqual([]);
});

test('requests alone make no run', () => {
  expect(foldRun([{ seq: 1, event: { type: 'requested-pause', by: me } }])).toBeNull();
});

describe('the fold', () => {
  let history: readonly Recorded[] = [];
  beforeAll(async () => {
    history = (await simulate(11, { misfortunes: 12, whims: 8, crashes: 2 })).stored;
  });

  test('is total: no selection of events in any order is refused', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(history.length - 1), { maxLength: 60 }), (picks) => {
        const some = picks.flatMap((pick) => history[pick] ?? []);
        expect(() => foldRun([...history.slice(0, 2), ...some])).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  test('of the same events is the same, byte for byte', () => {
    const copy: readonly Recorded[] = JSON.parse(JSON.stringify(history));
    for (let length = 0; length <= history.length; length += 1)
      expect(canonicalJson(foldRun(copy.slice(0, length)))).toBe(canonicalJson(foldRun(history.slice(0, length))));
  });
});
