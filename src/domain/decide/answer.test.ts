import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { whim } from '../../../test/simulation/person.ts';
import { random } from '../../../test/simulation/random.ts';
import { failure } from '../../../test/support/findings.ts';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  hashOf,
  idOf,
  intended,
  me,
  plan,
  snapshot,
  stateAfter,
  tree,
  you,
} from '../../../test/support/plans.ts';
import { planHash } from '../base/ids.ts';
import { explain } from '../explain/explain.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import type { RunState } from '../run/run.ts';
import { type EndedAttempt, endedAttempt, type Hold, type TaskProgress, type TaskState } from '../run/task.ts';
import { answer, waitsForResume } from './answer.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] } }, { c: {} }]);
const hash = hashOf(frozen);
const a = { task: idOf('a'), by: me };

/** A run with task a in this state. */
function at(
  progress: Partial<TaskProgress> & { readonly status: TaskProgress['status'] },
  ...more: RunEvent[]
): RunState {
  const state = stateAfter(created(frozen), intended('a'), attemptEnded('a'), ...more);
  const task = state.tasks[idOf('a')];
  if (task === undefined) throw new Error('no a');
  const hold: Hold = { because: 'gate', verdicts: [] };
  const held = progress.status === 'held' ? { hold } : {};
  const whole = { ...task.progress, snapshot: snapshot('a'), ...held, ...progress } as TaskProgress;
  return { ...state, tasks: { ...state.tasks, [task.id]: { ...task, progress: whole } } };
}
const held = at({ status: 'held' });
const endedWell = endedAttempt(
  stateAfter(created(frozen), intended('a'), attemptEnded('a')).tasks[idOf('a')] as TaskState,
) as EndedAttempt;
const opened: RunEvent = { type: 'tap-opened', tap: 'start', hash, expires: null };
const reject = (tap: 'start' | 'land'): RequestEvent => ({
  type: 'requested-reject',
  tap,
  hash,
  at: '2026-01-01T00:00:00.000Z',
  by: you,
});

describe('the answer to a request about a task', () => {
  test('is a refusal for one that the plan does not have', () => {
    expect(answer(held, { type: 'requested-retry', task: idOf('z'), by: me })).toEqual({
      ok: false,
      error: { rule: 'no-such-task', run: 'demo-ab12', task: 'z' },
    });
  });

  test('is a refusal when its wave is closed', () => {
    const closed = at({ status: 'dropped', by: me }, { type: 'wave-closed', wave: 0 });
    expect(answer(closed, { type: 'requested-retry', ...a })).toEqual({
      ok: false,
      error: { rule: 'wave-closed', wave: 0 },
    });
  });

  describe('that is being integrated', () => {
    const number = { wave: 0, round: 1 } as const;
    const round: RunEvent = {
      type: 'round-opened',
      ...number,
      base: commit('base'),
      tasks: [{ task: idOf('a'), snapshot: snapshot('a').commit }],
    };
    const disk = failure('disk full');
    const halted: RunEvent = { type: 'run-halted', because: disk };
    const requests = [
      { type: 'requested-drop', paths: [], ...a },
      { type: 'requested-rework', message: 'x', ...a },
      { type: 'requested-grant', paths: ['x'], ...a },
    ] as const;

    test('waits', () => {
      const ready = at({ status: 'ready' }, round);
      for (const request of requests) {
        expect(answer(ready, request)).toEqual({ ok: true, value: 'later' });
        expect(waitsForResume(ready, request)).toBeNull();
      }
    });

    test('gives the round up when the run is halted, and decides as without it', () => {
      const abandonment = { type: 'round-abandoned', ...number, because: { rule: 'round-interrupted', task: 'a' } };
      for (const request of requests) {
        const alone = answer(at({ status: 'ready' }, halted), request);
        expect(alone.ok && Array.isArray(alone.value)).toBe(true);
        expect(answer(at({ status: 'ready' }, round, halted), request)).toEqual({
          ok: true,
          value: [abandonment, ...(alone.ok ? alone.value : [])],
        });
      }
    });

    test('waits for a resume when the run is halted and its branch may have moved', () => {
      const steps = [{ task: idOf('a'), commit: commit('a1'), tree: tree('a1') }];
      const built: RunEvent = { type: 'candidate-built', ...number, base: commit('base'), steps, conflicts: [] };
      const closed = { type: 'phase-judged', phase: 'closure', wave: 0, verdicts: [] } as unknown as RunEvent;
      const intent = { type: 'merge-intended', ...number, old: commit('base'), new: commit('a1'), proof: '' } as const;
      const moving = at({ status: 'ready' }, round, built, closed, intent as RunEvent, halted);
      for (const request of requests) {
        expect(answer(moving, request)).toEqual({ ok: true, value: 'later' });
        expect(waitsForResume(moving, request)).toEqual(disk);
      }
    });
  });

  test('that is halted waits for a resume, unless an agent is only to be ended', () => {
    const disk = failure('disk full');
    const halted: RunEvent = { type: 'run-halted', because: disk };
    const paths: RequestEvent = { type: 'requested-drop', paths: ['x'], ...a };
    expect(waitsForResume(at({ status: 'held' }, halted), paths)).toEqual(disk);
    expect(waitsForResume(at({ status: 'held' }), paths)).toBeNull();
    const drop: RequestEvent = { type: 'requested-drop', paths: [], ...a };
    for (const status of ['launching', 'running', 'ended', 'held'] as const)
      expect(waitsForResume(at({ status }, halted), drop)).toBeNull();
  });

  test('drops it by name, but stops it first when it is at work, and never when it is merged', () => {
    const drop: RequestEvent = { type: 'requested-drop', paths: [], ...a };
    for (const status of ['waiting', 'held', 'failed', 'ready', 'done'] as const)
      expect(answer(at({ status }), drop)).toEqual({ ok: true, value: [{ type: 'task-dropped', ...a }] });
    for (const status of ['launching', 'running', 'ended'] as const)
      expect(answer(at({ status }), drop)).toEqual({ ok: true, value: 'later' });
    expect(answer(at({ status: 'merged' }), drop).ok).toBe(false);
  });

  test('drops paths of a held one only', () => {
    const drop: RequestEvent = { type: 'requested-drop', paths: ['x'], ...a };
    expect(answer(held, drop)).toEqual({ ok: true, value: 'later' });
    expect(answer(at({ status: 'failed' }), drop).ok).toBe(false);
  });

  test('is yes to what has happened already: the merger was faster than its answer', () => {
    for (const path of ['x', 'x/', 'x/y'])
      expect(
        answer(at({ status: 'ready', attempt: { ...endedWell, takenOut: ['x/y'] } }), {
          type: 'requested-drop',
          paths: [path],
          ...a,
        }),
      ).toEqual({
        ok: true,
        value: [],
      });
    const undone: RunEvent = {
      type: 'undone',
      task: null,
      branch: 'main',
      old: commit('n'),
      new: commit('o'),
      exact: true,
    };
    expect(answer(stateAfter(created(frozen), undone), { type: 'requested-undo', task: null, by: me })).toEqual({
      ok: true,
      value: [],
    });
  });

  /** What needs it and has not begun starts on its new result. */
  const restarted = { type: 'task-retried', task: idOf('b'), by: { who: 'tidegate', via: 'policy' } };
  test('retries what is held, failed or dropped', () => {
    const retry: RequestEvent = { type: 'requested-retry', ...a };
    for (const status of ['held', 'failed', 'dropped'] as const)
      expect(answer(at({ status }), retry)).toEqual({ ok: true, value: [{ type: 'task-retried', ...a }, restarted] });
    for (const status of ['running', 'ready', 'merged', 'done'] as const)
      expect(answer(at({ status }), retry).ok).toBe(false);
  });

  test('reworks what is held, failed or ready', () => {
    const rework: RequestEvent = { type: 'requested-rework', message: 'smaller', ...a };
    for (const status of ['failed', 'ready'] as const)
      expect(answer(at({ status }), rework)).toEqual({
        ok: true,
        value: [{ type: 'task-reworked', message: 'smaller', from: snapshot('a').commit, ...a }, restarted],
      });
    expect(answer(at({ status: 'dropped' }), rework).ok).toBe(false);
    const conflict = at({ status: 'held', hold: { because: 'conflict', files: ['a.ts', 'b.ts'] } });
    const findings = [{ rule: 'conflict', files: ['a.ts', 'b.ts'] }];
    expect(answer(conflict, rework)).toMatchObject({
      value: [{ type: 'task-reworked', message: 'smaller', findings }, restarted],
    });
  });

  test('a rework after a failing check hands on what the check printed', () => {
    const log = { file: 'output.log', bytes: 0, kept: 0, sha256: '' };
    const tail = 'ok 1 - adds\nnot ok 2 - subtracts\n\n  expected: 1\n';
    const check = { name: 'test', tree: tree('t'), outcome: 'failed', code: 1, log, tail } as const;
    const broken = at(
      { status: 'held', hold: { because: 'check', check: 'test', tree: tree('t') } },
      { type: 'check-ended', purpose: 'candidate', check },
    );
    expect(answer(broken, { type: 'requested-rework', message: 'mend it', ...a })).toMatchObject({
      value: [
        {
          message: 'mend it',
          findings: [
            { rule: 'check-fails', check: 'test', words: ['ok 1 - adds', 'not ok 2 - subtracts', '  expected: 1'] },
          ],
        },
        restarted,
      ],
    });
  });

  test('grants what no sibling owns', () => {
    const grant = (path: string): RequestEvent => ({ type: 'requested-grant', paths: [path], ...a });
    expect(answer(held, grant('extra.txt'))).toEqual({
      ok: true,
      value: [{ type: 'task-granted', paths: ['extra.txt'], meets: [], ...a }],
    });
  });

  test('meets what its agent asked for only if the grant opens that', () => {
    const asked: RunEvent = {
      type: 'attempt-noted',
      task: idOf('a'),
      attempt: attempt('a', 1),
      number: 1,
      note: { note: 'asked', paths: ['docs/x.md', 'docs/AGENTS.md'], why: '' },
    };
    const state = stateAfter(created(frozen), intended('a'), asked);
    const meets = (path: string) => answer(state, { type: 'requested-grant', paths: [path], ...a });
    expect(meets('docs/**')).toMatchObject({ value: [{ meets: ['docs/x.md'] }] });
    expect(meets('docs/AGENTS.md')).toMatchObject({ value: [{ meets: ['docs/AGENTS.md'] }] });
  });
});

describe('the answer to a request about the run', () => {
  test('follows the tap, for exactly the hash that the person saw', () => {
    const state = stateAfter(created(frozen), opened);
    const approve: RequestEvent = {
      type: 'requested-approve',
      tap: 'start',
      hash,
      at: '2026-01-01T00:00:00.000Z',
      by: me,
    };
    expect(answer(state, approve)).toMatchObject({ ok: true, value: [{ decision: 'approved' }] });
    expect(answer(state, { ...approve, hash: planHash('0'.repeat(64)) }).ok).toBe(false);
    expect(answer(state, { ...approve, tap: 'land' }).ok).toBe(false);
  });

  test('pauses, stops and resumes', () => {
    for (const [asked, done] of [
      ['pause', 'paused'],
      ['stop', 'stopped'],
      ['resume', 'resumed'],
    ] as const)
      expect(answer(held, { type: `requested-${asked}`, by: me })).toEqual({
        ok: true,
        value: [{ type: `run-${done}`, by: me }],
      });
  });

  test('opens the landing anew, already decided, also after a refusal', () => {
    const refused = stateAfter(created(frozen), { type: 'landing-refused', because: failure('x') });
    expect(answer(refused, { type: 'requested-land', by: me })).toMatchObject({
      ok: true,
      value: [
        { type: 'tap-opened', tap: 'land' },
        { type: 'tap-decided', decision: 'approved' },
      ],
    });
  });

  test('lets a landing that was refused and is asked about again be given up, whoever approved it', () => {
    const asked: RunEvent = { type: 'tap-opened', tap: 'land', hash, expires: null };
    const refused = stateAfter(
      created(frozen),
      asked,
      { type: 'tap-decided', tap: 'land', decision: 'approved', hash, by: me },
      { type: 'landing-refused', because: failure('x') },
      asked,
    );
    expect(answer(refused, reject('land'))).toMatchObject({
      ok: true,
      value: [{ type: 'tap-decided', decision: 'rejected' }],
    });
  });

  test('to abandon a halted run also resumes it, so that what is under way can be ended', () => {
    const because = failure('x');
    const halted = stateAfter(created(frozen), { type: 'run-halted', because });
    const abandon: RequestEvent = { type: 'requested-abandon', by: you };
    const [gone, again] = [{ type: 'run-abandoned', by: you } as const, { type: 'run-resumed', by: you } as const];
    expect(answer(halted, abandon)).toEqual({ ok: true, value: [gone, again] });
    expect(answer(stateAfter(created(frozen)), abandon)).toEqual({ ok: true, value: [gone] });
    // it halted again on the way: either command tries once more
    const stuck = stateAfter(created(frozen), gone, { type: 'run-halted', because });
    for (const request of [abandon, { type: 'requested-resume', by: you } as const])
      expect(answer(stuck, request)).toEqual({ ok: true, value: [again] });
    const ending = stateAfter(created(frozen), gone);
    expect(answer(ending, abandon)).toEqual({ ok: true, value: [] });
    expect(answer(ending, { type: 'requested-resume', by: me })).toMatchObject({ error: { rule: 'run-abandoned' } });
  });

  test('does not touch a branch that is being moved', () => {
    const moving = stateAfter(created(frozen), {
      type: 'landing-intended',
      branch: 'main',
      old: commit('base'),
      new: commit('new'),
      worktree: null,
    });
    expect(answer(moving, { type: 'requested-land', by: me }).ok).toBe(false);
  });

  test('undoes only what has landed', () => {
    expect(answer(held, { type: 'requested-undo', task: null, by: me }).ok).toBe(false);
    const landed = stateAfter(created(frozen), {
      type: 'landed',
      branch: 'main',
      old: commit('base'),
      new: commit('new'),
      tasks: [idOf('a')],
      commits: [{ task: idOf('a'), commit: commit('new') }],
    });
    expect(answer(landed, { type: 'requested-undo', task: null, by: me })).toEqual({ ok: true, value: 'later' });
  });

  test('is that it has ended, but for an undo, a late landing and what a halt left over', () => {
    const done = stateAfter(created(frozen), { type: 'run-ended', outcome: 'done' });
    expect(answer(done, { type: 'requested-pause', by: me })).toEqual({
      ok: false,
      error: { rule: 'run-ended', outcome: 'done' },
    });
    expect(answer(done, { type: 'requested-land', by: me })).toEqual({
      ok: false,
      error: { rule: 'nothing-merged' },
    });
    const halted = stateAfter(
      created(frozen),
      { type: 'run-ended', outcome: 'done' },
      { type: 'run-halted', because: failure('x') },
    );
    expect(answer(halted, { type: 'requested-resume', by: me }).ok).toBe(true);
  });
});

describe('for every request in every state', () => {
  const statuses = [
    'waiting',
    'launching',
    'running',
    'ended',
    'ready',
    'done',
    'held',
    'failed',
    'merged',
    'dropped',
  ] as const satisfies readonly TaskProgress['status'][];
  const extras: readonly RunEvent[] = [
    opened,
    { type: 'tap-decided', tap: 'start', decision: 'approved', hash, by: me },
    { type: 'landing-refused', because: failure('x') },
    { type: 'run-ended', outcome: 'done' },
    { type: 'run-halted', because: failure('x') },
    {
      type: 'landed',
      branch: 'main',
      old: commit('base'),
      new: commit('new'),
      tasks: [idOf('a')],
      commits: [{ task: idOf('a'), commit: commit('new') }],
    },
    { type: 'target-observed', commit: null },
    { type: 'landing-rebuilt', onto: commit('base'), commit: commit('new'), tree: tree('new'), conflicts: [] },
    { type: 'wave-closed', wave: 0 },
  ];
  test('there is an answer: events, later, or a reason', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...statuses), fc.subarray([...extras]), (seed, status, more) => {
        const state = at({ status, next: { from: 'base', findings: [], halt: null } } as never, ...more);
        const given = answer(state, whim(random(seed), state));
        if (!given.ok) expect(explain(given.error).detail).not.toBe('');
        else expect(given.value === 'later' || Array.isArray(given.value)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

test('a request that names nobody, or that this version does not know, is refused by name', () => {
  const nameless = { type: 'requested-pause' } as unknown as RequestEvent;
  expect(answer(held, nameless)).toEqual({ ok: false, error: { rule: 'request-unknown', type: 'requested-pause' } });
  const odd = { type: `requested-${'x'.repeat(500)}`, by: me } as unknown as RequestEvent;
  expect(answer(held, odd)).toMatchObject({ ok: false, error: { type: expect.stringMatching(/^.{1,101}$/) } });
});
