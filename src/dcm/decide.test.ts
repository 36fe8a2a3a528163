import { describe, expect, test } from 'vitest';
import { explain } from '../domain/explain/explain.ts';
import { decisionVersions } from '../domain/gates/versions.ts';
import type { DcmEvent, NewDcmSubtask } from '../domain/ledger/dcm-events.ts';
import type { By } from '../domain/ledger/requests.ts';
import { type DcmCommand, decideDcm } from './decide.ts';
import { derivedEventOf } from './derived-events.ts';
import {
  batchStatus,
  countsOf,
  currentDcmWave,
  type DcmSession,
  evolveDcmSession,
  newDcmSession,
  subtaskOf,
  subtasksOfWave,
} from './session.ts';
import { batchConflicts, synthesisOf } from './synthesis.ts';

const by: By = { who: 'Ada', via: 'command' };
const { session: version } = decisionVersions;

const task = (id: string, more: Partial<NewDcmSubtask> = {}): NewDcmSubtask => ({
  id,
  taskId: `t-${id}`,
  agentType: 'backend-laravel',
  agentId: null,
  description: `do ${id}`,
  priority: 5,
  blockedBy: [],
  context: null,
  ...more,
});
const create = (wave: number): DcmCommand => ({ type: 'create-wave', wave, name: null, description: null });
const start = (wave: number): DcmCommand => ({ type: 'start-wave', wave });
const submit = (wave: number, ...subtasks: readonly NewDcmSubtask[]): DcmCommand => ({
  type: 'submit-batch',
  batch: `batch-${subtasks.map(({ id }) => id).join('')}`,
  wave,
  subtasks,
});
const set = (
  subtask: string,
  status: NonNullable<Extract<DcmCommand, { type: 'update-subtask' }>['status']>,
  result?: object,
): DcmCommand => ({
  type: 'update-subtask',
  subtask,
  status,
  ...(result === undefined ? {} : { result: result as Readonly<Record<string, unknown>> }),
});
const complete = (batch: string, failUnfinished = false): DcmCommand => ({
  type: 'complete-batch',
  batch,
  failUnfinished,
});
const transition: DcmCommand = { type: 'transition' };

/** A session in which these were asked for one second after the other; each has to be accepted. */
function sessionAfter(...commands: readonly DcmCommand[]): DcmSession {
  return commands.reduce((state, command, at) => {
    const decided = decideDcm(state, { command, by });
    if (!decided.ok) throw new Error(`${command.type}: ${explain(decided.error).detail}`);
    const time = new Date(Date.UTC(2026, 1, 9, 10, 0, at)).toISOString();
    return decided.value.reduce((next, event) => evolveDcmSession(next, { at: time, event }), state);
  }, newDcmSession('s'));
}
const given = (...commands: readonly DcmCommand[]) => ({
  when: (command: DcmCommand) => decideDcm(sessionAfter(...commands), { command, by }),
});
const refused = (decided: ReturnType<typeof decideDcm>): string | null => (decided.ok ? null : decided.error.rule);
const types = (decided: ReturnType<typeof decideDcm>): readonly string[] =>
  decided.ok ? decided.value.map(({ type }) => type) : [decided.error.rule];

const synthesisIn = (state: DcmSession, id: string) => {
  const batch = state.batches[id];
  return batch === undefined ? null : synthesisOf(state, batch);
};

describe('a wave', () => {
  test('does not overtake one before it that is pending or running', () => {
    expect(refused(given(create(0), create(1)).when(start(1)))).toBe('session-unfinished-wave');
    expect(refused(given(submit(0, task('a')), create(1), start(0)).when(start(1)))).toBe('session-unfinished-wave');
  });

  test('that is running is started again without a fact, one that has ended not at all', () => {
    expect(given(submit(1, task('a')), start(1)).when(start(1))).toEqual({ ok: true, value: [] });
    expect(refused(given(submit(1, task('a')), start(1), set('a', 'completed')).when(start(1)))).toBe(
      'session-ended-wave',
    );
  });

  test('that is there is made again without a fact, and keeps running', () => {
    expect(given(submit(1, task('a')), start(1)).when(create(1))).toEqual({ ok: true, value: [] });
  });

  test('ends by itself with the last of its subtasks: failed if one of them failed', () => {
    const two = [submit(1, task('a'), task('b')), start(1)];
    expect(types(given(...two).when(set('a', 'completed')))).toEqual(['external-subtask-updated']);
    expect(sessionAfter(...two, set('a', 'completed'), set('b', 'completed')).waves[0]).toMatchObject({
      status: 'completed',
    });
    expect(sessionAfter(...two, set('a', 'failed'), set('b', 'completed')).waves[0]).toMatchObject({
      status: 'failed',
    });
  });

  test('that runs without tasks is completed when a later one is started by its number, and by nothing else', () => {
    const empty = given(create(0), start(0), submit(1, task('a')));
    expect(empty.when(start(1))).toEqual({
      ok: true,
      value: [
        { type: 'external-wave-ended', wave: 0, outcome: 'completed', version },
        { type: 'external-wave-started', wave: 1, by, version },
      ],
    });
    for (const command of [transition, set('a', 'running')])
      expect(empty.when(command)).toMatchObject({
        ok: false,
        error: { rule: 'session-unfinished-wave', wave: 0, empty: true },
      });
    expect(refused(given(create(0), start(0), create(1), start(1)).when(submit(0, task('a'))))).toBe(
      'session-ended-wave',
    );
  });

  test('takes no more tasks once it has ended, and none is made before one that has begun', () => {
    const done = [submit(1, task('a')), start(1), set('a', 'completed')];
    expect(refused(given(...done).when(submit(1, task('b'))))).toBe('session-ended-wave');
    expect(refused(given(...done).when(create(0)))).toBe('session-late-wave');
  });

  test('is started by work on one of its subtasks, if its turn has come', () => {
    expect(types(given(submit(0, task('a'), task('b'))).when(set('a', 'running')))).toEqual([
      'external-wave-started',
      'external-subtask-updated',
    ]);
    expect(refused(given(submit(0, task('a')), submit(1, task('b'))).when(set('b', 'completed')))).toBe(
      'session-unfinished-wave',
    );
  });

  test('the running one is current, else the highest that is pending', () => {
    expect(currentDcmWave(sessionAfter(create(0), create(1)))?.number).toBe(1);
    expect(currentDcmWave(sessionAfter(submit(0, task('a')), create(1), start(0)))?.number).toBe(0);
  });
});

describe('a transition', () => {
  test('starts the wave after the one that was completed', () => {
    const decided = given(submit(0, task('a')), create(1), start(0), set('a', 'completed')).when(transition);
    expect(decided).toEqual({ ok: true, value: [{ type: 'external-wave-started', wave: 1, by, version }] });
  });

  test('does not pass over a wave that failed; starting by number does', () => {
    const failed = given(submit(0, task('a')), create(1), start(0), set('a', 'failed'));
    expect(failed.when(transition)).toMatchObject({
      ok: false,
      error: { rule: 'session-no-next-wave', failed: 0, next: 1 },
    });
    expect(types(failed.when(start(1)))).toEqual(['external-wave-started']);
  });

  test('needs a completed wave before, and without a pending one after changes nothing', () => {
    expect(refused(given().when(transition))).toBe('session-no-next-wave');
    expect(refused(given(create(0)).when(transition))).toBe('session-no-next-wave');
    expect(refused(given(submit(0, task('a')), start(0)).when(transition))).toBe('session-unfinished-wave');
    const finished = given(submit(0, task('a')), start(0), set('a', 'completed'));
    expect(finished.when(transition)).toEqual({ ok: true, value: [] });
  });
});

describe('a subtask', () => {
  test('neither runs nor is completed before those that block it are completed', () => {
    const chained = [submit(0, task('a'), task('b', { blockedBy: ['t-a'] })), start(0)];
    expect(refused(given(...chained).when(set('b', 'running')))).toBe('session-blocked');
    expect(refused(given(...chained).when(set('b', 'completed')))).toBe('session-blocked');
    expect(refused(given(...chained, set('a', 'failed')).when(set('b', 'running')))).toBe('session-blocked');
    expect(refused(given(...chained, set('a', 'completed')).when(set('b', 'running')))).toBe(null);
  });

  test('is not blocked by what does not exist, by itself, in a ring, or by a later wave', () => {
    expect(refused(given().when(submit(0, task('a', { blockedBy: ['nobody'] }))))).toBe('session-bad-blocker');
    expect(refused(given().when(submit(0, task('a', { blockedBy: ['a'] }))))).toBe('session-cycle');
    const ring = submit(0, task('a', { blockedBy: ['t-b'] }), task('b', { blockedBy: ['t-a'] }));
    expect(given().when(ring)).toMatchObject({ ok: false, error: { rule: 'session-cycle', ring: ['a', 'b', 'a'] } });
    const chained = given(submit(0, task('a'), task('b', { blockedBy: ['a'] })), submit(1, task('c')));
    expect(refused(chained.when({ type: 'update-subtask', subtask: 'a', blockedBy: ['b'] }))).toBe('session-cycle');
    expect(refused(chained.when({ type: 'update-subtask', subtask: 'a', blockedBy: ['c'] }))).toBe(
      'session-bad-blocker',
    );
    expect(refused(chained.when({ type: 'update-subtask', subtask: 'a', blockedBy: ['constructor'] }))).toBe(
      'session-bad-blocker',
    );
  });

  test('that is settled stays so; saying the same again changes nothing', () => {
    const done = given(submit(0, task('a')), start(0), set('a', 'completed', { files: ['x'] }));
    expect(refused(done.when(set('a', 'running')))).toBe('session-settled-subtask');
    expect(refused(done.when(set('a', 'completed', { files: ['y'] })))).toBe('session-settled-subtask');
    expect(done.when(set('a', 'completed', { files: ['x'] }))).toEqual({ ok: true, value: [] });
  });

  test('that runs does not become pending again', () => {
    expect(refused(given(submit(0, task('a')), start(0), set('a', 'running')).when(set('a', 'pending')))).toBe(
      'session-bad-transition',
    );
  });

  test('keeps priority and context', () => {
    const state = sessionAfter(submit(0, task('a', { priority: 8, context: { branch: 'x' } })));
    expect(subtaskOf(state, 'a')).toMatchObject({ priority: 8, context: { branch: 'x' } });
  });
});

describe('a batch', () => {
  const two = [submit(1, task('a'), task('b')), start(1), set('a', 'running')];

  test('with unfinished work is not completed, unless that is given up', () => {
    expect(given(...two).when(complete('batch-ab'))).toMatchObject({
      ok: false,
      error: {
        rule: 'session-unfinished-batch',
        open: [
          { subtask: 'a', status: 'running' },
          { subtask: 'b', status: 'pending' },
        ],
      },
    });
    const state = sessionAfter(...two, complete('batch-ab', true));
    expect(countsOf(subtasksOfWave(state, 1))).toEqual({ total: 2, completed: 0, failed: 2 });
    expect(state.waves[0]).toMatchObject({ status: 'failed' });
  });

  test('is completed once: again gives no fact, and the same synthesis', () => {
    const done = [...two, set('a', 'completed'), set('b', 'completed'), complete('batch-ab')];
    expect(given(...done).when(complete('batch-ab', true))).toEqual({ ok: true, value: [] });
  });

  test('tells what came of it, with durations from start to end', () => {
    const state = sessionAfter(
      submit(1, task('a'), task('b', { agentType: 'frontend-react' })),
      start(1),
      set('a', 'running'),
      set('b', 'running'),
      set('a', 'completed', { files: ['a.php', './shared.ts'], summary: 'made a' }),
      set('b', 'completed', { files: ['b.tsx', 'src/../shared.ts'] }),
      complete('batch-ab'),
    );
    expect(synthesisIn(state, 'batch-ab')).toEqual({
      summary: 'Wave 1: 2/2 tasks completed. 3 files modified, 1 conflicts.',
      results: [
        {
          agent: 'backend-laravel',
          agent_id: null,
          subtask_id: 'a',
          status: 'completed',
          files: ['a.php', 'shared.ts'],
          summary: 'made a',
          duration_ms: 2000,
        },
        {
          agent: 'frontend-react',
          agent_id: null,
          subtask_id: 'b',
          status: 'completed',
          files: ['b.tsx', 'shared.ts'],
          summary: 'do b',
          duration_ms: 2000,
        },
      ],
      conflicts: [
        {
          type: 'file_conflict',
          severity: 'high',
          agents: ['backend-laravel', 'frontend-react'],
          subtasks: ['a', 'b'],
          description: 'Multiple agents modified the same file: shared.ts',
          files: ['shared.ts'],
        },
      ],
      files_changed: ['a.php', 'shared.ts', 'b.tsx'],
      next_wave_ready: true,
      tokens_saved: 1900,
      stats: {
        total_tasks: 2,
        completed: 2,
        failed: 0,
        files_modified: 3,
        avg_duration_ms: 2000,
        total_duration_ms: 4000,
      },
    });
  });

  test('has a dependency conflict only where what blocks a subtask has failed', () => {
    const chained = [
      submit(0, task('a'), task('b', { blockedBy: ['a'] }), task('c', { description: 'after a' })),
      start(0),
    ];
    const conflicts = (...more: readonly DcmCommand[]) => {
      const state = sessionAfter(...chained, ...more);
      const batch = state.batches['batch-abc'];
      return batch === undefined ? null : batchConflicts(state, batch);
    };
    expect(conflicts(set('a', 'running'))).toEqual([]);
    expect(conflicts(set('a', 'failed'))).toEqual([
      {
        type: 'dependency_conflict',
        severity: 'critical',
        agents: ['backend-laravel', 'backend-laravel'],
        subtasks: ['b', 'a'],
        description: 'Blocked task depends on failed task: t-b needs t-a',
        files: [],
      },
    ]);
  });

  test('counts a subtask from its first start, pauses included, and one never started from when it could have been', () => {
    const state = sessionAfter(
      submit(0, task('a'), task('b')),
      start(0),
      set('a', 'running'),
      set('a', 'paused'),
      set('a', 'running'),
      set('a', 'completed'),
      set('b', 'completed'),
      complete('batch-ab'),
    );
    expect(synthesisIn(state, 'batch-ab')?.results.map(({ duration_ms }) => duration_ms)).toEqual([3000, 5000]);
  });

  test('is not followed by the next wave while another batch of its wave goes on', () => {
    const state = sessionAfter(
      submit(1, task('a')),
      submit(1, task('b')),
      start(1),
      set('a', 'completed'),
      complete('batch-a'),
    );
    expect(synthesisIn(state, 'batch-a')?.next_wave_ready).toBe(false);
    expect(state.batches['batch-b'] && batchStatus(state, state.batches['batch-b'])).toBe('pending');
  });

  test('that is submitted twice under one id is there once', () => {
    expect(given(submit(1, task('a'))).when(submit(1, task('a')))).toEqual({ ok: true, value: [] });
  });
});

test('what looks like a secret is not taken in', () => {
  const token = `ghp_${'a'.repeat(36)}`;
  expect(refused(given().when(submit(0, task('a', { description: `use ${token}` }))))).toBe('session-secret');
});

describe("DCM's events", () => {
  const told = (state: DcmSession, command: DcmCommand) => {
    const decided = decideDcm(state, { command, by });
    const facts = decided.ok ? decided.value : [];
    let next = state;
    return facts.flatMap((event: DcmEvent) => {
      next = evolveDcmSession(next, { at: '2026-02-09T11:00:00.000Z', event });
      return derivedEventOf(event, next) ?? [];
    });
  };

  test('have its names and payloads', () => {
    const submitted = sessionAfter(submit(0, task('a')), create(1));
    expect(told(sessionAfter(), submit(0, task('a')))).toEqual([
      {
        event: 'batch.created',
        data: { batch_id: 'batch-a', session_id: 's', wave_number: 0, total_tasks: 1, subtask_ids: ['a'] },
      },
    ]);
    expect(told(submitted, start(0))).toEqual([
      { event: 'wave.transitioned', data: { session_id: 's', from: -1, to: 0, status: 'running' } },
    ]);
    const running = sessionAfter(submit(0, task('a')), create(1), start(0));
    expect(told(running, set('a', 'completed'))).toMatchObject([
      {
        event: 'wave.completed',
        data: { session_id: 's', wave_number: 0, completed_tasks: 1, failed_tasks: 0, total_tasks: 1 },
      },
    ]);
    expect(told(running, complete('batch-a', true)).map(({ event }) => event)).toEqual([
      'wave.failed',
      'batch.completed',
    ]);
    const done = sessionAfter(submit(0, task('a')), create(1), start(0), set('a', 'completed'));
    expect(told(done, complete('batch-a'))).toEqual([
      {
        event: 'batch.completed',
        data: {
          batch_id: 'batch-a',
          session_id: 's',
          wave_number: 0,
          completed_tasks: 1,
          failed_tasks: 0,
          next_wave_ready: true,
        },
      },
    ]);
    expect(told(done, transition)).toEqual([
      { event: 'wave.transitioned', data: { session_id: 's', from: 0, to: 1, status: 'running' } },
    ]);
  });
});
