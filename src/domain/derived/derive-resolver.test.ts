import { describe, expect, test } from 'vitest';
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
  type PlanSketch,
  plan,
  snapshot,
  started,
  stateAfter,
  type TaskSketch,
  tree,
} from '../../../test/support/plans.ts';
import type { DiffEntry } from '../gates/evidence.ts';
import { judged } from '../gates/judge.ts';
import type { RepairSubject } from '../ledger/derived-task-events.ts';
import type { RunEvent } from '../ledger/events.ts';
import { isOverBudget, taskSpend } from '../run/costs.ts';
import { evolveRun, type RunState, tasksOfWave } from '../run/run.ts';
import { mayIntegrate, startable } from '../run/schedule.ts';
import { fresh, type Hold, type TaskState } from '../run/task.ts';
import { deriveResolver, isBeingResolved } from './derive-resolver.ts';
import { derivedOfWave, isVoid, plannedIn, standInFor } from './derived-tasks.ts';

const resolver = { agent: ['command'], command: ['resolve'], model: null };
const repair: RepairSubject = { onto: commit('onto'), paths: ['b/a.txt'] };
const conflict: Hold & { because: 'conflict' } = { because: 'conflict', files: ['b/a.txt'], repair };

type Scene = {
  readonly plan?: PlanSketch;
  readonly b?: TaskSketch;
  readonly hold?: Exclude<Hold, { readonly because: 'gate' }>;
  readonly usd?: number;
  readonly diff?: readonly Partial<DiffEntry>[];
  readonly after?: readonly RunEvent[];
};

const modified = (change: Partial<DiffEntry>): DiffEntry => ({
  ...{ path: 'b/a.txt', change: 'modified', oldMode: '100644', newMode: '100644' },
  ...change,
});

/** Task `b` is proven, and held for something that came of its integration. */
function scene({ plan: keys = {}, b = {}, hold = conflict, usd = 0, diff = [{}], after = [] }: Scene = {}): RunState {
  const frozen = plan([{ a: {}, b, c: { needs: ['b'] } }], { resolver, ...keys });
  const context = { plan: frozen, hash: hashOf(frozen), granted: [] };
  const ended = attemptEnded('b', { snapshot: { ...snapshot('b'), diff: diff.map(modified) } });
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const { ending, handoff, snapshot: left } = ended;
  const usage = { turns: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, usd };
  const note = { type: 'attempt-noted', task: idOf('b'), attempt: attempt('b', 1), number: 1 } as const;
  const evidence = { attempt: attempt('b', 1), nonce: nonceOf('b', 1), ending, handoff, snapshot: left };
  const proven = stateAfter(
    created(frozen),
    intended('b'),
    started('b'),
    judged(context, { phase: 'dispatch', task: idOf('b'), evidence: dispatchEvidence(attempt('b', 1)) }),
    { ...note, note: { note: 'usage', usage } },
    ended,
    judged(context, { phase: 'monitor', task: idOf('b'), evidence }),
  );
  return followed(proven, { type: 'task-held', task: idOf('b'), hold }, ...after);
}

const followed = (state: RunState, ...events: readonly RunEvent[]): RunState =>
  events.reduce<RunState>((before, event) => evolveRun(before, { seq: 0, event }) ?? before, state);

const taskIn = (state: RunState, id: string): TaskState => {
  const found = state.tasks[idOf(id)];
  if (found === undefined) throw new Error(`no task ${id}`);
  return found;
};
const derivedIn = (state: RunState) => deriveResolver(state, taskIn(state, 'b'));

describe('a held task gets a resolver', () => {
  test('that owns the paths of the conflict, and nothing else', () => {
    const made = derivedIn(scene());
    expect(made).toMatchObject({
      task: 'resolve-b-1',
      standsFor: ['b'],
      wave: 0,
      inputs: { ...repair, snapshot: snapshot('b').commit },
      planned: { owns: ['b/a.txt'], shares: [], locks: [], ...resolver, purpose: 'resolver' },
    });
  });

  test('also when it breaks a check', () => {
    const hold = {
      because: 'check',
      check: 'test',
      tree: tree('t'),
      repair: { ...repair, failing: commit('f') },
    } as const;
    const made = derivedIn(scene({ hold, diff: [{ change: 'added' }] }));
    expect(made?.inputs).toMatchObject({ check: 'test', failing: commit('f') });
  });

  test.each<[string, Scene]>([
    ['there is nothing that one could repair', { hold: { because: 'conflict', files: ['b/a.txt'] } }],
    ['it is held for another task', { hold: { because: 'needs', task: idOf('a') } }],
    ['a path is not its own', { hold: { ...conflict, repair: { ...repair, paths: ['b/a.txt', 'a/a.txt'] } } }],
    ['there is no path', { hold: { ...conflict, repair: { ...repair, paths: [] } } }],
    ['a path is a pattern', { hold: { ...conflict, repair: { ...repair, paths: ['b/*'] } } }],
    ['a path configures agents', { hold: { ...conflict, repair: { ...repair, paths: ['b/CLAUDE.md'] } } }],
    ['a file is new, or was renamed', { diff: [{ change: 'added' }] }],
    ['a file is removed', { diff: [{ change: 'deleted' }] }],
    ['a file is not one that it changed', { diff: [{ path: 'b/b.txt' }] }],
    ['its budget is used up', { usd: 99 }],
    [
      'it needs the proof of a person',
      { b: { exit: { completion: null, durability: null, proof: 'live', docs: null } } },
    ],
  ])('unless %s', (_, given) => {
    expect(derivedIn(scene(given))).toBeNull();
  });

  test('unless the plan names none', () => {
    const state = scene();
    const { resolver: _, ...without } = state.plan;
    expect(derivedIn({ ...state, plan: without })).toBeNull();
  });

  test('once for a pair of snapshots, whatever became of it', () => {
    const state = scene();
    const made = derivedIn(state);
    if (made === null) throw new Error('no resolver');
    const after = followed(state, made, { type: 'task-dropped', task: made.task, by: me });
    expect(derivedIn(after)).toBeNull();
    const other = { ...conflict, repair: { ...repair, onto: commit('other') } };
    const again = followed(after, { type: 'task-held', task: idOf('b'), hold: other });
    expect(derivedIn(again)?.task).toBe('resolve-b-2');
  });
});

describe('a derived task', () => {
  const before = scene();
  const made = derivedIn(before);
  if (made === null) throw new Error('no resolver');
  const state = followed(before, made);

  test('is scheduled in its wave, and is no task of the plan', () => {
    expect(plannedIn(state, made.task)?.id).toBe('resolve-b-1');
    expect(derivedOfWave(state, 0).map(({ id }) => id)).toEqual(['resolve-b-1']);
    expect(tasksOfWave(state, 0).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(isBeingResolved(state, taskIn(state, 'b'))).toBe(true);
    expect(
      startable({ ...state, waves: state.waves.map((wave) => ({ ...wave, approval: [] })) }).map(({ id }) => id),
    ).toEqual(['a', 'resolve-b-1']);
  });

  test('uses the budget of the task that it stands for', () => {
    const { limit } = taskSpend(state, taskIn(state, 'b'));
    const used = { ...taskIn(state, 'resolve-b-1').used, usd: limit };
    const spent = { ...state, tasks: { ...state.tasks, [made.task]: { ...taskIn(state, 'resolve-b-1'), used } } };
    for (const id of ['b', 'resolve-b-1']) {
      expect(taskSpend(spent, taskIn(spent, id))).toEqual({ used: limit, limit });
      expect(isOverBudget(spent, taskIn(spent, id))).toBe(true);
    }
    expect(isOverBudget(spent, taskIn(spent, 'a'))).toBe(false);
  });

  test.each<[string, RunEvent]>([
    ['retries', { type: 'task-retried', task: idOf('b'), by: me }],
    ['reworks', { type: 'task-reworked', task: idOf('b'), message: 'again', from: 'base', by: me }],
    ['drops', { type: 'task-dropped', task: idOf('b'), by: me }],
    ['grants a path to', { type: 'task-granted', task: idOf('b'), paths: ['x'], meets: [], by: me }],
  ])('is void once a person %s its task', (_, event) => {
    const after = followed(state, event);
    expect([isVoid(after, made.task), derivedOfWave(after, 0), standInFor(after, idOf('b'))]).toEqual([true, [], null]);
  });

  test('halts its wave when it cannot be launched, until it is void', () => {
    const halt = { rule: 'launch-failed', because: null, before: [] } as const;
    const progress = { status: 'waiting', next: { ...fresh, halt }, last: null } as const;
    const tasks = { ...state.tasks, [made.task]: { ...taskIn(state, 'resolve-b-1'), progress } };
    const halted = { ...state, tasks, waves: state.waves.map((wave) => ({ ...wave, approval: [] })) };
    expect(startable(halted)).toEqual([]);
    const after = followed(halted, { type: 'task-retried', task: idOf('b'), by: me });
    expect(startable(after).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test('is integrated for its task when it is ready', () => {
    const task = taskIn(state, 'resolve-b-1');
    const held = taskIn(state, 'b').progress;
    if (held.status !== 'held') throw new Error('not held');
    const { attempt: own, snapshot: left } = held;
    const progress = { status: 'ready', attempt: own, snapshot: left } as const;
    const ready = { ...state, tasks: { ...state.tasks, [made.task]: { ...task, progress } } };
    expect([mayIntegrate(state, taskIn(state, 'b')), mayIntegrate(ready, taskIn(ready, 'b'))]).toEqual([false, true]);
    const merged = followed(ready, {
      ...{ type: 'merged', wave: 0, round: 1, old: commit('onto'), new: commit('n') },
      tasks: [{ task: idOf('b'), commit: commit('n'), by: made.task }],
    });
    expect(taskIn(merged, 'b').progress).toMatchObject({ status: 'merged', commit: commit('n'), through: made.task });
    expect(taskIn(merged, 'resolve-b-1').progress.status).toBe('done');
  });
});
