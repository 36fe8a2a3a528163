import { attemptId, commitId, planHash, runId, taskId, treeId } from '../../src/domain/base/ids.ts';
import { failWith, pass } from '../../src/domain/gates/make-verdict.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { frozenPlan, plannedTask } from './plans.ts';

/** The facts of a small run in pieces: begun, approved, one task started, ended and held. For folds, not for replay. */
export const by = { who: 'ada', via: 'command' } as const;
export const run = runId('checkout-k3f9');
export const hash = planHash('4f5517b720bb'.padEnd(64, '0'));
const commit = (digit: string) => commitId(digit.repeat(40));
const tree = treeId('e'.repeat(40));
export const [hello, reply] = [taskId('hello'), taskId('reply')];

export const plan = frozenPlan([
  [
    plannedTask('hello', { owns: ['HELLO.md'] }),
    plannedTask('reply', { owns: ['REPLY.md', 'docs/**'], needs: ['hello'] }),
  ],
]);

const created = (frozen = plan): RunEvent => ({
  type: 'run-created',
  by,
  run,
  plan: frozen,
  hash,
  planFile: 'tidegate.plan.yaml',
  repo: { rootCommit: commit('a'), remotes: [] },
  target: { branch: 'main', commit: commit('a') },
  wave: null,
  landing: 'as-planned',
  approves: [],
  tidegate: '0',
});
const judged = (phase: string, wave?: number, extra = {}): RunEvent =>
  ({
    type: 'phase-judged',
    phase,
    ...(wave === undefined ? {} : { wave }),
    evidence: {},
    version: 1,
    verdicts: [pass('round')],
    ...extra,
  }) as unknown as RunEvent;
const checked = ['thread', 'preflight', 'ownership'].map((phase) => judged(phase, 0));
export const begun = (frozen = plan): RunEvent[] => [
  created(frozen),
  judged('contract'),
  judged('load'),
  ...checked,
  { type: 'tap-opened', tap: 'start', hash, expires: null },
];
export const approved: RunEvent[] = [
  { type: 'tap-decided', tap: 'start', decision: 'approved', hash, by },
  judged('approval', 0),
  { type: 'run-branch-made', commit: commit('a'), tree },
];
export const started: RunEvent[] = [
  { type: 'task-base-made', task: hello, commit: commit('a'), tree },
  {
    type: 'attempt-intended',
    task: hello,
    attempt: attemptId(run, hello, 1),
    number: 1,
    nonce: 'n',
    base: commit('a'),
    from: commit('a'),
    agent: 'command',
    provider: '',
    terms: 0,
  },
  { type: 'attempt-started', task: hello, attempt: attemptId(run, hello, 1), pid: 1 },
  judged('dispatch', undefined, { task: hello }),
];
export const ended: RunEvent = {
  type: 'attempt-ended',
  task: hello,
  attempt: attemptId(run, hello, 1),
  ending: { reason: 'exited', code: 0, signal: null },
  handoff: {
    kind: 'given',
    via: 'socket',
    handoff: { status: 'done', summary: 's', remaining: [], files: [], proofs: [], questions: [], nonce: 'n' },
  },
  snapshot: {
    commit: commit('b'),
    tree,
    base: commit('a'),
    diff: [{ path: 'x.md', change: 'added', oldMode: '000000', newMode: '100644' }],
    refused: [],
    secrets: [],
  },
  snapshotProblem: null,
  kept: [],
  version: 1,
  log: { file: 'output.log', bytes: 0, kept: 0, sha256: '' },
  reminded: false,
  chargedSeconds: 1,
} as RunEvent;
const evidenceOfEnded = {
  attempt: attemptId(run, hello, 1),
  nonce: 'n',
  ...(ended.type === 'attempt-ended' ? { ending: ended.ending, handoff: ended.handoff, snapshot: ended.snapshot } : {}),
};
const refused: RunEvent = judged('monitor', undefined, {
  task: hello,
  evidence: evidenceOfEnded,
  verdicts: [
    failWith('scope', [
      { rule: 'out-of-scope', where: 'x.md', task: hello, change: 'added', grantable: true, by: null, pattern: null },
    ]),
  ],
});

/** Its gates refuse what it changed, and it is held. */
export const held: readonly RunEvent[] = [
  refused,
  {
    type: 'attempt-settled',
    task: hello,
    attempt: attemptId(run, hello, 1),
    version: 1,
    charged: 0,
    free: 0,
    spirals: 0,
    turn: 'command',
    decision: { becomes: 'held' },
    limits: { attempts: 2, chain: ['command'], freeLaunches: 3, waitedLaunches: 50, spirals: 2 },
  },
];
