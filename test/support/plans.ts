import { hash as digest } from 'node:crypto';
import {
  type AttemptId,
  attemptId,
  type CommitId,
  commitId,
  type PlanHash,
  planHash,
  type RunId,
  runId,
  type TaskId,
  taskId,
  treeId,
} from '../../src/domain/base/ids.ts';
import { present } from '../../src/domain/base/result.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type {
  DiffEntry,
  DispatchEvidence,
  Ending,
  FenceEvidence,
  Handoff,
  HandoffEvidence,
  LogEvidence,
  SnapshotEvidence,
} from '../../src/domain/gates/evidence.ts';
import { keepAtEnd } from '../../src/domain/kept/discard.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { By, RunOrder } from '../../src/domain/ledger/requests.ts';
import { canonicalJson, type FrozenPlan, type PlannedTask } from '../../src/domain/plan/plan.ts';
import { evolveRun, type Recorded, type RunState } from '../../src/domain/run/run.ts';
import type { Attempt } from '../../src/domain/run/task.ts';
import { foldDecided } from './decided.ts';

/** Builders of plans, evidence and events: everything valid, and each test changes the one thing that it is about. */

export const me: By = { who: 'ada', via: 'terminal' };
export const you: By = { who: 'bob', via: 'command' };
export const theRun: RunId = runId('demo-ab12');

/** A full object id that is readable in a failing test: `ab01` -> `ab01000…`. */
export const commit = (short: string | number): CommitId => commitId(hex(`c${short}`));
export const tree = (short: string | number) => treeId(hex(`d${short}`));
const hex = (text: string): string => digest('sha1', text, 'hex');

export type TaskSketch = Partial<Omit<PlannedTask, 'id' | 'needs'>> & { readonly needs?: readonly string[] };
export type PlanSketch = Partial<Omit<FrozenPlan, 'waves' | 'limits' | 'taps'>> & {
  readonly limits?: Partial<FrozenPlan['limits']>;
  readonly taps?: Partial<FrozenPlan['taps']>;
};

export function task(id: string, sketch: TaskSketch = {}): PlannedTask {
  const { needs = [], ...rest } = sketch;
  return {
    id: taskId(id),
    directive: { file: null, text: `Write ${id}/a.txt with the number 1.`, clauses: ['merge-gate'] },
    role: 'impl-core',
    agent: ['command'],
    command: ['true'],
    owns: [`${id}/**`],
    needs: needs.map(taskId),
    reads: [],
    shares: [],
    locks: [],
    model: null,
    priority: 5,
    capabilities: [],
    components: [],
    deliverables: [],
    proofs: [],
    exit: { completion: null, durability: null, proof: null, docs: null },
    allowEmpty: false,
    ...rest,
  };
}

/** A task that owns whatever no other claims; tests name only what they are about. */
export const plannedTask = (id: string, sketch: TaskSketch = {}): PlannedTask => task(id, { owns: null, ...sketch });

/** `plan([{ a: {}, b: { needs: ['a'] } }, { c: {} }])`: two waves, three tasks. */
export function plan(waves: readonly Readonly<Record<string, TaskSketch>>[], sketch: PlanSketch = {}): FrozenPlan {
  const { limits, taps, ...rest } = sketch;
  return {
    version: 1,
    name: 'demo',
    base: 'main',
    land: 'ask',
    dispatch: 'isolated',
    schedule: 'strict',
    strict: false,
    partial: 'merge',
    fence: { mode: 'auto', network: null, read: [], write: [], env: [] },
    limits: {
      parallel: 4,
      attempts: 2,
      minutes: 60,
      silence: 15,
      usd: 10,
      turns: null,
      files: null,
      runUsd: 50,
      ...limits,
    },
    taps: { start: 'run', expiresMinutes: 1440, ...taps },
    setup: null,
    teardown: null,
    checks: [],
    generated: {},
    protect: ['.github/**'],
    forbid: [],
    waves: waves.map((tasks, index) => ({
      name: `wave ${index}`,
      tasks: Object.entries(tasks).map(([id, sketched]) => task(id, sketched)),
    })),
    ...rest,
  };
}

/** A plan of tasks that were made before. */
export const frozenPlan = (waves: readonly (readonly PlannedTask[])[], keys: Partial<FrozenPlan> = {}): FrozenPlan => ({
  ...plan([], { name: 'plan' }),
  waves: waves.map((tasks, index) => ({ name: `wave-${index}`, tasks })),
  ...keys,
});

export const hashOf = (frozen: FrozenPlan): PlanHash => planHash(digest('sha256', canonicalJson(frozen), 'hex'));

export const order = (frozen: FrozenPlan, wave: number | null = null): RunOrder => ({
  run: theRun,
  plan: frozen,
  hash: hashOf(frozen),
  planFile: 'plan.yaml',
  repo: { rootCommit: commit('root'), remotes: [] },
  target: { branch: 'main', commit: commit('base') },
  wave,
  landing: 'as-planned',
  approves: [],
  tidegate: '0',
});

export const created = (frozen: FrozenPlan, wave: number | null = null): RunEvent => ({
  type: 'run-created',
  by: me,
  ...order(frozen, wave),
});

/** The fold of events as one stream holds them, with what the pipeline decides after each. */
export function stateAfter(...events: readonly Recorded['event'][]): RunState {
  const state = foldDecided(events.map((event, index) => ({ seq: index + 1, event })));
  if (state === null) throw new Error('these events make no run');
  return state;
}

/** The state after more events. */
export function stateAfterMore(before: RunState, ...events: readonly Recorded['event'][]): RunState {
  const state = events.reduce<RunState | null>((now, event) => evolveRun(now, { seq: 0, event }), before);
  if (state === null) throw new Error('these events make no run');
  return state;
}

// ── evidence ───────────────────────────────────────────────────────────────────────────────────────────

export const log: LogEvidence = { file: 'output.log', bytes: 0, kept: 0, sha256: '0'.repeat(64) };
export const held: FenceEvidence = { mode: 'bwrap', canary: 'held', uid: 65534, network: 'off' };
export const exited = (code: number): Ending => ({ reason: 'exited', code, signal: null });
export const ended = (reason: Ending['reason'], because?: Finding): Ending => ({
  reason,
  code: null,
  signal: null,
  ...(because && { because }),
});

export function handoff(nonce: string, change: Partial<Handoff> = {}): HandoffEvidence {
  const said: Handoff = { status: 'done', summary: '', remaining: [], files: [], proofs: [], questions: [], nonce };
  return { kind: 'given', via: 'socket', handoff: { ...said, ...change } };
}

export const added = (path: string): DiffEntry => ({ path, change: 'added', oldMode: '000000', newMode: '100644' });

export function snapshot(id: string, paths: readonly string[] = [`${id}/a.txt`]): SnapshotEvidence {
  return {
    commit: commit(`snapshot ${id}`),
    tree: tree(`snapshot ${id}`),
    base: commit('base'),
    diff: paths.map(added),
    refused: [],
    secrets: [],
  };
}

export const dispatchEvidence = (attempt: AttemptId, change: Partial<DispatchEvidence> = {}): DispatchEvidence => ({
  attempt,
  base: commit('base'),
  workspaceBase: commit('base'),
  fence: held,
  agent: { executor: 'command', argv: ['true'] },
  ...change,
});

// ── events of one attempt ──────────────────────────────────────────────────────────────────────────────

export const nonceOf = (id: string, number: number): string => `nonce-${id}-${number}`;
export const attempt = (id: string, number: number): AttemptId => attemptId(theRun, taskId(id), number);
export const idOf = (id: string): TaskId => taskId(id);

export const intended = (id: string, number = 1): RunEvent => ({
  type: 'attempt-intended',
  task: taskId(id),
  attempt: attempt(id, number),
  number,
  nonce: nonceOf(id, number),
  base: commit('base'),
  from: commit('base'),
  agent: 'command',
  provider: '',
  terms: 0,
});

/** What the state makes of it. */
export const firstAttempt = (id: string): Attempt => ({
  id: attempt(id, 1),
  number: 1,
  nonce: nonceOf(id, 1),
  base: commit('base'),
  from: commit('base'),
  agent: 'command',
  provider: '',
  session: null,
  message: null,
  findings: [],
  after: null,
});

export const started = (id: string, number = 1, at?: string): RunEvent => ({
  type: 'attempt-started',
  task: taskId(id),
  attempt: attempt(id, number),
  pid: 7,
  ...present({ at }),
});

export type EndSketch = {
  readonly number?: number;
  readonly ending?: Ending;
  readonly handoff?: HandoffEvidence;
  readonly snapshot?: SnapshotEvidence | null;
};

export function attemptEnded(id: string, sketch: EndSketch = {}): RunEvent {
  const number = sketch.number ?? 1;
  const left = sketch.snapshot === undefined ? snapshot(id) : sketch.snapshot;
  const snapshotProblem = left === null ? ({ rule: 'snapshot-failed', words: 'disk full' } as const) : null;
  return {
    type: 'attempt-ended',
    task: taskId(id),
    attempt: attempt(id, number),
    ending: sketch.ending ?? exited(0),
    handoff: sketch.handoff ?? handoff(nonceOf(id, number)),
    snapshot: left,
    snapshotProblem,
    ...keepAtEnd(undefined, { attempt: attempt(id, number), snapshot: left, snapshotProblem }),
    log,
    reminded: false,
    chargedSeconds: 1,
  };
}
