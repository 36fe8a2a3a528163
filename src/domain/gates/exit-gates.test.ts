import { describe, expect, test } from 'vitest';
import {
  attempt,
  commit,
  exited,
  handoff,
  idOf,
  log,
  plan,
  snapshot,
  type TaskSketch,
  task,
  tree,
} from '../../../test/support/plans.ts';
import type { ExitClaims } from '../closure/exit-contract.ts';
import type { CheckOutcome, MonitorEvidence, ProofEvidence, SnapshotEvidence } from './evidence.ts';
import { judgeExitContract, judgeExits, needsSnapshotChecks } from './exit-gates.ts';
import { findingsIn, type Verdict } from './verdict.ts';
import { judgeMonitor } from './work-gates.ts';

const none = { completion: null, durability: null, proof: null, docs: null };
const check = { name: 'test', run: 'true', minutes: 1 };
const passed = (on = snapshot('a').tree): CheckOutcome => ({
  ...{ name: 'test', tree: on, outcome: 'passed', code: 0 },
  ...{ log, tail: '' },
});
const proof = (path: string): ProofEvidence => ({ path, sha256: 'ab'.repeat(32), bytes: 1 });
const evidence = (claims?: ExitClaims, change: Partial<MonitorEvidence> = {}): MonitorEvidence => ({
  attempt: attempt('a', 1),
  nonce: 'n',
  ending: exited(0),
  handoff: handoff('n', claims === undefined ? {} : { claims }),
  snapshot: snapshot('a'),
  ...change,
});
const taken = (...proofs: readonly ProofEvidence[]): { readonly snapshot: SnapshotEvidence } => ({
  snapshot: { ...snapshot('a'), proofs },
});
const contract = (exit: object, sketch: TaskSketch = {}) => task('a', { exit: { ...none, ...exit }, ...sketch });
const checked = plan([{ a: {} }], { checks: [check] });
const outcomes = (verdicts: readonly Verdict[]) => verdicts.map(({ gate, outcome }) => `${gate} ${outcome}`);
const codes = (verdicts: readonly Verdict[]) =>
  findingsIn(verdicts).map((finding) => ('code' in finding ? finding.code : finding.rule));

describe('claims', () => {
  const judge = (exit: object, claims?: ExitClaims) =>
    judgeExitContract(checked, contract(exit), evidence(claims)).filter(({ gate }) => gate === 'exit-contract');

  test('a task without a contract has no gate for it, whatever it claims', () => {
    expect(judgeExitContract(checked, task('a'), evidence({ proof: 'live' }))).toEqual([]);
    expect(judge({ completion: 'repo-landed', proof: 'sound' })).toEqual([]);
  });
  test('meet or exceed the contract', () => {
    expect(outcomes(judge({ proof: 'integration' }, { proof: 'integration' }))).toEqual(['exit-contract pass']);
    expect(outcomes(judge({ proof: 'integration' }, { proof: 'live', state: 'met' }))).toEqual(['exit-contract pass']);
  });
  test.each<[object, ExitClaims | undefined, readonly string[]]>([
    [{ completion: 'contract' }, undefined, ['missing-wave-proof']],
    [{ docs: 'none' }, {}, ['missing-doc-delta']],
    [{ completion: 'integrated' }, { completion: 'contract' }, ['completion-gap']],
    [{ durability: 'durable' }, { durability: 'ephemeral' }, ['durability-gap']],
    [{ proof: 'integration' }, { proof: 'unit' }, ['proof-level-gap']],
    [{ docs: 'shared-plan' }, { docs: 'owned' }, ['doc-impact-gap']],
    [{ proof: 'unit' }, { proof: 'unit', state: 'gap' }, ['wave-proof-gap']],
  ])('of %o do not hold with %o', (exit, claims, expected) => {
    const verdicts = judge(exit, claims);
    expect(outcomes(verdicts)).toEqual(['exit-contract fail']);
    expect(codes(verdicts)).toEqual(expected);
  });
  test('of another attempt do not count, and an acceptance makes none', () => {
    const stale = evidence({ proof: 'unit' }, { handoff: handoff('old', { claims: { proof: 'unit' } }) });
    const accepted = evidence(undefined, {
      handoff: { kind: 'absent' },
      acceptance: { snapshot: snapshot('a').commit, who: 'ada', edited: [] },
    });
    for (const one of [stale, accepted])
      expect(codes(judgeExitContract(checked, contract({ proof: 'unit' }), { ...one, checks: [passed()] }))).toEqual([
        'missing-wave-proof',
      ]);
    const verdicts = judgeMonitor(checked, contract({ proof: 'unit' }), { ...accepted, checks: [passed()] }, []);
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass').map(({ gate }) => gate)).toEqual(['exit-contract']);
  });
});

describe('evidence', () => {
  const judge = (planned: ReturnType<typeof task>, given: MonitorEvidence, frozen = checked) =>
    judgeExitContract(frozen, planned, given).filter(({ gate }) => gate === 'evidence');
  const unit = contract({ proof: 'unit' });
  const claim = { proof: 'unit' } as const;

  test('a unit claim needs every check to have passed on exactly this tree', () => {
    expect(outcomes(judge(unit, evidence(claim, { checks: [passed()] })))).toEqual(['evidence pass']);
    expect(codes(judge(unit, evidence(claim)))).toEqual(['missing-proof']);
    expect(codes(judge(unit, evidence(claim, { checks: [passed(tree('other'))] })))).toEqual(['missing-proof']);
    const failed = { ...passed(), outcome: 'failed' } as const;
    expect(outcomes(judge(unit, evidence(claim, { checks: [failed] })))).toEqual(['evidence fail']);
    const unable = { ...passed(), outcome: 'could-not-run' } as const;
    expect(outcomes(judge(unit, evidence(claim, { checks: [unable] })))).toEqual(['evidence inconclusive']);
    expect(outcomes(judge(unit, evidence(claim, { checks: [passed()], snapshot: null })))).toEqual([
      'evidence inconclusive',
    ]);
  });
  test('a plan without checks proves nothing by them', () => {
    expect(codes(judge(unit, evidence(claim, { checks: [] }), plan([{ a: {} }])))).toEqual(['missing-proof']);
  });
  test('no declared proof replaces the checks that a unit claim needs', () => {
    const declared = contract({ proof: 'unit' }, { artifacts: [{ path: 'out.txt' }] });
    for (const one of [unit, declared]) expect(needsSnapshotChecks(checked, one)).toBe(true);
    const given = taken(proof('out.txt'));
    expect(codes(judge(declared, evidence(claim, given)))).toEqual(['missing-proof']);
    expect(outcomes(judge(declared, evidence(claim, { ...given, checks: [passed()] })))).toEqual(['evidence pass']);
  });
  test('a declared proof counts when the snapshot took it', () => {
    const durable = { durability: 'durable' } as const;
    const declared = contract(durable, { artifacts: [{ path: 'out.txt' }] });
    expect(needsSnapshotChecks(checked, declared)).toBe(false);
    expect(outcomes(judge(declared, evidence(durable, taken(proof('out.txt')))))).toEqual(['evidence pass']);
    for (const lacking of [
      {},
      taken({ path: 'out.txt', fault: 'unchanged' }),
      taken({ path: 'out.txt', fault: 'empty' }),
      taken(proof('other.txt')),
    ])
      expect(codes(judge(declared, evidence(durable, lacking)))).toEqual(['missing-proof-artifact']);
  });
  test('a proof for another level does not hold this one up', () => {
    const other = contract({ durability: 'durable' }, { artifacts: [{ path: 'o', for: 'ephemeral' }] });
    expect(codes(judge(other, evidence({ durability: 'durable' }, taken(proof('o')))))).toEqual(['missing-proof']);
    const own = contract({ durability: 'durable' }, { artifacts: [{ path: 'o', for: 'durable' }] });
    expect(outcomes(judge(own, evidence({ durability: 'durable' }, taken(proof('o')))))).toEqual(['evidence pass']);
  });
  test('a declared proof is required even without a contract', () => {
    expect(codes(judge(contract({}, { artifacts: [{ path: 'o' }] }), evidence()))).toEqual(['missing-proof-artifact']);
  });
  test('the docs role of the wave stands in for a proof of documentation', () => {
    const docs = contract({ docs: 'owned' });
    const closing = { ...task('wave-1-docs'), closes: 'docs' as const };
    const frozen = { ...checked, waves: checked.waves.map((wave) => ({ ...wave, closure: [closing] })) };
    expect(codes(judge(docs, evidence({ docs: 'owned' })))).toEqual(['missing-proof']);
    expect(outcomes(judge(docs, evidence({ docs: 'owned' }), frozen))).toEqual(['evidence pass']);
  });
});

test('a person resolves the contract of exactly one tree, and no other gate', () => {
  const planned = contract({ proof: 'unit' }, { owns: [] });
  const resolved = { tree: snapshot('a').tree, who: 'ada' };
  const judge = (change: Partial<MonitorEvidence>) => judgeMonitor(checked, planned, evidence(undefined, change), []);
  const opposed = (change: Partial<MonitorEvidence>) =>
    judge(change)
      .filter(({ outcome }) => outcome !== 'pass')
      .map(({ gate }) => gate);
  expect(opposed({ resolved })).toEqual(['scope']);
  expect(opposed({ resolved: { ...resolved, tree: tree('other') } })).toEqual(['scope', 'exit-contract', 'evidence']);
  expect(judgeExitContract(checked, task('a'), evidence(undefined, { resolved }))).toEqual([]);
});

test('an integrated task is proven by the checks on the tree of the candidate, and by no other', () => {
  const frozen = plan([{ a: { exit: { ...none, completion: 'integrated' } }, b: {} }], { checks: [check] });
  const candidate = { round: 1, base: commit('base'), candidate: commit('tip'), tree: tree('tip') };
  const tasks = ['a', 'b'].map((id) => ({ task: idOf(id), snapshot: commit(id) }));
  const judge = (checks: readonly CheckOutcome[]) => judgeExits(frozen, { ...candidate, tasks, checks });
  expect(judge([passed(tree('tip'))])).toMatchObject([{ gate: 'evidence', of: 'a', outcome: 'pass' }]);
  expect(judge([passed()])).toMatchObject([{ gate: 'evidence', of: 'a', outcome: 'inconclusive' }]);
});
