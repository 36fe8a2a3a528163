import { attemptId, commitId, treeId } from '../../src/domain/base/ids.ts';
import type { SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { RoundState } from '../../src/domain/run/round.ts';
import { foldRun, type RunState } from '../../src/domain/run/run.ts';
import {
  type Attempt,
  type EndedAttempt,
  fresh,
  type Hold,
  type LiveAttempt,
  type TaskProgress,
  type TaskState,
} from '../../src/domain/run/task.ts';
import { noUsage } from '../../src/domain/tool-calls/agent-event.ts';
import type { RunView } from '../../src/view/run-view.ts';
import { timesOf } from '../../src/view/task-view.ts';
import { approved, begun, by, hello, reply, run, started } from './run-events.ts';
import { storedFrom } from './viewed.ts';

export const commit = commitId('c'.repeat(40));
export const tree = treeId('e'.repeat(40));
const intended: Attempt = {
  agent: 'claude',
  provider: 'anthropic',
  session: null,
  id: attemptId(run, hello, 1),
  number: 1,
  nonce: 'n',
  base: commit,
  from: commit,
  message: null,
  findings: [],
  after: null,
};
export const live: LiveAttempt = { ...intended, dispatched: null, usage: noUsage, requested: [], terms: 0, noted: 0 };
export const attempt: EndedAttempt = {
  ...intended,
  dispatched: null,
  monitored: null,
  ending: { reason: 'exited', code: 0, signal: null },
  handoff: { kind: 'absent' },
  slept: 0,
  takenOut: [],
};
export const snapshot: SnapshotEvidence = {
  commit,
  tree,
  base: commit,
  diff: [{ path: 'x.md', change: 'added', oldMode: '000000', newMode: '100644' }],
  refused: [],
  secrets: [],
};
export const log = { file: 'output.log', bytes: 0, kept: 0, sha256: '' };
const failedCheck = { name: 'test', tree, outcome: 'failed', code: 1, log, tail: 'ok 1\nnot ok 2 - adds\n' } as const;
export const failedOn = { [`${tree} test`]: failedCheck };

const events = [...begun(), ...approved, ...started];
const stored = storedFrom(events);
const times = { ...timesOf(stored), stood: '2026-01-01T12:00:00.000Z', undo: '2026-01-01T12:00:00.000Z' };
const now = '2026-01-01T12:12:30.000Z';
/** Twelve minutes after it began. */
export const seen = (state: RunState): RunView => ({
  state,
  times: { ...times, ended: state.ended === null ? null : '2026-01-01T12:10:00.000Z' },
  now,
});

const fold = (...of: RunEvent[]): RunState => {
  const state = foldRun(of.map((event, at) => ({ seq: at + 1, event })));
  if (state === null) throw new Error('no run');
  return state;
};
export const asked = fold(...begun());
export const working = fold(...events);
const idle = withHello({ progress: { status: 'ready', attempt, snapshot } });
export const closed: RunState = {
  ...withHello({ progress: { status: 'merged', commit, attempt, snapshot } }),
  waves: working.waves.map((wave) => ({ ...wave, closed: true })),
};

export function withTask(state: RunState, id: TaskState['id'], change: Partial<TaskState>): RunState {
  const task = state.tasks[id];
  if (task === undefined) throw new Error(`no ${id}`);
  return { ...state, tasks: { ...state.tasks, [id]: { ...task, ...change } } };
}
export function withHello(change: Partial<TaskState>, state: RunState = working): RunState {
  return withTask(state, hello, change);
}
export const inRound = (round: RoundState): RunState => ({
  ...withTask(idle, reply, { progress: { status: 'dropped', by, last: attempt } }),
  plan: { ...idle.plan, checks: [{ name: 'test', run: 'npm test', minutes: 10 }] },
  checks: {},
  waves: idle.waves.map((wave) => ({ ...wave, rounds: [round] })),
});
export const held = (hold: Hold): RunState => ({
  ...withTask(withHello({ progress: heldBy(hold) }), reply, {
    progress: heldBy({ because: 'conflict', files: ['a.md'] }),
  }),
  checks: failedOn,
});
export const heldBy = (hold: Hold): TaskProgress => ({ status: 'held', hold, attempt, snapshot });
export const waiting: TaskProgress = { status: 'waiting', next: fresh, last: null };
