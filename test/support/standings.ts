import { attemptId, runId, taskId, treeId } from '../../src/domain/base/ids.ts';
import { sequenceOf } from '../../src/domain/base/sequence.ts';
import type { BoardRecord } from '../../src/domain/board/board.ts';
import type { TapState } from '../../src/domain/decide/tap.ts';
import type { Dependency } from '../../src/domain/dependencies/dependency.ts';
import type { NeedKind } from '../../src/domain/explain/needs.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type { Handoff } from '../../src/domain/gates/evidence.ts';
import { failWith, inconclusive, pass } from '../../src/domain/gates/make-verdict.ts';
import type { Verdict } from '../../src/domain/gates/verdict.ts';
import type { MonitorGate } from '../../src/domain/gates/work-gates.ts';
import { type LandingState, noLanding } from '../../src/domain/landing/landing.ts';
import { pausesProvider } from '../../src/domain/run/recovery.ts';
import type { RoundState } from '../../src/domain/run/round.ts';
import type { RunMode, RunState } from '../../src/domain/run/run.ts';
import {
  fresh,
  type Hold,
  plannedTask as plannedState,
  type TaskProgress,
  type TaskState,
} from '../../src/domain/run/task.ts';
import type { Wait } from '../../src/domain/run/waiting.ts';
import type { AgentFailureKind } from '../../src/domain/tool-calls/agent-event.ts';
import type { RunView } from '../../src/view/run-view.ts';
import { type Why, type WhyContext, whyRun, whyTask } from '../../src/view/why.ts';
import { obstructed } from './obstructed.ts';
import { frozenPlan, plannedTask } from './plans.ts';
import { by, hash, hello, reply, run } from './run-events.ts';
import {
  asked,
  attempt,
  closed,
  commit,
  failedOn,
  held,
  heldBy,
  inRound,
  live,
  log,
  seen,
  snapshot,
  tree,
  waiting,
  withHello,
  withTask,
  working,
} from './standing-states.ts';

/**
 * A run or task in every state that there is, and what `why` says of it. Each table is keyed by the union it goes through, so
 * that a new member without an example does not compile.
 */
export function standings(): Readonly<Record<string, Why>> {
  return Object.fromEntries([
    ...named('mode', modes, (mode) => whyRun(seen({ ...working, mode }), attended)),
    ...named('tap', taps, (tap) => whyRun(seen({ ...asked, taps: { start: tap } }), attended)),
    ...named('land tap', taps, (tap) => whyRun(seen({ ...closed, taps: { land: tap } }), attended)),
    ...named('round', rounds, (round) => whyRun(seen(inRound(round)), attended)),
    ...named('landing', landings, (landing) => whyRun(seen({ ...closed, landing }), attended)),
    ...named('ended', ends, (state) => whyRun(seen(state), attended)),
    ...named('need', needs, (state) => whyRun(seen(state), attended)),
    ...named('task', progresses, (progress) => whyTask(seen(withHello({ progress })), hello, attended)),
    ...named('held by', holds, (hold) => whyTask(seen(held(hold)), hello, attended)),
    ...named('gate', gates, (verdict) =>
      whyTask(seen(withHello({ progress: heldBy({ because: 'gate', verdicts: [verdict] }) })), hello, attended),
    ),
    ...named('waits on', waits, (state) => whyTask(seen(state), reply, attended)),
    ...named('trouble', troubles, (state) => whyTask(seen(state), hello, attended)),
    ...named('around', around, (given) => whyRun(seen(working), given)),
    ...named('task around', around, (given) => whyTask(seen(working), reply, given)),
    ...named('in the way of landing', obstructed, (obstacle) => whyRun(seen(refusedBy(obstacle)), attended)),
    ...named('undo', undos, (state) => whyRun(seen(state), attended)),
    ...named('landed in part', inPart, (say) => say()),
  ]);
}

const named = <K extends string, V>(
  of: string,
  table: Readonly<Record<K, V>>,
  say: (value: V) => Why,
): (readonly [string, Why])[] =>
  (Object.entries(table) as [K, V][]).map(([name, value]) => [`${of}: ${name}`, say(value)] as const);

const attended: WhyContext = { ahead: null, attended: true };
const around: Record<'in line' | 'unattended', WhyContext> = {
  'in line': { ahead: 'older-abcd', attended: true },
  unattended: { ahead: null, attended: false },
};

const modes: Record<RunMode['mode'], RunMode> = {
  active: { mode: 'active' },
  paused: { mode: 'paused', who: 'ada' },
  stopped: { mode: 'stopped', who: 'ada' },
  halted: { mode: 'halted', because: { rule: 'disk-short', free: 0, least: 500e6 } },
};

const taps: Record<TapState['status'], TapState> = {
  pending: { status: 'pending', hash, expires: null },
  held: { status: 'held', hash, by, expires: null },
  approved: { status: 'approved', hash, by },
  rejected: { status: 'rejected', hash, by },
  expired: { status: 'expired', hash, by },
};

const roundOf = { round: 1, base: commit, tasks: [{ task: hello, snapshot: commit }] };
const other = treeId('d'.repeat(40));
const candidate = { steps: [{ task: hello, commit, tree: other }], tip: { commit, tree: other } };
const ending = { reason: 'exited', code: 0, signal: null } as const;
const rounds: Record<RoundState['status'], RoundState> = {
  opened: { ...roundOf, status: 'opened' },
  built: { ...roundOf, ...candidate, status: 'built', conflicts: [] },
  generated: { ...roundOf, ...candidate, status: 'generated', outcome: { ending, snapshot, log, tail: '' } },
  completed: { ...roundOf, ...candidate, status: 'completed' },
  closing: { ...roundOf, ...candidate, status: 'closing', closed: [] },
  merging: { ...roundOf, ...candidate, status: 'merging', closed: [] },
  merged: { ...roundOf, ...candidate, status: 'merged', closed: [], old: commit, new: commit, judged: true },
  abandoned: {
    ...roundOf,
    status: 'abandoned',
    because: { rule: 'round-check', check: 'test', tasks: [hello] },
    suspects: 0,
  },
};

const moving = { branch: 'main', old: commit, new: commit };
const rebuilt = { onto: commit, commit, tree: other, conflicts: [] };
const landings: Record<LandingState['status'], LandingState> = {
  none: noLanding,
  queued: { status: 'queued', seq: 40 },
  observed: { status: 'observed', tip: commit, rebuilt, moves: 1 },
  refused: {
    status: 'refused',
    because: { rule: 'landing-conflicts', run, branch: 'main', tasks: null, files: ['a.md'] },
  },
  intended: { status: 'intended', ...moving, moves: 0 },
  offering: { status: 'offering', branch: 'tidegate/demo-ab12', new: commit, pushed: null, opener: null },
  offered: {
    status: 'offered',
    branch: 'tidegate/demo-ab12',
    new: commit,
    pushed: { remote: 'origin', host: 'github.com', repository: 'ada/shop' },
    url: null,
  },
  landed: { status: 'landed', ...moving },
  undoing: { status: 'undoing', ...moving },
  undone: { status: 'undone', branch: 'main', commit, exact: true },
};

const refusedBy = (because: Finding): RunState => ({ ...closed, landing: { status: 'refused', because } });

const landed: RunState = {
  ...closed,
  ended: 'landed',
  landing: landings.landed,
  undo: { ...closed.undo, status: 'landed', landed: Object.values(closed.tasks).map(({ id }) => id) },
};
const ends: Record<NonNullable<RunState['ended']> | 'undone' | 'red base' | 'kept on its branch', RunState> = {
  landed,
  done: { ...closed, ended: 'done' },
  'kept on its branch': { ...inRound(rounds.merged), ended: 'done' },
  undone: { ...landed, landing: landings.undone },
  rejected: { ...asked, ended: 'rejected' },
  failed: { ...asked, ended: 'failed' },
  abandoned: { ...working, abandoned: by, ended: 'abandoned' },
  'red base': { ...working, ended: 'failed', checks: failedOn },
};

/** `land --only hello`: reply is merged as well, and stays on the run branch. */
const partly: RunState = {
  ...withTask(landed, reply, { progress: { status: 'merged', commit, attempt, snapshot } }),
  ended: 'done',
  waves: inRound(rounds.merged).waves,
  undo: { ...landed.undo, landed: [hello] },
};
const onlyHello: RunState = {
  ...partly,
  undo: closed.undo,
  taps: { land: { status: 'approved', hash, by, tasks: [hello] } },
};
const oneUndone: RunState = { ...partly, undo: { ...partly.undo, tasks: [hello] } };
const inPart: Record<'run' | 'landed task' | 'task left' | 'task undone' | 'run of it' | 'refused', () => Why> = {
  run: () => whyRun(seen(partly), attended),
  'landed task': () => whyTask(seen(partly), hello, attended),
  'task left': () => whyTask(seen(partly), reply, attended),
  'task undone': () => whyTask(seen(oneUndone), hello, attended),
  'run of it': () => whyRun(seen(oneUndone), attended),
  refused: () => whyRun(seen(refusedInPart), attended),
};

/** The same, for whoever shows it in other words. */
export const partlyLanded = (): RunView => seen(partly);
export const partlyUndone = (): RunView => seen(oneUndone);
export const refusedInPart: RunState = { ...onlyHello, landing: landings.refused };

const undoAsked = { seq: 9, request: { type: 'requested-undo', task: null, by } } as const;
const undoing: RunState = { ...landed, pending: [undoAsked] };
const undos: Record<'asked' | 'checked' | 'halted', RunState> = {
  asked: undoing,
  checked: {
    ...undoing,
    plan: inRound(rounds.opened).plan,
    checks: {},
    undo: {
      status: 'landed',
      landed: [],
      commits: {},
      tasks: [],
      prepared: { task: null, branch: 'main', onto: commit, commit, tree: other, reverts: [], tries: 1 },
    },
  },
  halted: { ...undoing, mode: modes.halted },
};

const progresses: Record<TaskProgress['status'], TaskProgress> = {
  waiting,
  launching: { status: 'launching', attempt: live, last: null },
  running: { status: 'running', attempt: live, pid: 1, last: null },
  ended: { status: 'ended', attempt, snapshot },
  ready: { status: 'ready', attempt, snapshot },
  done: { status: 'done', attempt, snapshot },
  held: heldBy({ because: 'conflict', files: ['a.md', 'b.md'] }),
  failed: {
    status: 'failed',
    attempt: {
      ...attempt,
      dispatched: [pass('fence')],
      monitored: [
        failWith('exit', [{ rule: 'exit', reason: 'exited', code: 1, signal: null }]),
        inconclusive('handoff', { rule: 'handoff-present' }),
      ],
    },
    snapshot,
  },
  merged: { status: 'merged', commit, attempt, snapshot },
  dropped: { status: 'dropped', by, last: attempt },
};

const holds: Record<Hold['because'], Hold> = {
  gate: { because: 'gate', verdicts: [inconclusive('changes', { rule: 'changes' })] },
  conflict: { because: 'conflict', files: ['a.md', 'b.md'] },
  check: { because: 'check', check: 'test', tree },
  needs: { because: 'needs', task: reply },
};

const foreign = (where: string): Finding => ({
  rule: 'out-of-scope',
  where,
  task: taskId('hello'),
  change: 'added',
  grantable: true,
  by: null,
  pattern: null,
});
const gates: Record<MonitorGate, Verdict> = {
  secrets: failWith('secrets', [{ rule: 'known-value', in: 'content', where: 'config.js' }]),
  snapshot: failWith('snapshot', [{ rule: 'special-file', kind: 'FIFO', where: 'pipe' }]),
  scope: failWith('scope', [foreign('x.md'), foreign("a b'c.md")]),
  sides: failWith('sides', [{ rule: 'hunk-gone', where: 'a.txt', side: 'theirs', from: 3, to: 4 }]),
  files: failWith('files', [{ rule: 'files', changed: 30, limit: 20 }]),
  plan: failWith('plan', [{ rule: 'unknown-need', task: 'a', need: 'b', meant: null, where: 'x.plan.yaml:3:12' }]),
  changes: inconclusive('changes', { rule: 'changes' }),
  deliverables: failWith('deliverables', [{ rule: 'deliverable-missing', pattern: 'a/b.txt' }]),
  exit: failWith('exit', [{ rule: 'exit', reason: 'exited', code: 0, signal: null }]),
  handoff: failWith('handoff', [{ rule: 'handoff-nonce' }]),
  'exit-contract': failWith('exit-contract', [
    { rule: 'exit-claim', code: 'proof-level-gap', part: 'proof', level: 'integration', claimed: 'unit' },
  ]),
  evidence: inconclusive('evidence', {
    rule: 'proof-missing',
    code: 'missing-proof-artifact',
    path: 'out/report.json',
    fault: 'absent',
  }),
  report: inconclusive('report', { rule: 'role-report-missing', task: taskId('wave-1-qa'), role: 'qa' }),
};

const shares = frozenPlan([
  [
    plannedTask('hello', { owns: ['HELLO.md'], shares: ['p.json'] }),
    plannedTask('reply', { owns: ['REPLY.md'], shares: ['p.json'] }),
  ],
]);
const beside = frozenPlan([
  [plannedTask('hello', { owns: ['HELLO.md'] }), plannedTask('reply', { owns: ['REPLY.md'] })],
]);
const planned = (plan: RunState['plan'], change: Partial<RunState> = {}): RunState => ({ ...working, plan, ...change });
const inWaves = (schedule: 'strict' | 'eager'): RunState =>
  withTask(
    planned(
      frozenPlan([[plannedTask('hello', { owns: ['docs/**'] })], [plannedTask('reply', { owns: ['docs/a.md'] })]], {
        schedule,
      }),
      { waves: [...working.waves, ...asked.waves.map((wave) => ({ ...wave, index: 1 }))] },
    ),
    reply,
    { wave: 1 },
  );
const byClaude = frozenPlan([
  [
    plannedTask('hello', { owns: ['HELLO.md'], agent: ['claude'] }),
    plannedTask('reply', { owns: ['REPLY.md'], agent: ['claude'] }),
  ],
]);
const paused = (kind: AgentFailureKind, until: string | null): RunState => ({
  ...withHello({ progress: waiting }, planned(byClaude)),
  providers: {
    anthropic: { status: 'paused', tries: 1, until, trouble: { kind, until: null, words: 'the provider said so' } },
  },
});
const used = { turns: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, usd: 60 };
const limited = (limits: Partial<RunState['plan']['limits']>): RunState['plan'] => ({
  ...beside,
  limits: { ...beside.limits, ...limits },
});
const starting = (id: string): TaskState => ({
  ...(working.tasks[hello] as TaskState),
  id: taskId(id),
  progress: progresses.launching,
});
const launchingFour = planned(limited({ parallel: 9 }), {
  tasks: {
    ...working.tasks,
    ...Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, starting(id)])),
  },
});
const stuck: TaskProgress = {
  status: 'waiting',
  next: {
    ...fresh,
    halt: { rule: 'launch-failed', because: { rule: 'program-not-found', program: 'claude' }, before: [] },
  },
  last: null,
};
const waits: Record<Wait['on'] | 'need that locks' | 'need that was dropped' | 'budget of the run', RunState> = {
  mode: { ...working, mode: modes.paused },
  launch: withTask(working, reply, { progress: stuck }),
  'wave-halt': withHello({ progress: stuck }, planned(beside)),
  wave: inWaves('strict'),
  earlier: inWaves('eager'),
  need: working,
  'need that locks': planned(
    frozenPlan([[plannedTask('hello', { locks: ['api.yaml'] }), plannedTask('reply', { needs: ['hello'] })]]),
  ),
  'need that was dropped': withHello({ progress: progresses.dropped }),
  approval: { ...asked, plan: beside },
  budget: withTask(planned(beside), reply, { used: { ...used, usd: 12 } }),
  'budget of the run': withHello({ used }, planned(beside)),
  room: planned(beside, {
    shortage: { because: { rule: 'memory-short', free: 300e6 } },
  }),
  'run-branch': planned(beside, { branch: null }),
  'base-check': planned({ ...beside, checks: [{ name: 'test', run: 'npm test', minutes: 10 }] }, { checks: {} }),
  provider: paused('rate-limited', '2026-01-01T12:20:00.000Z'),
  agents: withHello(
    { progress: progresses.running },
    planned({ ...byClaude, limits: { ...byClaude.limits, agents: { claude: 1 } } }),
  ),
  shared: planned(shares),
  place: planned(limited({ parallel: 1 })),
  launches: launchingFour,
  'task-base': planned(beside),
  nothing: withTask(planned(beside), reply, { base: commit }),
};

const until = '2026-01-01T12:20:00.000Z';
const every: Record<AgentFailureKind, string | null> = {
  'rate-limited': until,
  overloaded: until,
  'needs-login': null,
  dropped: until,
  'prompt-too-long': until,
  'turn-limit': until,
  budget: until,
  'unknown-session': until,
  other: until,
};
/** Those that pause a provider. */
const troubles = Object.fromEntries(
  (Object.entries(every) as [AgentFailureKind, string | null][])
    .filter(([kind]) => pausesProvider({ kind, until: null, words: '' }))
    .map(([kind, end]) => [kind, paused(kind, end)]),
);

const question: BoardRecord = {
  id: '1',
  kind: 'question',
  status: 'open',
  target: 'person',
  text: 'Which of the two tables is in use?',
  from: { task: hello, attempt: attemptId(run, hello, 1), post: 1 },
};

const qa = plannedTask('wave-1-qa', { closes: 'qa', owns: [] });
const judgedByRole = inRound(rounds.built);
const reported: Handoff = {
  ...{ status: 'done', summary: '', remaining: [], files: [], proofs: [], questions: [], nonce: 'n' },
  report: { word: 'blocked', findings: ['the import is missing'] },
};
/** QA has reported, and a person has to decide. */
const withRole: RunState = {
  ...judgedByRole,
  plan: { ...judgedByRole.plan, waves: judgedByRole.plan.waves.map((wave) => ({ ...wave, closure: [qa] })) },
  tasks: {
    ...judgedByRole.tasks,
    [qa.id]: {
      ...plannedState(qa, 0),
      launches: 1,
      about: { round: 1, commit, tree: other },
      progress: { status: 'done', attempt: { ...attempt, handoff: { kind: 'given', handoff: reported } }, snapshot },
    },
  },
};

const required: Dependency = {
  id: 'd1',
  side: 'requires',
  task: null,
  other: { run: runId('prices-7f2c') },
  required: true,
  text: 'the new price list',
  by,
  status: 'open',
};

const needs: Record<NeedKind, RunState> = {
  approve: asked,
  land: { ...closed, taps: { land: taps.pending } },
  held: withHello({ progress: progresses.held }),
  failed: withHello({ progress: progresses.failed }),
  blocked: waits['need that was dropped'],
  launch: waits.launch,
  paused: { ...working, mode: modes.paused },
  stopped: { ...working, mode: modes.stopped },
  halted: { ...working, mode: modes.halted },
  disk: waits.room,
  login: paused('needs-login', null),
  budget: waits['budget of the run'],
  scope: withHello({
    progress: {
      status: 'running',
      attempt: { ...live, requested: [{ path: 'src/api.ts', why: 'the type is declared there' }] },
      pid: 1,
      last: null,
    },
  }),
  question: { ...working, board: sequenceOf([question]) },
  barrier: withRole,
  landing: { ...closed, landing: landings.refused },
  requires: { ...closed, dependencies: [required] },
  dependency: { ...closed, dependencies: [{ ...required, status: 'unmet', unmet: 'abandoned' }] },
};
