import { describe, expect, test } from 'vitest';
import {
  added,
  attempt,
  commit,
  dispatchEvidence,
  ended,
  exited,
  handoff,
  held,
  idOf,
  log,
  plan,
  snapshot,
  task,
  tree,
} from '../../../test/support/plans.ts';
import { planHash, runId } from '../base/ids.ts';
import { explain } from '../explain/explain.ts';
import type { Finding } from '../findings/finding.ts';
import type {
  CheckOutcome,
  ContractEvidence,
  EarlierTask,
  MonitorEvidence,
  PreflightEvidence,
  RepoClaim,
} from './evidence.ts';
import { judgeClosure, judgeContract, judgeLoad, judgeMerge, judgePreflight, judgeThread } from './start-gates.ts';
import { passes, type Verdict } from './verdict.ts';
import { judgeApproval, judgeDispatch, judgeMonitor, monitorGates } from './work-gates.ts';

const rulesOf = (verdicts: readonly Verdict[]): readonly string[] =>
  verdicts.flatMap((verdict) => (verdict.outcome === 'fail' ? verdict.findings.map(({ rule }) => rule) : []));
const unsure = (verdicts: readonly Verdict[]): readonly string[] =>
  verdicts.flatMap((verdict) => (verdict.outcome === 'inconclusive' ? [verdict.gate] : []));

describe('contract', () => {
  const two = plan([{ a: {}, aside: {} }, { b: { needs: ['a'] } }]);
  const fine: ContractEvidence = { run: 'demo-ab12', planFile: 'p.yaml', planExists: true, wave: null };
  const left = (task: string, more: Partial<EarlierTask> = {}): EarlierTask => ({
    ...{ task: idOf(task), wave: 0, run: runId('demo-zz99'), status: 'merged' as const },
    ...{ commit: commit(task), undone: false, inBase: true },
    ...more,
  });
  const asked = (wave: number, ...earlier: EarlierTask[]) => judgeContract(two, { ...fine, wave, earlier });
  const fixes = (verdicts: readonly Verdict[]) =>
    verdicts.flatMap((verdict) =>
      verdict.outcome === 'fail' ? verdict.findings.map((found) => explain(found).fix) : [],
    );

  test('passes for a real run of a plan that exists', () => {
    expect(passes(judgeContract(two, fine))).toBe(true);
    expect(passes(asked(0))).toBe(true);
  });
  test('refuses a run without an id, a missing plan and a wave that skips an open one', () => {
    expect(rulesOf(judgeContract(two, { ...fine, run: 'wave-unset' }))).toEqual(['run-id']);
    expect(rulesOf(judgeContract(two, { ...fine, run: '../x' }))).toEqual(['run-id']);
    expect(rulesOf(judgeContract(two, { ...fine, planExists: false }))).toEqual(['plan-exists']);
    expect(rulesOf(asked(1))).toEqual(['wave-missing']);
    expect(rulesOf(asked(7))).toEqual(['wave-order']);
    expect(rulesOf(asked(0, left('a'), left('aside')))).toEqual(['wave-order']);
  });
  test('counts a task of an earlier wave by its commit, not by what a run says of itself', () => {
    expect(passes(asked(1, left('a'), left('aside', { status: 'done', commit: null, inBase: false })))).toBe(true);
    expect(passes(asked(1, left('a'), left('aside', { status: 'dropped', commit: null, inBase: false })))).toBe(true);
    const aside = left('aside');
    const again = 'tidegate run p.yaml --wave 1';
    const cases = [
      [{ inBase: false }, again],
      [{ undone: true }, again],
      [{ status: 'dropped', commit: null, inBase: false }, again],
      [{ commit: null, inBase: false }, 'tidegate land demo-zz99'],
      [{ branch: 'tidegate/demo-zz99', inBase: false }, 'git merge tidegate/demo-zz99'],
      [{ status: 'open', commit: null, inBase: false }, 'tidegate why demo-zz99'],
    ] as const;
    for (const [more, fix] of cases) {
      const verdicts = asked(1, left('a', more), aside);
      expect([rulesOf(verdicts), fixes(verdicts)]).toEqual([['wave-missing'], [fix]]);
    }
  });
});

describe('load', () => {
  const here = { rootCommit: commit('root'), remotes: [] };
  const fine = { findings: [], tasks: 1, expected: here, actual: here };
  test('passes in the repository that the plan was written for', () => {
    expect(passes(judgeLoad(fine))).toBe(true);
    expect(passes(judgeLoad({ ...fine, expected: null }))).toBe(true);
  });
  test('refuses another repository, an empty plan and every finding', () => {
    expect(rulesOf(judgeLoad({ ...fine, actual: { ...here, rootCommit: commit('other') } }))).toEqual(['repository']);
    expect(unsure(judgeLoad({ ...fine, tasks: 0 }))).toEqual(['load']);
    expect(rulesOf(judgeLoad({ ...fine, findings: [{ rule: 'cycle', tasks: ['a', 'a'] }] }))).toEqual(['cycle']);
  });
});

describe('what `repo:` says is judged for each task', () => {
  const remotes = [
    { name: 'fork', url: 'https://other/x' },
    { name: 'origin', url: 'git@example.org:team/shop.git' },
  ];
  const actual = { rootCommit: commit('root'), remotes };
  const verdicts = (...claims: readonly Omit<RepoClaim, 'task'>[]) =>
    judgeLoad({
      ...{ findings: [], tasks: 1, expected: null, actual },
      claims: claims.map((claim, at) => ({ task: idOf(`t${at}`), ...claim })),
    });
  test('passes for its first commit and any of its remotes, however they are written', () => {
    for (const remote of [
      'https://example.org/team/shop',
      'ssh://git@Example.org:22/team/shop.git/',
      'https://other/x',
    ])
      expect(passes(verdicts({ root: commit('root').slice(0, 12), remote }))).toBe(true);
  });
  test('refuses another first commit or remote, with the tasks that say so', () => {
    const elsewhere = { root: null, remote: 'https://example.org/team/other' };
    const [, repository] = verdicts({ root: commit('other'), remote: null }, elsewhere, elsewhere);
    expect(repository).toMatchObject({
      outcome: 'fail',
      findings: [
        { rule: 'repo-claim', of: 'root', tasks: ['t0'] },
        { rule: 'repo-claim', of: 'remote', tasks: ['t1', 't2'], actual: 'git@example.org:team/shop.git' },
      ],
    });
  });
});

test('thread needs an id', () => {
  expect(passes(judgeThread({ board: 'builtin', id: 'x' }))).toBe(true);
  expect(unsure(judgeThread({ board: 'builtin', id: '' }))).toEqual(['thread']);
});

describe('preflight', () => {
  const frozen = plan([{ a: {} }, {}]);
  const directive = { task: 'a', file: null };
  const clean: PreflightEvidence = {
    errors: [],
    warnings: [{ rule: 'directive-vague', words: 'Tidy up', ...directive }],
  };
  test('passes when every directive is complete; warnings are only shown', () => {
    expect(passes(judgePreflight(frozen, 0, clean))).toBe(true);
  });
  test('refuses errors, and cannot judge an empty wave', () => {
    const errors: PreflightEvidence['errors'] = [{ rule: 'merge-gate', ...directive }];
    expect(rulesOf(judgePreflight(frozen, 0, { ...clean, errors }))).toEqual(['merge-gate']);
    expect(unsure(judgePreflight(frozen, 1, clean))).toEqual(['directives']);
  });
});

describe('approval', () => {
  const hash = planHash('a'.repeat(64));
  test('passes only on a yes to this plan', () => {
    expect(passes(judgeApproval(hash, { decision: 'approved', hash }))).toBe(true);
    expect(rulesOf(judgeApproval(hash, { decision: 'approved', hash: planHash('b'.repeat(64)) }))).toEqual([
      'plan-hash',
    ]);
  });
  test('is never given by time, a hold or silence', () => {
    expect(rulesOf(judgeApproval(hash, { decision: 'expired', hash }))).toEqual(['approval']);
    expect(rulesOf(judgeApproval(hash, { decision: 'rejected', hash }))).toEqual(['approval']);
    expect(unsure(judgeApproval(hash, { decision: 'pending', hash }))).toEqual(['approval']);
    expect(unsure(judgeApproval(hash, { decision: 'held', hash }))).toEqual(['approval']);
  });
});

describe('dispatch', () => {
  const fenced = plan([{ a: {} }]);
  const evidence = dispatchEvidence(attempt('a', 1));
  test('passes when the workspace is the recorded one and the fence held', () => {
    expect(passes(judgeDispatch(fenced, evidence))).toBe(true);
  });
  test('refuses another base, a breach, and a waiver that the plan does not give', () => {
    const open = { ...held, mode: 'none', canary: 'waived' } as const;
    const waived = plan([{ a: {} }], { fence: { ...fenced.fence, mode: 'none' } });
    expect(rulesOf(judgeDispatch(fenced, { ...evidence, workspaceBase: commit('x') }))).toEqual(['workspace-base']);
    expect(rulesOf(judgeDispatch(fenced, { ...evidence, fence: { ...held, canary: 'breached' } }))).toEqual(['fence']);
    expect(rulesOf(judgeDispatch(fenced, { ...evidence, fence: open }))).toEqual(['fence']);
    expect(passes(judgeDispatch(waived, { ...evidence, fence: open }))).toBe(true);
    expect(rulesOf(judgeDispatch(waived, { ...evidence, fence: { ...held, canary: 'waived' } }))).toEqual(['fence']);
  });
});

describe('monitor', () => {
  const frozen = plan([{ a: {} }], { limits: { files: 3 } });
  const fine: MonitorEvidence = {
    attempt: attempt('a', 1),
    nonce: 'n',
    ending: exited(0),
    handoff: handoff('n'),
    snapshot: snapshot('a'),
  };
  const judge = (change: Partial<MonitorEvidence>, planned = task('a'), paths: readonly string[] = []) =>
    judgeMonitor(frozen, planned, { ...fine, ...change }, paths.length === 0 ? [] : [{ task: idOf('a'), paths }]);
  const changing = (...paths: string[]) => ({ snapshot: snapshot('a', paths) });

  test('passes for exit 0, a fresh handoff and changes within the scope', () => {
    expect(passes(judge({}))).toBe(true);
  });
  test('has no gate whose objection could not be explained', () => {
    const exit = { completion: 'contract', durability: null, proof: null, docs: null };
    const drafting = {
      ...task('a'),
      drafts: 'a.plan.yaml',
      deliverables: ['a/**'],
      exit,
      closes: 'qa',
      purpose: 'resolver',
    } as const;
    const report = { word: 'pass', findings: [] };
    const ends = {
      handoff: handoff('n', { claims: { completion: 'contract' }, report }),
      sides: { markers: [], gone: [] },
    };
    expect(judge(ends, drafting).map(({ gate }) => gate)).toHaveLength(monitorGates.length);
    for (const { gate } of [...judge({}), ...judge({ snapshot: null })]) expect(monitorGates).toContain(gate);
  });
  test('judges the plan of a task that drafts one, and of no other', () => {
    const drafting = { ...task('a'), drafts: 'a.plan.yaml' };
    const mistake: Finding = { rule: 'unknown-need', task: 'a', need: 'b', meant: null, where: 'a.plan.yaml:3:4' };
    expect(judge({ drafted: [] }, drafting).at(-1)).toEqual({ gate: 'plan', version: 1, outcome: 'pass' });
    expect(judge({ drafted: [mistake] }, drafting).at(-1)).toEqual({
      gate: 'plan',
      version: 1,
      outcome: 'fail',
      findings: [mistake],
    });
    expect(judge({}, drafting).at(-1)).toMatchObject({ gate: 'plan', outcome: 'inconclusive' });
    expect(rulesOf(judge({ ending: exited(1) }, drafting))).toEqual(['exit']);
    expect(judge({ drafted: [mistake] }).map(({ gate }) => gate)).not.toContain('plan');
  });
  test('refuses every other end', () => {
    expect(rulesOf(judge({ ending: exited(1) }))).toEqual(['exit']);
    for (const reason of [
      'lost',
      'timed-out',
      'silent',
      'stopped',
      'abandoned',
      'launch-failed',
      'setup-failed',
    ] as const)
      expect(rulesOf(judge({ ending: ended(reason) }))).toEqual(['exit']);
    expect(rulesOf(judge({ ending: { ...exited(0), code: null, signal: 'SIGKILL' } }))).toEqual(['exit']);
  });
  test('refuses a handoff that is stale, invalid or not done, and does not guess one that is absent', () => {
    expect(rulesOf(judge({ handoff: handoff('old') }))).toEqual(['handoff-nonce']);
    expect(rulesOf(judge({ handoff: { kind: 'invalid', because: { rule: 'handoff-json' } } }))).toEqual([
      'handoff-valid',
    ]);
    expect(rulesOf(judge({ handoff: handoff('n', { status: 'partial' }) }))).toEqual(['handoff-status']);
    expect(unsure(judge({ handoff: { kind: 'absent' } }))).toEqual(['handoff']);
  });
  test('a closure role passes with a report in its own words; anything else is absent, never failed', () => {
    const role = { ...task('a', { owns: [] }), closes: 'security' } as const;
    const ends = (handoff: MonitorEvidence['handoff']) => judge({ ...changing(), handoff }, role);
    const reports = (word: string, more: object = {}) =>
      ends(handoff('n', { report: { word, findings: [], ...more } }));
    expect(passes(reports('clear'))).toBe(true);
    expect(passes(reports('blocked'))).toBe(true);
    for (const absent of [reports('pass'), reports('clear', { dimensions: {} }), ends(handoff('n'))]) {
      expect(unsure(absent)).toEqual(['report']);
      expect(rulesOf(absent)).toEqual([]);
    }
    expect(unsure(ends({ kind: 'absent' }))).toEqual(['handoff', 'report']);
    expect(unsure(ends({ kind: 'invalid', because: { rule: 'handoff-json' } }))).toEqual(['handoff', 'report']);
    expect(judge({}).map(({ gate }) => gate)).not.toContain('report');
  });
  test('refuses what is out of scope unless it was granted', () => {
    expect(rulesOf(judge(changing('a/x', 'b/x')))).toEqual(['out-of-scope']);
    expect(passes(judge(changing('a/x', 'b/x'), task('a'), ['b/x']))).toBe(true);
  });
  test('refuses secrets, files that cannot be taken, and too many files', () => {
    const secrets: Finding[] = [{ rule: 'known-value', in: 'content', where: 'a/x' }];
    const refused: Finding[] = [{ rule: 'special-file', kind: 'FIFO', where: 'a/x' }];
    expect(rulesOf(judge({ snapshot: { ...snapshot('a'), secrets } }))).toEqual(['known-value']);
    expect(rulesOf(judge({ snapshot: { ...snapshot('a'), refused } }))).toEqual(['special-file']);
    expect(rulesOf(judge(changing('a/1', 'a/2', 'a/3', 'a/4')))).toEqual(['files']);
  });
  test('cannot judge a missing snapshot, nor an empty one of a task that was to change something', () => {
    expect(unsure(judge({ snapshot: null }))).toEqual(['snapshot']);
    expect(unsure(judge(changing()))).toEqual(['changes']);
    expect(passes(judge(changing(), task('a', { allowEmpty: true })))).toBe(true);
    expect(passes(judge(changing(), task('a', { owns: [] })))).toBe(true);
  });
  test('F6: wants each deliverable among what was added or changed', () => {
    const due = task('a', { deliverables: ['a/never.txt', 'a/*.md'] });
    const missing = (...patterns: string[]) => patterns.map((pattern) => ({ rule: 'deliverable-missing', pattern }));
    const found = (change: Partial<MonitorEvidence>) =>
      judge(change, due).flatMap((verdict) => (verdict.outcome === 'fail' ? verdict.findings : []));
    expect(found(changing('a/x'))).toEqual(missing('a/never.txt', 'a/*.md'));
    expect(found(changing('a/x.md'))).toEqual(missing('a/never.txt'));
    expect(found(changing('a/x.md', 'a/never.txt'))).toEqual([]);
    const gone = { ...snapshot('a'), diff: [added('a/x.md'), { ...added('a/never.txt'), change: 'deleted' as const }] };
    expect(found({ snapshot: gone })).toEqual(missing('a/never.txt'));
  });
  test('refuses any change of a read-only task, granted or not', () => {
    expect(
      rulesOf(judge({ snapshot: { ...snapshot('a'), diff: [added('x')] } }, task('a', { owns: [] }), ['x'])),
    ).toEqual(['read-only']);
  });
});

describe('closure', () => {
  const frozen = plan([{ a: {} }], { checks: [{ name: 'test', run: 'npm test', minutes: 1 }] });
  const outcome = (change: Partial<CheckOutcome> = {}): CheckOutcome => ({
    name: 'test',
    tree: tree('x'),
    outcome: 'passed',
    code: 0,
    log,
    tail: '',
    ...change,
  });
  const evidence = (checks: readonly CheckOutcome[], tasks = [{ task: idOf('a'), snapshot: commit('s') }]) => ({
    round: 1,
    base: commit('base'),
    candidate: commit('x'),
    tree: tree('x'),
    tasks,
    checks,
  });
  test('passes when every check passed on exactly this tree', () => {
    expect(passes(judgeClosure(frozen, 0, evidence([outcome()])))).toBe(true);
  });
  test('does not take a check of another tree, one that could not run, or none', () => {
    expect(unsure(judgeClosure(frozen, 0, evidence([outcome({ tree: tree('y') })])))).toEqual(['check']);
    expect(unsure(judgeClosure(frozen, 0, evidence([outcome({ outcome: 'could-not-run' })])))).toEqual(['check']);
    expect(unsure(judgeClosure(frozen, 0, evidence([])))).toEqual(['check']);
  });
  test('refuses a check that failed or took too long, and a round of no task', () => {
    expect(rulesOf(judgeClosure(frozen, 0, evidence([outcome({ outcome: 'failed' })])))).toEqual(['check']);
    expect(rulesOf(judgeClosure(frozen, 0, evidence([outcome({ outcome: 'timed-out' })])))).toEqual(['check']);
    expect(unsure(judgeClosure(frozen, 0, evidence([outcome()], [])))).toEqual(['round']);
  });
});

test('merge passes when the run branch is where the merger moved it, with a proof', () => {
  const fine = { round: 1, old: commit('a'), new: commit('b'), observed: commit('b'), proof: 'p' };
  expect(passes(judgeMerge(fine))).toBe(true);
  expect(rulesOf(judgeMerge({ ...fine, observed: commit('a') }))).toEqual(['run-branch']);
  expect(unsure(judgeMerge({ ...fine, proof: '' }))).toEqual(['proof']);
});
