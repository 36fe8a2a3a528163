import { expect, test } from 'vitest';
import { task } from '../../../test/support/plans.ts';
import { attempt, commit, inRound, seen, snapshot, tree } from '../../../test/support/standing-states.ts';
import type { RoleReport } from '../../domain/closure/report.ts';
import type { RunState } from '../../domain/run/run.ts';
import { plannedTask, type TaskProgress } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { frameOf } from './frame.ts';
import { acceptanceOf } from './list-keys.ts';
import { paneText } from './pane-texts.ts';
import { initialUi, settle } from './ui.ts';

const security = task('wave-1-security', { closes: 'security', owns: [] });
const tip = { commit, tree };
const round = { round: 1, base: commit, tasks: [], status: 'built', conflicts: [], steps: [], tip } as const;
const lists = { remaining: [], files: [], proofs: [], questions: [] };
const around = { ahead: null, attended: true };
const reason = `${'a reason that does not fit into one row of the screen, '.repeat(4)}to its very end`;

/** Security has judged the candidate. */
function judged(report: RoleReport, more: Partial<RunState> = {}): RunState {
  const handoff = { ...lists, status: 'done', summary: '', nonce: 'n', report } as const;
  const progress: TaskProgress = {
    status: 'done',
    attempt: { ...attempt, handoff: { kind: 'given', via: 'socket', handoff } },
    snapshot,
  };
  const base = inRound(round);
  return {
    ...base,
    plan: { ...base.plan, waves: base.plan.waves.map((wave) => ({ ...wave, closure: [security] })) },
    tasks: { ...base.tasks, [security.id]: { ...plannedTask(security, 0), about: { round: 1, ...tip }, progress } },
    ...more,
  };
}

const overruled = (): RunState => {
  const { hash } = inRound(round);
  const land = { status: 'pending', hash, expires: null } as const;
  const state = judged({ word: 'blocked', findings: ['a key in new.txt'] }, { taps: { land } });
  const resolved = [{ barrier: 'wave-1-security', tree, reason, by: { who: 'ada', via: 'command' } as const }];
  return { ...state, waves: state.waves.map((wave) => ({ ...wave, resolved })) };
};

const textOf = (lines: readonly unknown[]): string =>
  lines
    .flat()
    .map((part) => (typeof part === 'string' ? part : (part as { readonly text: string }).text))
    .join('');

test('the question about the landing shows what was resolved, in full', () => {
  const view = seen(overruled());
  const ui = settle(initialUi, view);
  expect(ui.question).toEqual({ asks: 'approve', tap: 'land' });
  const wide = textOf(frameOf(ui, { view, size: { columns: 80, rows: 30 }, around }).foot);
  expect(wide).toContain(`wave-1-security was resolved by ada: ${reason}`);
  expect(wide).toContain('it reported blocked: a key in new.txt');
  const low = textOf(frameOf(ui, { view, size: { columns: 40, rows: 18 }, around }).foot);
  expect(low).toContain(`and more: tidegate show ${view.state.run}`);
});

test('the explanation of a role that the run waits for is shown once', async () => {
  const view = seen(judged({ word: 'blocked', findings: ['a key in new.txt'] }));
  for (const of of [security.id, ...view.state.plan.waves.flatMap(({ tasks }) => tasks.map(({ id }) => id))]) {
    // an explanation reads nothing of the repository
    const text = textOf(await paneText({} as RepositoryHandle, { kind: 'why', task: of })(view, around));
    expect(text.split('a key in new.txt').length - 1).toBeLessThanOrEqual(2);
    expect(text.split('tidegate resolve').length - 1).toBe(1);
  }
});

test('the work of a closure role cannot be accepted', () => {
  const state = judged({ word: 'clear', findings: [] });
  const role = state.tasks[security.id];
  if (role === undefined) throw new Error('no role');
  const monitored = [{ gate: 'exit', outcome: 'fail', findings: [] }] as never;
  const failed = { status: 'failed', attempt: { ...attempt, monitored }, snapshot } as const;
  const { about: _, ...ordinary } = { ...role, progress: failed };
  expect([acceptanceOf({ ...role, progress: failed }), acceptanceOf(ordinary)?.asks]).toEqual([null, 'accept']);
});
