import { describe, expect, test } from 'vitest';
import { task } from '../../../test/support/plans.ts';
import type { PlannedTask } from '../plan/plan.ts';
import { isMilder, judgeReport, type RoleReport, reportMissing } from './report.ts';
import { type ClosureRole, closureRoles, roleWords } from './roles.ts';

const codes = (closes: ClosureRole, report: Partial<RoleReport>, more: Partial<PlannedTask> = {}) =>
  judgeReport({ ...task('a'), closes, ...more }, { word: '', findings: [], ...report }).map((finding) =>
    finding.rule === 'role-report' ? finding.code : finding.rule,
  );

test('an absent report has the code of its role', () => {
  const missing = closureRoles.map((closes) => reportMissing({ ...task('a'), closes }));
  expect(missing.map((one) => ('code' in one ? one.code : null))).toEqual([
    'missing-wave-eval',
    'missing-wave-security',
    'missing-wave-integration',
    'missing-doc-closure',
    'missing-infra-status',
    'missing-deploy-status',
    'missing-cont-qa',
  ]);
});

test('a wave closes on the words of the table, and on no other', () => {
  const closing = closureRoles.flatMap((role) =>
    roleWords[role].words.filter((word) => codes(role, { word }).length === 0).map((word) => `${role} ${word}`),
  );
  expect(closing).toEqual([
    'eval satisfied',
    'security clear',
    'security concerns',
    'integration ready',
    'docs closed',
    'docs no-change',
    'infra conformant',
    'infra action-complete',
    'deploy healthy',
    'qa pass',
  ]);
});

test.each<[ClosureRole, Partial<RoleReport>, string]>([
  ['eval', { word: 'needs-more-work' }, 'cont-eval-needs-more-work'],
  ['eval', { word: 'satisfied', regressions: 1 }, 'cont-eval-regressions'],
  ['security', { word: 'blocked' }, 'security-blocked'],
  ['security', { word: 'clear', findings: ['a key'] }, 'invalid-security-clear-state'],
  ['security', { word: 'clear', approvals: ['of the owner'] }, 'invalid-security-clear-state'],
  ['integration', { word: 'needs-more-work' }, 'integration-needs-more-work'],
  ['docs', { word: 'delta' }, 'doc-closure-open'],
  ['infra', { word: 'setup-required' }, 'infra-setup-required'],
  ['deploy', { word: 'rolled-back' }, 'deploy-rolled-back'],
  ['qa', { word: 'concerns' }, 'cont-qa-concerns'],
  ['qa', { word: 'pass', dimensions: { live: 'concerns' } }, 'gate-live-concerns'],
  ['qa', { word: 'clear' }, 'cont-qa-unknown-word'],
])('%s %j: %s', (role, report, code) => {
  expect(codes(role, report)).toEqual([code]);
});

test('every environment that the plan names has to be healthy, and every other one that is reported', () => {
  const named = { environments: ['prod', 'eu'] };
  const healthy = { word: 'healthy', environments: { prod: 'healthy', eu: 'healthy' } };
  expect(codes('deploy', healthy, named)).toEqual([]);
  expect(codes('deploy', { word: 'healthy' }, named)).toEqual(['deploy-prod-missing', 'deploy-eu-missing']);
  expect(codes('deploy', { ...healthy, environments: { ...healthy.environments, us: 'failed' } }, named)).toEqual([
    'deploy-us-failed',
  ]);
});

describe('eval', () => {
  const targets = [
    { id: 'answers', benchmarks: ['golden', 'smoke'] },
    { id: 'speed', family: 'latency', benchmarks: ['cold', 'warm'] },
  ];
  const fine = {
    word: 'satisfied',
    targets: ['speed', 'answers'],
    benchmarks: ['golden', 'smoke', 'warm'],
    regressions: 0,
  };
  const judge = (change: Partial<RoleReport>) => codes('eval', { ...fine, ...change }, { targets });
  test('closes on exactly the targets, every pinned benchmark and one of each family', () => {
    expect(judge({})).toEqual([]);
    expect(judge({ benchmarks: [...fine.benchmarks, 'cold'] })).toEqual([]);
  });
  test.each<[string, Partial<RoleReport>, string]>([
    ['a target is missing', { targets: ['speed'] }, 'cont-eval-target-mismatch'],
    ['there is another target', { targets: [...fine.targets, 'size'] }, 'cont-eval-target-mismatch'],
    ['no target is named', { targets: [] }, 'missing-cont-eval-target-ids'],
    ['no benchmark is named', { benchmarks: [] }, 'missing-cont-eval-benchmarks'],
    [
      'a benchmark is not in the catalogue',
      { benchmarks: [...fine.benchmarks, 'own'] },
      'cont-eval-benchmark-mismatch',
    ],
    ['a pinned benchmark is missing', { benchmarks: ['golden', 'warm'] }, 'cont-eval-benchmark-mismatch'],
    ['a family has none', { benchmarks: ['golden', 'smoke'] }, 'cont-eval-benchmark-mismatch'],
    ['there is a regression', { regressions: 2 }, 'cont-eval-regressions'],
  ])('stays open when %s', (_name, change, code) => {
    expect(judge(change)).toEqual([code]);
  });
});

describe('a second report of one attempt', () => {
  const said = (word: string, more: Partial<RoleReport> = {}): RoleReport => ({ word, findings: [], ...more });
  test.each<[ClosureRole, RoleReport, RoleReport, boolean]>([
    ['qa', said('blocked'), said('pass'), true],
    ['qa', said('pass'), said('blocked'), false],
    ['qa', said('pass'), said('pass'), false],
    ['qa', said('pass', { dimensions: { live: 'concerns' } }), said('pass'), true],
    ['security', said('blocked'), said('concerns'), true],
    ['security', said('concerns'), said('clear'), true],
    ['security', said('clear', { approvals: ['a key'] }), said('clear'), true],
    ['security', said('concerns'), said('blocked'), false],
    ['integration', said('needs-more-work'), said('ready'), true],
    ['docs', said('delta'), said('no-change'), true],
    ['docs', said('no-change'), said('closed'), false],
    ['eval', said('satisfied', { regressions: 1 }), said('satisfied'), true],
    // not an objection: the role has not finished
    ['deploy', said('deploying'), said('healthy'), false],
    ['deploy', said('deploying', { environments: { prod: 'deploying' } }), said('healthy'), false],
    ['deploy', said('healthy', { environments: { prod: 'failed' } }), said('healthy'), true],
    ['infra', said('checking'), said('conformant'), false],
    ['infra', said('action-required'), said('action-complete'), true],
  ])('of %s: %j, then %j: milder %s', (role, first, second, isIt) => {
    expect(isMilder(role, second, first)).toBe(isIt);
  });
});
