import { describe, expect, test } from 'vitest';
import { typed } from '../../../test/simulation/person.ts';
import { simulate } from '../../../test/simulation/simulate.ts';
import { failure } from '../../../test/support/findings.ts';
import {
  attemptEnded,
  created,
  hashOf,
  idOf,
  intended,
  me,
  plan,
  snapshot,
  stateAfter,
  tree,
} from '../../../test/support/plans.ts';
import { steps } from '../../pipeline/steps.ts';
import { continuesByItself } from '../agents/provider.ts';
import { failWith } from '../gates/make-verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { evolveRun, type RunState } from '../run/run.ts';
import type { Hold, TaskProgress } from '../run/task.ts';
import { needsOf } from './needs.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] } }]);
const hash = hashOf(frozen);
const run = (...events: RunEvent[]): RunState => stateAfter(created(frozen), ...events);

function held(hold: Hold): RunState {
  const state = run(intended('a'), attemptEnded('a'));
  const task = state.tasks[idOf('a')];
  if (task === undefined) throw new Error('no a');
  const progress = { ...task.progress, status: 'held', hold, snapshot: snapshot('a') } as TaskProgress;
  return { ...state, tasks: { ...state.tasks, [task.id]: { ...task, progress } } };
}
const commands = (state: RunState): readonly string[] => needsOf(state).map(({ command }) => command);

describe('a run tells a person', () => {
  test('nothing while it goes on by itself or has ended', () => {
    expect(needsOf(run())).toEqual([]);
    expect(needsOf(run({ type: 'run-paused', by: me }, { type: 'run-ended', outcome: 'done' }))).toEqual([]);
  });

  test('to approve, also when somebody holds it', () => {
    const opened: RunEvent = { type: 'tap-opened', tap: 'start', hash, expires: null };
    const hold: RunEvent = { type: 'tap-decided', tap: 'start', decision: 'held', hash, by: me };
    expect(needsOf(run(opened))).toEqual([
      {
        kind: 'approve',
        task: null,
        message: '2 tasks are waiting for approval',
        safe: `nothing has started; to reject the plan: tidegate reject demo-ab12`,
        command: 'tidegate approve demo-ab12',
      },
    ]);
    expect(needsOf(run(opened, hold))[0]?.message).toBe('2 tasks are waiting for approval (put on hold by ada)');
  });

  test('to land', () => {
    expect(commands(run({ type: 'tap-opened', tap: 'land', hash, expires: null }))).toEqual([
      'tidegate land demo-ab12',
    ]);
    expect(commands(run({ type: 'landing-refused', because: { rule: 'submodules-move', files: ['f'] } }))).toEqual([
      'tidegate land demo-ab12',
    ]);
  });

  test('to resume whatever paused, stopped or halted it, with what mends it', () => {
    expect(commands(run({ type: 'run-paused', by: me }))).toEqual(['tidegate resume demo-ab12']);
    expect(commands(run({ type: 'run-stopped', by: me }))).toEqual(['tidegate resume demo-ab12']);
    expect(needsOf(run({ type: 'run-halted', because: { rule: 'run-branch-gone' } }))).toMatchObject([
      {
        kind: 'halted',
        task: null,
        message: 'the run branch is missing from the bare repository',
        first: 'tidegate verify',
        command: 'tidegate resume demo-ab12',
      },
    ]);
  });

  test('to grant what was out of scope, or to drop it where nothing can be granted', () => {
    const scope = (grantable: boolean): Hold => ({
      because: 'gate',
      verdicts: [
        failWith('scope', [
          {
            rule: 'out-of-scope',
            where: 'x.txt',
            task: idOf('a'),
            change: 'added',
            grantable,
            by: null,
            pattern: null,
          },
        ]),
      ],
    });
    expect(commands(held(scope(true)))).toEqual(['tidegate grant demo-ab12/a x.txt']);
    expect(commands(held(scope(false)))).toEqual(['tidegate drop demo-ab12/a x.txt']);
  });

  test('to rework, retry or drop what holds the rest up', () => {
    expect(commands(held({ because: 'check', check: 'test', tree: tree('x') }))).toEqual([
      "tidegate rework demo-ab12/a -m 'the check test fails'",
    ]);
    expect(commands(held({ because: 'conflict', files: ['x'] }))).toEqual([
      "tidegate rework demo-ab12/a -m 'it conflicts with merged work in x'",
    ]);
    expect(commands(run({ type: 'task-dropped', task: idOf('a'), by: me }))).toEqual(['tidegate drop demo-ab12/b']);
    expect(commands(run({ type: 'task-base-refused', task: idOf('a'), because: failure('x') }))).toEqual([
      'tidegate resume demo-ab12',
    ]);
  });
});

test('whenever nothing follows from a run that has not ended, every need has a command that can be typed', async () => {
  const given = { now: '2026-01-01T00:00:00.000Z', nonce: () => 'n' };
  let idle = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const { stored } = await simulate(seed, { misfortunes: 20, whims: 10, crashes: 0 });
    let state: RunState | null = null;
    for (const [at, record] of stored.entries()) {
      state = evolveRun(state, record);
      // the end is in one append with what it follows from
      if (stored[at + 1]?.event.type === 'run-ended') continue;
      if (state === null || state.ended !== null || state.pending.length > 0 || state.contract === null) continue;
      if (steps(state, given).length > 0 || continuesByItself(state)) continue;
      idle += 1;
      const needs = needsOf(state);
      expect({ seed, seq: record.seq, needs: needs.length }).not.toEqual({ seed, seq: record.seq, needs: 0 });
      for (const need of needs) expect(typed(state, need).type).toMatch(/^requested-/);
    }
  }
  expect(idle).toBeGreaterThan(50);
});

test('an open question outlives its run, however that ended, and can still be answered', () => {
  const question: RunEvent = {
    ...{ type: 'record-posted', kind: 'question', target: 'person', text: 'which table?', severity: 'critical' },
    ...{ place: { id: '1', to: 'person', status: 'open' }, by: me },
  };
  for (const outcome of ['landed', 'done', 'failed', 'rejected', 'abandoned'] as const) {
    const over = run(question, { type: 'run-ended', outcome });
    expect([outcome, needsOf(over)]).toMatchObject([outcome, [{ kind: 'question', record: '1' }]]);
    const answered = { type: 'record-answered', record: '1', text: 'the second', by: me } as const;
    expect(needsOf(run(question, { type: 'run-ended', outcome }, answered))).toEqual([]);
    // only a run that ended on its own branch may still land
    expect(needsOf(over)[0]?.safe.includes('land')).toBe(outcome === 'done');
  }
});
