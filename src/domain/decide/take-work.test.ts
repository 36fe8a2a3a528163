import { describe, expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  exited,
  handoff,
  hashOf,
  idOf,
  intended,
  me,
  nonceOf,
  plan,
  snapshot,
  stateAfter,
  you,
} from '../../../test/support/plans.ts';
import { monitor } from '../../pipeline/monitor.ts';
import type { SnapshotEvidence } from '../gates/evidence.ts';
import { judged } from '../gates/judge.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { evolveRun, type RunState } from '../run/run.ts';
import type { TaskProgress } from '../run/task.ts';
import { answer } from './answer.ts';

const frozen = plan([{ a: {}, b: { needs: ['a'] } }], { limits: { attempts: 1 } });
const context = { plan: frozen, hash: hashOf(frozen), granted: [] };
const task = idOf('a');
const policy = { who: 'tidegate', via: 'policy' };
const partial = handoff(nonceOf('a', 1), { status: 'partial', summary: 'half' });

/** Task a after an attempt that ended in this way, judged and settled by the pipeline itself. */
function leftBy(left: SnapshotEvidence | null, fence: 'held' | 'breached' = 'held', ...more: RunEvent[]): RunState {
  const dispatched = dispatchEvidence(attempt('a', 1), {
    fence: { mode: 'bwrap', canary: fence, uid: 65534, network: 'off' },
  });
  return settled(
    stateAfter(
      created(frozen),
      { type: 'task-base-made', task, commit: commit('base'), tree: snapshot('a').tree },
      intended('a'),
      judged(context, { phase: 'dispatch', task, evidence: dispatched }),
      attemptEnded('a', { handoff: partial, snapshot: left }),
      ...more,
    ),
  );
}

/** What the monitor decides of it, folded in. */
function settled(state: RunState): RunState {
  const [step] = monitor(state);
  if (step?.kind !== 'fact') return state;
  return step.events.reduce<RunState>((one, event) => evolveRun(one, { seq: 0, event }) ?? one, state);
}

/** Answers a request, records what follows, and lets the monitor judge. */
function asked(state: RunState, request: RequestEvent): RunState {
  const answered = answer(state, request);
  if (!answered.ok) throw new Error(answered.error.rule);
  if (answered.value === 'later') throw new Error('the merger has to be asked');
  return settled(answered.value.reduce<RunState>((one, event) => evolveRun(one, { seq: 0, event }) ?? one, state));
}

const progressOf = (state: RunState): TaskProgress | undefined => state.tasks[task]?.progress;
const statusOf = (state: RunState) => progressOf(state)?.status;
const accept = (id = snapshot('a').commit): RequestEvent => ({ type: 'requested-accept', task, snapshot: id, by: me });
const edited = (paths: readonly string[], made = ['a/a.txt', ...paths]): RunEvent => ({
  type: 'task-edited',
  task,
  attempt: attempt('a', 1),
  from: snapshot('a').commit,
  snapshot: { ...snapshot('a', made), commit: commit('edited') },
  paths,
  copy: 'c1',
  by: me,
});

describe('an acceptance', () => {
  test('makes a task ready whose agent left half of it', () => {
    const failed = leftBy(snapshot('a'));
    expect(statusOf(failed)).toBe('failed');
    const taken = asked(failed, accept());
    expect(progressOf(taken)).toMatchObject({
      status: 'ready',
      attempt: { acceptance: { snapshot: snapshot('a').commit, who: 'ada', edited: [] } },
    });
    expect(taken.tasks[task]?.charged).toBe(failed.tasks[task]?.charged);
  });

  test('counts for exactly the snapshot that was shown', () => {
    const failed = leftBy(snapshot('a'));
    expect(answer(failed, accept(commit('other')))).toEqual({
      ok: false,
      error: { rule: 'snapshot-outdated', task, named: commit('other'), newest: snapshot('a').commit },
    });
    // an event that nobody could ask for proves nothing either
    const forged: RunEvent = {
      type: 'task-accepted',
      task,
      attempt: attempt('a', 1),
      snapshot: commit('other'),
      by: me,
    };
    const state = settled(evolveRun(failed, { seq: 0, event: forged }) ?? failed);
    expect(progressOf(state)).toMatchObject({ status: 'held' });
  });

  test('is void once the task begins again, also when it is asked for a second time', () => {
    const failed = leftBy(snapshot('a'));
    const taken = asked(failed, accept());
    expect(answer(taken, accept())).toEqual({ ok: true, value: [] });
    const retried = { type: 'task-retried', task, by: me } as const;
    const again = evolveRun(taken, { seq: 0, event: retried });
    expect(again && answer(again, accept())).toMatchObject({ ok: false, error: { rule: 'task-status' } });
    const second: readonly RunEvent[] = [
      intended('a', 2),
      judged(context, { phase: 'dispatch', task, evidence: dispatchEvidence(attempt('a', 2)) }),
      attemptEnded('a', { number: 2, handoff: { kind: 'absent' }, snapshot: snapshot('other', ['a/a.txt']) }),
    ];
    const next = settled(second.reduce((one, event) => evolveRun(one, { seq: 0, event }), again) as RunState);
    expect(statusOf(next)).toBe('failed');
    expect(answer(next, accept())).toMatchObject({ ok: false, error: { rule: 'snapshot-outdated' } });
  });

  test('waives no other gate: a path out of scope or a secret holds the task, and it starts no agent', () => {
    const strays = asked(leftBy(snapshot('a', ['a/a.txt', 'elsewhere.txt'])), accept());
    expect(progressOf(strays)).toMatchObject({ status: 'held', hold: { because: 'gate' } });
    const leak = { ...snapshot('a'), secrets: [{ rule: 'known-value', where: 'a/a.txt', in: 'content' } as const] };
    expect(statusOf(asked(leftBy(leak), accept()))).toBe('held');
    const refused = { ...snapshot('a'), refused: [{ rule: 'special-file', where: 'a/pipe', kind: 'FIFO' } as const] };
    expect(statusOf(asked(leftBy(refused), accept()))).toBe('held');
    expect(statusOf(asked(leftBy({ ...snapshot('a'), diff: [] }), accept()))).toBe('held');
    const granted = { type: 'requested-grant', task, paths: ['elsewhere.txt'], by: me } as const;
    expect(statusOf(asked(strays, granted))).toBe('ready');
  });

  test('does not outlive a change of the snapshot: what people take out has to be accepted again', () => {
    const strays = asked(leftBy(snapshot('a', ['a/a.txt', 'elsewhere.txt'])), accept());
    const less = { ...snapshot('a'), commit: commit('less') };
    const dropped: RunEvent = { type: 'paths-dropped', task, paths: ['elsewhere.txt'], snapshot: less, by: me };
    const judgedAgain = settled(evolveRun(strays, { seq: 0, event: dropped }) ?? strays);
    expect(statusOf(judgedAgain)).toBe('held');
    expect(statusOf(asked(judgedAgain, accept(less.commit)))).toBe('ready');
  });

  test('is refused where there is nothing to take, where it would change nothing, and for work of an unproven fence', () => {
    expect(answer(leftBy(null), accept())).toMatchObject({ ok: false, error: { rule: 'no-snapshot' } });
    expect(answer(leftBy(snapshot('a'), 'breached'), accept())).toMatchObject({ ok: false });
    const running = stateAfter(created(frozen), intended('a'));
    expect(answer(running, accept())).toMatchObject({ ok: false, error: { rule: 'task-status', action: 'accept' } });
    const strayed = snapshot('a', ['a/a.txt', 'elsewhere.txt']);
    const finished = settled(
      stateAfter(
        created(frozen),
        intended('a'),
        judged(context, { phase: 'dispatch', task, evidence: dispatchEvidence(attempt('a', 1)) }),
        attemptEnded('a', { snapshot: strayed }),
      ),
    );
    expect(statusOf(finished)).toBe('held');
    expect(answer(finished, accept())).toMatchObject({ ok: false, error: { rule: 'accept-needless' } });
  });

  test('takes an exit code as well as a handoff', () => {
    const crashed = settled(
      stateAfter(
        created(frozen),
        intended('a'),
        judged(context, { phase: 'dispatch', task, evidence: dispatchEvidence(attempt('a', 1)) }),
        attemptEnded('a', { ending: exited(1), handoff: { kind: 'absent' } }),
      ),
    );
    expect(statusOf(asked(crashed, accept()))).toBe('ready');
  });
});

describe('an edit', () => {
  const edit = (from = snapshot('a').commit): RequestEvent => ({
    type: 'requested-edit',
    task,
    from,
    copy: 'c1',
    by: me,
  });
  const taken = (state: RunState, event: RunEvent): RunState => settled(evolveRun(state, { seq: 0, event }) ?? state);

  test('is for the merger to take, and accepts exactly what the person left', () => {
    const failed = leftBy(snapshot('a'));
    expect(answer(failed, edit())).toEqual({ ok: true, value: 'later' });
    expect(answer(failed, edit(commit('other')))).toMatchObject({ ok: false, error: { rule: 'snapshot-outdated' } });
    const ready = taken(failed, edited(['a/a.txt'], ['a/a.txt']));
    expect(progressOf(ready)).toMatchObject({
      status: 'ready',
      snapshot: { commit: commit('edited') },
      attempt: { acceptance: { snapshot: commit('edited'), edited: ['a/a.txt'], copy: 'c1' } },
    });
    // the answer got lost, or another copy is handed in that was made of the snapshot before
    expect(answer(ready, edit())).toEqual({ ok: true, value: [{ type: 'task-retried', task: idOf('b'), by: policy }] });
    expect(answer(ready, { ...edit(), copy: 'c2' } as RequestEvent)).toMatchObject({
      ok: false,
      error: { rule: 'snapshot-outdated' },
    });
  });

  test("grants the person's own changes and nothing of the agent's", () => {
    const clean = leftBy(snapshot('a'));
    expect(statusOf(taken(clean, edited(['by-hand.txt'])))).toBe('ready');
    const strayed = leftBy(snapshot('a', ['a/a.txt', 'elsewhere.txt']));
    expect(statusOf(taken(strayed, edited(['by-hand.txt'], ['a/a.txt', 'elsewhere.txt', 'by-hand.txt'])))).toBe('held');
    expect(statusOf(taken(strayed, edited(['elsewhere.txt'])))).toBe('ready');
  });

  test('of a file whose name is a pattern grants that file alone', () => {
    const strayed = leftBy(snapshot('a', ['a/a.txt', '**', 'elsewhere.txt']));
    const state = taken(strayed, edited(['**'], ['a/a.txt', '**', 'elsewhere.txt']));
    expect(statusOf(state)).toBe('held');
  });

  test('lets no name pass that is unsafe for everyone', () => {
    const path = 'a/.git/config';
    const state = taken(leftBy(snapshot('a')), edited([path], ['a/a.txt', path]));
    expect(statusOf(state)).toBe('held');
  });

  test('is refused of a task that is read-only, merged or at work', () => {
    const reading = plan([{ a: { owns: [] } }]);
    const done = stateAfter(
      created(reading),
      intended('a'),
      attemptEnded('a', { snapshot: { ...snapshot('a'), diff: [] } }),
    );
    expect(answer(done, edit())).toMatchObject({ ok: false, error: { rule: 'merges-nothing' } });
    expect(answer(stateAfter(created(frozen), intended('a')), edit())).toMatchObject({
      ok: false,
      error: { rule: 'task-status', action: 'edit' },
    });
  });
});

test('who took it stands in the ledger, whoever asked before', () => {
  const id = snapshot('a').commit;
  expect(answer(leftBy(snapshot('a')), { type: 'requested-accept', task, snapshot: id, by: you })).toEqual({
    ok: true,
    value: [{ type: 'task-accepted', task, attempt: attempt('a', 1), snapshot: id, by: you }],
  });
});
