import { describe, expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  commit,
  dispatchEvidence,
  type EndSketch,
  ended,
  exited,
  handoff,
  held as heldFence,
  idOf,
  intended,
  me,
  nonceOf,
  plan,
  snapshot,
  started,
  task,
  tree,
} from '../../../test/support/plans.ts';
import { noReport } from '../agents/agent-note.ts';
import type { Finding } from '../findings/finding.ts';
import { judged } from '../gates/judge.ts';
import { failWith, inconclusive } from '../gates/make-verdict.ts';
import type { Verdict } from '../gates/verdict.ts';
import type { RunEvent } from '../ledger/events.ts';
import { policy } from '../settings/policy.ts';
import type { AgentFailure, AgentFailureKind } from '../tool-calls/agent-event.ts';
import { evolveTask } from './evolve-task.ts';
import { strayedFindings } from './recovery.ts';
import { type SettleLimits, settleAttempt } from './settle-attempt.ts';
import { isResolved, isSettled, plannedTask, type TaskState } from './task.ts';

const frozen = plan([{ a: {} }]);
const limits = {
  attempts: 2,
  chain: ['command'],
  freeLaunches: policy.freeLaunches,
  waitedLaunches: policy.waitedLaunches,
  spirals: 2,
};
const planned = task('a');
const context = { plan: frozen, hash: 'h' as never, granted: [] };
const based: RunEvent = { type: 'task-base-made', task: idOf('a'), commit: commit('base'), tree: tree('base') };
const fence = (fenced = heldFence, number = 1): RunEvent =>
  judged(context, {
    phase: 'dispatch',
    task: idOf('a'),
    evidence: dispatchEvidence(attempt('a', number), { fence: fenced }),
  });

/** With what is decided of an attempt once it was judged. */
const evolving =
  (under: SettleLimits) =>
  (state: TaskState, event: RunEvent): TaskState => {
    const next = evolveTask(state, event);
    const isJudged = event.type === 'phase-judged' && event.phase === 'monitor';
    const settled = isJudged ? settleAttempt(next, under) : null;
    return settled === null ? next : evolveTask(next, settled);
  };
const given = (...events: RunEvent[]): TaskState => events.reduce(evolving(limits), plannedTask(planned, 0));

/** One whole attempt, judged by the real gates. */
function attempted(number: number, sketch: EndSketch = {}): readonly RunEvent[] {
  const over = attemptEnded('a', { ...sketch, number });
  if (over.type !== 'attempt-ended') throw new Error('an ended attempt');
  const { ending, handoff: said, snapshot: taken } = over;
  const evidence = { attempt: over.attempt, nonce: nonceOf('a', number), ending, handoff: said, snapshot: taken };
  const verdict = judged(context, { phase: 'monitor', task: idOf('a'), evidence });
  return [intended('a', number), started('a', number), fence(heldFence, number), over, verdict];
}
const good = attempted(1);
const stray = snapshot('a', ['a/a.txt', 'elsewhere/x.txt']);
const by = { task: idOf('a'), by: me };

describe('a task', () => {
  test('waits, is launched, runs, ends and is ready', () => {
    const events = [based, ...good];
    const statuses = events.map((_, index) => given(...events.slice(0, index + 1)).progress.status);
    expect(statuses).toEqual(['waiting', 'launching', 'running', 'running', 'ended', 'ready']);
  });

  test('is done instead of ready when it is read-only', () => {
    const reader = good.reduce(evolving(limits), plannedTask(task('a', { owns: [] }), 0));
    expect(reader.progress.status).toBe('done');
  });

  test('is merged with the commit that the merger made of it, once and for all', () => {
    const merged: RunEvent = {
      type: 'merged',
      wave: 0,
      round: 1,
      old: commit('base'),
      new: commit('a'),
      tasks: [{ task: idOf('a'), commit: commit('a') }],
    };
    expect(given(...good, merged).progress).toMatchObject({
      status: 'merged',
      commit: commit('a'),
      snapshot: snapshot('a'),
    });
    expect(given(...good, { ...merged, tasks: [] }).progress.status).toBe('ready');
  });

  test('is not ready when its fence was not proven, however well it ended', () => {
    const breached = fence({ ...heldFence, canary: 'breached', breaches: [{ breach: 'root' }] });
    const events = good.map((event) =>
      event.type === 'phase-judged' && event.phase === 'dispatch' ? breached : event,
    );
    expect(given(...events).progress).toMatchObject({
      status: 'waiting',
      next: { findings: [{ rule: 'fence', canary: 'breached' }] },
    });
    const unproven = good.filter((event) => !(event.type === 'phase-judged' && event.phase === 'dispatch'));
    expect(given(...unproven).progress.status).toBe('waiting');
  });
});

describe('a chain of agents', () => {
  const chain = { ...limits, chain: ['claude', 'codex'] };
  const byChain = plannedTask(task('a', { agent: ['claude', 'codex'] }), 0);
  const failing = (kind: AgentFailureKind, times: number): TaskState => {
    const trouble = { kind, until: null, words: '' };
    const events = Array.from({ length: times }, (_, index) => attempted(index + 1, { ending: exited(1) })).flat();
    return events.map((event) => withTrouble(event, trouble)).reduce(evolving(chain), byChain);
  };
  const withTrouble = (event: RunEvent, trouble: AgentFailure): RunEvent => {
    if (event.type === 'attempt-ended') return { ...event, agent: { ...noReport, outcome: 'failed', trouble } };
    if (event.type !== 'phase-judged' || event.phase !== 'monitor') return event;
    return { ...event, evidence: { ...event.evidence, agent: { outcome: 'failed', trouble } } };
  };

  test('goes on to the next agent when one is not logged in, and waits when its provider is at its limit', () => {
    expect(failing('needs-login', 1)).toMatchObject({
      turn: 'codex',
      charged: 0,
      progress: { next: { trouble: null } },
    });
    const limited = {
      turn: 'claude',
      charged: 0,
      progress: { next: { trouble: { trouble: { kind: 'rate-limited' } } } },
    };
    expect(failing('rate-limited', 1)).toMatchObject(limited);
  });

  test('goes on to the next agent when a provider keeps failing, not at the first time', () => {
    expect([1, policy.freeLaunches, policy.freeLaunches + 1].map((times) => failing('overloaded', times).turn)).toEqual(
      ['claude', 'claude', 'codex'],
    );
  });

  test('says at its end who else could not do it', () => {
    const missing = attempted(2, {
      ending: ended('launch-failed', { rule: 'program-not-found', program: 'codex' }),
      handoff: { kind: 'absent' },
    });
    const state = missing.reduce(evolving(chain), failing('needs-login', 1));
    expect(state.progress).toMatchObject({
      next: { halt: { rule: 'launch-failed', because: { rule: 'program-not-found' }, before: ['claude'] } },
    });
  });
});

describe('attempts', () => {
  test('that fail are charged and continue from their snapshot with what was wrong', () => {
    const state = given(...attempted(1, { ending: exited(1) }));
    expect(state).toMatchObject({ charged: 1, free: 0, launches: 1 });
    expect(state.progress).toMatchObject({
      status: 'waiting',
      next: {
        from: snapshot('a').commit,
        message: null,
        findings: [{ rule: 'exit', reason: 'exited', code: 1, signal: null }],
        halt: null,
        session: null,
        trouble: null,
        after: 'rejected',
      },
    });
  });

  test('are not more than the limit', () => {
    const state = given(...attempted(1, { ending: exited(1) }), ...attempted(2, { ending: ended('timed-out') }));
    expect(state).toMatchObject({
      charged: 2,
      progress: { status: 'failed', attempt: { ending: ended('timed-out') } },
    });
  });

  test('without a handoff, with a partial one, or in silence are charged', () => {
    for (const sketch of [
      { handoff: { kind: 'absent' } as const },
      { handoff: handoff(nonceOf('a', 1), { status: 'partial' }) },
      { ending: ended('silent'), handoff: { kind: 'absent' } as const },
    ])
      expect(given(...attempted(1, sketch)).charged).toBe(1);
  });

  test('that were lost, stopped or abandoned are free, but not without end', () => {
    for (const reason of ['lost', 'stopped', 'abandoned'] as const) {
      const lose = (number: number) => attempted(number, { ending: ended(reason), handoff: { kind: 'absent' } });
      const times = (count: number) => Array.from({ length: count }, (_, index) => lose(index + 1)).flat();
      expect(given(...times(policy.freeLaunches))).toMatchObject({ charged: 0, free: policy.freeLaunches });
      expect(given(...times(policy.freeLaunches + 1))).toMatchObject({ charged: 1, free: 0 });
      expect(given(...times(2 * (policy.freeLaunches + 1))).progress.status).toBe('failed');
    }
  });

  test('that could not be launched halt the task, cost nothing, and are tried again by resume', () => {
    const failed = attempted(1, {
      ending: ended('launch-failed', { rule: 'program-missing', program: 'x' }),
      handoff: { kind: 'absent' },
    });
    expect(given(...failed)).toMatchObject({
      charged: 0,
      progress: { next: { halt: { rule: 'launch-failed', because: { rule: 'program-missing', program: 'x' } } } },
    });
    const resumed = given(...failed, { type: 'run-resumed', by: me });
    expect(resumed).toMatchObject({ charged: 0, free: 0, progress: { status: 'waiting', next: { halt: null } } });
  });

  test('whose setup failed fail the task at once', () => {
    const npmFails = { rule: 'setup-failed', command: 'npm ci', code: 1, signal: null, words: '' } as const;
    const failed = attempted(1, { ending: ended('setup-failed', npmFails), handoff: { kind: 'absent' } });
    expect(given(...failed)).toMatchObject({ charged: 0, progress: { status: 'failed', snapshot: snapshot('a') } });
  });

  test('without a snapshot prove nothing and continue from where they started', () => {
    expect(given(...attempted(1, { snapshot: null })).progress).toMatchObject({
      status: 'waiting',
      next: { from: commit('base') },
    });
  });
});

describe('a held task', () => {
  const out = attempted(1, { snapshot: stray });
  test('keeps its snapshot and says which gate holds it', () => {
    expect(given(...out)).toMatchObject({
      charged: 0,
      progress: { status: 'held', hold: { because: 'gate' }, snapshot: stray },
    });
  });

  test('is also one whose handoff is stale: the agent says that it is through', () => {
    expect(given(...attempted(1, { handoff: handoff('another') })).progress.status).toBe('held');
  });

  test('is judged again after a grant, without a new attempt', () => {
    const state = given(...out, { type: 'task-granted', paths: ['elsewhere/x.txt'], meets: [], ...by });
    expect(state).toMatchObject({ launches: 1, granted: ['elsewhere/x.txt'] });
    expect(state.progress).toMatchObject({
      status: 'ended',
      attempt: { monitored: null, ending: exited(0) },
      snapshot: stray,
    });
  });

  test('is judged again on the new snapshot after paths were dropped', () => {
    const clean = snapshot('a');
    const state = given(...out, { type: 'paths-dropped', paths: ['elsewhere/x.txt'], snapshot: clean, ...by });
    expect(state.progress).toMatchObject({
      status: 'ended',
      attempt: { takenOut: ['elsewhere/x.txt'] },
      snapshot: clean,
    });
  });

  test('starts clean on a retry, with all its attempts, and is told where it strayed', () => {
    const findings = strayedFindings(given(based, ...out).progress);
    expect(given(based, ...out, { type: 'task-retried', findings, after: 'strayed', ...by })).toMatchObject({
      base: null,
      charged: 0,
      progress: {
        status: 'waiting',
        next: { from: 'base', findings: [{ rule: 'out-of-scope', where: 'elsewhere/x.txt' }], halt: null },
      },
    });
  });

  test('continues from its snapshot on a rework, with what the person wants', () => {
    expect(
      given(based, ...out, { type: 'task-reworked', message: 'smaller', from: stray.commit, ...by }),
    ).toMatchObject({
      base: commit('base'),
      progress: { status: 'waiting', next: { from: stray.commit, message: 'smaller', findings: [], halt: null } },
    });
  });

  test('may be one that conflicts or breaks a check', () => {
    const holds = [
      { because: 'conflict', files: ['x'] },
      { because: 'check', check: 'test', tree: tree('x') },
      { because: 'needs', task: idOf('b') },
    ] as const;
    for (const hold of holds) {
      const held: RunEvent = { type: 'task-held', task: idOf('a'), hold };
      expect(given(...good, held).progress).toMatchObject({ status: 'held', hold });
      expect(given(...good, held, { type: 'task-released', task: idOf('a') }).progress.status).toBe('ready');
    }
    const stands: RunEvent = { type: 'task-held', task: idOf('a'), hold: holds[2] };
    const culprit: RunEvent = { type: 'task-held', task: idOf('a'), hold: holds[1] };
    expect(given(...good, stands, culprit).progress).toMatchObject({ hold: holds[1] });
  });
});

test('a base that cannot be made halts the task until somebody resumes or retries', () => {
  const because = { rule: 'conflict', files: ['x'] } as const;
  const refused: RunEvent = { type: 'task-base-refused', task: idOf('a'), because };
  expect(given(refused).progress).toMatchObject({ status: 'waiting', next: { halt: because } });
  expect(given(refused, { type: 'run-resumed', by: me }).progress).toMatchObject({ next: { halt: null } });
});

test('a dropped task is resolved and settled, and a retry takes that back', () => {
  const dropped = given(...good, { type: 'task-dropped', ...by });
  expect([isResolved(dropped), isSettled(dropped)]).toEqual([true, true]);
  expect(given(...good, { type: 'task-dropped', ...by }, { type: 'task-retried', ...by }).progress.status).toBe(
    'waiting',
  );
});

describe('a task that drafts a plan', () => {
  const mistake: Finding = { rule: 'unknown-need', task: 'x', need: 'y', meant: null, where: 'a.plan.yaml:3:4' };
  const drafted = (number: number, ...verdicts: readonly Verdict[]): readonly RunEvent[] =>
    attempted(number).map((event) =>
      event.type === 'phase-judged' && event.phase === 'monitor'
        ? { ...event, verdicts: [...event.verdicts, ...verdicts] }
        : event,
    );
  const bad = failWith('plan', [mistake]);

  test('is sent back with its mistakes while it has attempts left, and then held for a person', () => {
    const once = given(based, ...drafted(1, bad));
    expect(once).toMatchObject({ charged: 1, progress: { status: 'waiting', next: { after: 'rejected' } } });
    expect(once.progress.status === 'waiting' && once.progress.next.findings).toEqual([mistake]);
    const twice = given(based, ...drafted(1, bad), ...drafted(2, bad));
    expect(twice.progress).toMatchObject({ status: 'held', hold: { because: 'gate' } });
    expect(given(based, ...drafted(1, bad), ...drafted(2)).progress.status).toBe('ready');
  });

  test('is held at once when more than the draft is wrong, or when that could not be read', () => {
    expect(given(based, ...drafted(1, bad, failWith('scope', [mistake]))).progress.status).toBe('held');
    expect(given(based, ...drafted(1, inconclusive('plan', { rule: 'draft-read' }))).progress.status).toBe('held');
  });
});
