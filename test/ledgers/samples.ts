import { type DcmCommand, decideDcm } from '../../src/dcm/decide.ts';
import { newDcmSession, withFacts } from '../../src/dcm/session.ts';
import { planHash, runId } from '../../src/domain/base/ids.ts';
import { judged } from '../../src/domain/gates/judge.ts';
import type { DcmEvent, NewDcmSubtask } from '../../src/domain/ledger/dcm-events.ts';
import type { LedgerEvent, RunEvent } from '../../src/domain/ledger/events.ts';
import { foldRun, type RunState } from '../../src/domain/run/run.ts';
import { settleAttempt, settleLimits } from '../../src/domain/run/settle-attempt.ts';
import {
  attempt,
  attemptEnded,
  commit,
  created,
  dispatchEvidence,
  handoff,
  hashOf,
  idOf,
  intended,
  me,
  nonceOf,
  order,
  plan,
  task as planned,
  snapshot,
  started,
  theRun,
  tree,
} from '../support/plans.ts';

/** Events that no run of the simulation has. One of a new type goes here, unless the simulation plays it. */
export const unsimulated: readonly LedgerEvent[] = [
  {
    type: 'orchestrator-intended',
    attempt: attempt('orchestrator', 1),
    number: 1,
    nonce: nonceOf('orchestrator', 1),
    agent: 'command',
    hash: planHash('0'.repeat(64)),
    usd: 5,
    minutes: 240,
    most: 10,
    view: '2s-0000000',
  },
  { type: 'orchestrator-started', attempt: attempt('orchestrator', 1), pid: 4001, prompt: '0'.repeat(64) },
  {
    type: 'orchestrator-noted',
    attempt: attempt('orchestrator', 1),
    number: 1,
    note: { note: 'posted', post: 1, kind: 'orchestrator-guidance', target: 'capability:sql', text: 'sort them' },
    place: { id: '1', to: 'all', status: 'closed', at: '2026-01-01T00:00:00.000Z', tasks: [idOf('a')] },
  },
  { type: 'orchestrator-told', attempt: attempt('orchestrator', 1), view: '2s-0000001' },
  {
    type: 'orchestrator-ended',
    attempt: attempt('orchestrator', 1),
    ending: { reason: 'stopped', code: null, signal: 'SIGTERM' },
    log: { file: 'output.log', bytes: 0, kept: 0, sha256: '0'.repeat(64) },
    chargedSeconds: 3,
    refusals: ['approve demo-ab12'],
  },
  { type: 'thread-intended', wave: 0, key: 'tidegate:demo-ab12:wave-0:0123456789ab' },
  {
    type: 'provider-paused',
    provider: 'anthropic',
    until: '2026-01-01T01:00:00.000Z',
    trouble: { kind: 'rate-limited', until: null, words: 'too many requests' },
    tries: 1,
  },
  { type: 'provider-resumed', provider: 'anthropic' },
  { type: 'starts-suspended', because: { rule: 'memory-short', free: 1_000_000 } },
  { type: 'requested-discard', task: idOf('a'), paths: ['"caf\\351"'], by: me },
  { type: 'starts-allowed' },
  { type: 'message-sent', task: idOf('a'), attempt: attempt('a', 1), message: 'go on', by: me },
  {
    type: 'task-base-refused',
    task: idOf('a'),
    because: { rule: 'needs-conflict', task: idOf('a'), need: idOf('b'), files: ['src/a.ts'] },
  },
  {
    type: 'pull-request-landed',
    branch: 'main',
    commit: commit('tip'),
    tasks: [idOf('a')],
    commits: [{ task: idOf('a'), commit: commit('a') }],
  },
  { type: 'record-closed', record: '1', by: me },
  {
    type: 'requested-proof',
    task: idOf('a'),
    snapshot: commit('a'),
    level: 'live',
    artifacts: [],
    attestation: 'seen on staging',
    by: me,
  },
  { type: 'requested-proof-revoke', bundle: 'proof-1', reason: 'it was another build', by: me },
  { type: 'requested-edit', task: idOf('a'), from: commit('both'), copy: 'a1', by: me },
  { type: 'requested-landing-edit', from: commit('both'), copy: 'a1', by: me },
  {
    type: 'requested-dependency',
    subject: idOf('a'),
    branch: 'main',
    on: 'feature/prices',
    required: true,
    text: 'the price list',
    by: me,
  },
  {
    type: 'dependency-added',
    dependency: 'd1',
    task: idOf('a'),
    branch: 'main',
    on: { branch: 'feature/prices' },
    required: true,
    text: 'the price list',
    by: me,
  },
  { type: 'dependency-unmet', dependency: 'd1', because: 'abandoned' },
  { type: 'requested-dependency-end', dependency: 'd1', end: 'cancelled', reason: 'not needed', by: me },
  { type: 'dependency-cancelled', dependency: 'd1', reason: 'not needed', by: me },
  {
    type: 'dependency-owed',
    dependency: 'd2',
    of: { run: runId('shop-cd34'), task: idOf('b') },
    branch: 'main',
    required: true,
    text: 'the price list',
    by: me,
  },
  {
    type: 'dependency-resolved',
    dependency: 'd2',
    landed: { run: theRun, branch: 'main', commit: commit('tip') },
    reason: 'seen on main',
    by: { who: 'tidegate', via: 'policy' },
  },
  { type: 'run-abandoned', by: me },
  { type: 'requested-abandon', by: me },
  { type: 'requested-send', task: idOf('a'), message: 'mind the gap', by: me },
  { type: 'message-sent', task: idOf('a'), attempt: attempt('a', 1), message: 'mind the gap', by: me },
  { type: 'coordinator-started', epoch: 1, pid: 1, tidegate: '0' },
  { type: 'coordinator-stopped', epoch: 1 },
] satisfies readonly (RunEvent | LedgerEvent)[];

const subtask = (id: string, more: Partial<NewDcmSubtask> = {}): NewDcmSubtask => ({
  id,
  taskId: `t-${id}`,
  agentType: 'backend',
  agentId: null,
  description: `do ${id}`,
  priority: 5,
  blockedBy: [],
  context: null,
  ...more,
});

/** One session that others drive, decided command by command. */
export function sessionEvents(): readonly DcmEvent[] {
  const commands: readonly DcmCommand[] = [
    { type: 'create-wave', wave: 0, name: 'first', description: null },
    { type: 'submit-batch', batch: 'b1', wave: 0, subtasks: [subtask('a'), subtask('b', { blockedBy: ['a'] })] },
    { type: 'start-wave', wave: 0 },
    { type: 'update-subtask', subtask: 'a', status: 'running', agentId: 'one' },
    {
      type: 'record-action',
      action: 'x1',
      subtask: 'a',
      tool: 'Edit',
      toolType: 'builtin',
      exitCode: 0,
      durationMs: 12,
      files: ['src/a.ts'],
    },
    { type: 'update-subtask', subtask: 'a', status: 'completed', result: { files: ['src/a.ts'], summary: 'made a' } },
    { type: 'update-subtask', subtask: 'b', status: 'completed', result: { files: ['src/a.ts'] } },
    { type: 'complete-batch', batch: 'b1', failUnfinished: false },
  ];
  let state = newDcmSession('golden');
  return commands.flatMap((command, at) => {
    const decided = decideDcm(state, { command, key: `k${at}`, by: me });
    if (!decided.ok) throw new Error(`${command.type} is refused: ${decided.error.rule}`);
    state = withFacts(state, decided.value);
    return decided.value;
  });
}

/** Runs in which something happens that the recorded simulations do not have. */
export function stagedRuns(): readonly (readonly RunEvent[])[] {
  const frozen = plan([{ a: {}, b: { needs: ['a'] } }]);
  const context = { plan: frozen, hash: hashOf(frozen), granted: [] };
  const events: RunEvent[] = [created(frozen)];
  const add = (...more: readonly RunEvent[]): void => void events.push(...more);
  for (const id of ['a', 'b']) {
    const ended = attemptEnded(id);
    if (ended.type !== 'attempt-ended') throw new Error('not an end');
    const { attempt: of, ending, handoff, snapshot } = ended;
    // one of them has marks of a conflict, and a person resolved its exit contract
    const sides = { markers: ['b/a.txt'], gone: [] };
    const more = id === 'b' && snapshot !== null ? { resolved: { tree: snapshot.tree, who: me.who }, sides } : {};
    const evidence = { attempt: of, nonce: nonceOf(id, 1), ending, handoff, snapshot, ...more };
    add(
      { type: 'task-base-made', task: idOf(id), commit: commit('base'), tree: tree('base') },
      intended(id),
      started(id),
      judged(context, { phase: 'dispatch', task: idOf(id), evidence: dispatchEvidence(of) }),
      { type: 'attempt-told', task: idOf(id), attempt: of, terms: 1 },
      ended,
      ...(id === 'b' ? [{ type: 'sides-compared', task: idOf(id), snapshot: commit(id), ...sides } as const] : []),
      judged(context, { phase: 'monitor', task: idOf(id), evidence }),
    );
    const task = stateOf(events).tasks[idOf(id)];
    const settled = task === undefined ? null : settleAttempt(task, settleLimits({ plan: frozen }, task));
    if (settled !== null) add(settled);
  }
  add(
    { type: 'task-held', task: idOf('a'), hold: { because: 'conflict', files: ['a/a.txt'] } },
    { type: 'task-held', task: idOf('b'), hold: { because: 'needs', task: idOf('a') } },
    { type: 'task-released', task: idOf('b') },
    { type: 'task-held', task: idOf('b'), hold: { because: 'conflict', files: ['b/a.txt'] } },
    { type: 'paths-dropped', task: idOf('b'), paths: ['b/b.txt'], snapshot: snapshot('b'), by: me },
    { type: 'task-retried', task: idOf('b'), by: me },
    { type: 'task-accepted', task: idOf('a'), attempt: attempt('a', 1), snapshot: commit('a'), by: me },
    { type: 'task-dropped', task: idOf('a'), by: me },
  );
  const reverts = { task: null, branch: 'main', onto: commit('tip'), commit: commit('undo'), tree: tree('undo') };
  const undone: readonly RunEvent[] = [
    created(frozen),
    {
      type: 'landed',
      branch: 'main',
      old: commit('base'),
      new: commit('tip'),
      tasks: [idOf('a')],
      commits: [{ task: idOf('a'), commit: commit('tip') }],
    },
    { type: 'undo-prepared', ...reverts, reverts: [commit('a')] },
    { type: 'undo-refused', task: null, because: { rule: 'branch-gone', branch: 'main' } },
    { type: 'undo-intended', task: null, branch: 'main', old: commit('tip'), new: commit('base') },
    { type: 'undone', task: null, branch: 'main', old: commit('tip'), new: commit('base'), exact: true },
  ];
  const offered: readonly RunEvent[] = [
    created(frozen),
    { type: 'push-intended', branch: 'tidegate/demo-ab12', commit: commit('tip'), remote: 'origin' },
  ];
  const files = ['src/a.ts'];
  const settled: readonly RunEvent[] = [
    created(frozen),
    {
      type: 'landing-refused',
      because: { rule: 'landing-conflicts', run: theRun, branch: 'main', tasks: null, files },
    },
    {
      type: 'landing-edited',
      part: commit('part'),
      from: commit('both'),
      snapshot: commit('left'),
      commit: commit('fit'),
      paths: ['src/a.ts'],
      copy: 'a1',
      by: me,
    },
  ];
  const odd = { rule: 'unfit-name', fault: 'encoding', where: '"caf\\351"' } as const;
  const left: readonly RunEvent[] = [
    created(frozen),
    intended('a'),
    started('a'),
    attemptEnded('a', { snapshot: { ...snapshot('a'), refused: [odd] } }),
    { type: 'kept-discarded', task: idOf('a'), kept: [{ attempt: attempt('a', 1), path: odd.where }], by: me },
  ];
  const asked: readonly RunEvent[] = [
    created(frozen),
    {
      ...{ type: 'record-posted', kind: 'question', target: idOf('a'), text: 'which table?', by: me },
      place: { id: '1', to: idOf('a'), status: 'open' },
    },
    { type: 'record-changed', record: '1', act: 'answer', status: 'answered', answer: 'the first one', by: me },
  ];
  return [events, undone, offered, settled, left, asked, oneWave(), closedWave(), relaunchedWave()];
}

/** A wave that promotes a component and is judged by its closure roles. */
function closedWave(): readonly RunEvent[] {
  const sketch = plan([{ a: { promotes: { api: 'repo-landed' } } }]);
  const docs = { ...planned('wave-1-docs', { role: 'docs', owns: ['docs/**'] }), closes: 'docs' } as const;
  const frozen = { ...sketch, waves: sketch.waves.map((wave) => ({ ...wave, closure: [docs] })) };
  const at = { wave: 0, round: 1 };
  const proof = { task: idOf('a'), snapshot: commit('a'), tree: tree('a'), level: 'live', by: me } as const;
  const file = { kind: 'file', name: 'run.log', sha256: '0'.repeat(64), bytes: 12 } as const;
  return [
    created(frozen),
    {
      type: 'round-opened',
      ...at,
      base: commit('base'),
      tasks: [{ task: idOf('a'), snapshot: commit('a') }],
    },
    {
      type: 'candidate-built',
      ...at,
      base: commit('base'),
      steps: [{ task: idOf('a'), commit: commit('step'), tree: tree('step') }],
      conflicts: [{ task: idOf('b'), files: ['b.txt'], repair: { onto: commit('step'), paths: ['b.txt'] } }],
    },
    {
      type: 'components-promoted',
      ...at,
      levels: { api: 'repo-landed' },
      commit: commit('levels'),
      tree: tree('levels'),
    },
    { type: 'proof-registered', bundle: 'proof-1', ...proof, artifacts: [file], attestation: 'seen on staging' },
    { type: 'proof-revoked', bundle: 'proof-1', reason: 'it was another build', by: me },
    { type: 'role-opened', ...at, task: docs.id, commit: commit('levels'), tree: tree('levels') },
    {
      type: 'candidate-extended',
      ...at,
      task: docs.id,
      snapshot: commit('docs'),
      commit: commit('tip'),
      tree: tree('tip'),
    },
    { type: 'barrier-resolved', wave: 0, barrier: docs.id, tree: tree('levels'), reason: 'read it myself', by: me },
  ];
}

/** A task that continues at no cost, and a selection of a person. */
function relaunchedWave(): readonly RunEvent[] {
  const sketch = plan([{ a: {}, b: {} }]);
  const qa = { ...planned('wave-1-qa', { role: 'qa', owns: [] }), closes: 'qa' } as const;
  const frozen = { ...sketch, waves: sketch.waves.map((wave) => ({ ...wave, closure: [qa] })) };
  const print = '1'.repeat(64);
  const nonce = nonceOf('a', 1);
  const ended = attemptEnded('a', { handoff: handoff(nonce, { status: 'partial', remaining: ['the rest'] }) });
  if (ended.type !== 'attempt-ended') throw new Error('not an end');
  const { ending, handoff: left, snapshot: taken } = ended;
  const evidence = { attempt: attempt('a', 1), nonce, ending, handoff: left, snapshot: taken };
  const base = { commit: commit('base'), tree: tree('base'), of: [{ task: idOf('b'), snapshot: commit('b') }] };
  return [
    created(frozen),
    { type: 'task-base-made', task: idOf('a'), ...base },
    { ...intended('a'), fingerprint: print } as RunEvent,
    ended,
    judged({ plan: frozen, hash: hashOf(frozen), granted: [] }, { phase: 'monitor', task: idOf('a'), evidence }),
    {
      type: 'task-continued',
      ...{ task: idOf('a'), settled: idOf('b'), components: ['api'], from: commit('a'), charged: 1, findings: [] },
    },
    {
      type: 'wave-relaunched',
      wave: 0,
      from: 'implementation',
      clear: [idOf('a')],
      starts: [{ task: idOf('a') }],
      reuses: [{ task: idOf('b'), snapshot: commit('b'), was: print, is: print }],
      roles: [qa.id],
      by: me,
    },
  ];
}

/** A wave that goes on from the branch of an earlier run, of a plan that says which repository it is for. */
function oneWave(): readonly RunEvent[] {
  const frozen = { ...plan([{ a: {} }, { b: { needs: ['a'] } }]), repo: { root: commit('root'), remote: null } };
  const context = { plan: frozen, hash: hashOf(frozen), granted: [] };
  const before = runId('demo-zz99');
  const remotes = [{ name: 'origin', url: 'https://example.org/team/shop' }];
  const asked = {
    ...order(frozen, 1),
    repo: { rootCommit: commit('root'), remotes },
    continues: { run: before, branch: `tidegate/${before}`, commit: commit('a') },
  };
  const { run, planFile, wave, repo } = asked;
  const earlier = [
    ...[{ task: idOf('a'), wave: 0, run: before, status: 'merged', commit: commit('a'), undone: false, inBase: true }],
    ...[{ task: idOf('b'), wave: 1, run: null, status: 'absent', commit: null, undone: false, inBase: false }],
  ] as const;
  const claims = [idOf('a'), idOf('b')].map((task) => ({ task, ...frozen.repo }));
  return [
    { type: 'run-created', by: me, ...asked },
    judged(context, { phase: 'contract', evidence: { run, planFile, planExists: true, wave, earlier } }),
    judged(context, { phase: 'load', evidence: { findings: [], tasks: 2, expected: repo, actual: repo, claims } }),
    { type: 'run-branch-made', commit: commit('mine'), tree: tree('mine'), onto: commit('base') },
    {
      type: 'landed',
      branch: 'main',
      old: commit('base'),
      new: commit('landed'),
      tasks: [idOf('b')],
      commits: [{ task: idOf('b'), commit: commit('landed') }],
    },
  ];
}

function stateOf(events: readonly RunEvent[]): RunState {
  const state = foldRun(events.map((event) => ({ seq: 0, event })));
  if (state === null) throw new Error('no run');
  return state;
}
