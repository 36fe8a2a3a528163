import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportInMarkers } from './markers.ts';
import { type ClosureRole, closureRoles, roleWords } from './roles.ts';

const read = (role: ClosureRole, ...lines: string[]) => reportInMarkers(role, lines.join('\n'))?.report ?? null;

describe('marker lines of wave-orchestration', () => {
  test.each<[ClosureRole, string, object]>([
    ['security', '[wave-security] state=clear findings=0 approvals=0', { word: 'clear', findings: [] }],
    ['security', '[wave-security] state=clear findings=0 approvals=0 detail=all good', { word: 'clear', findings: [] }],
    [
      'security',
      '[wave-security] state=concerns findings=2 approvals=1 detail=open redirect',
      { word: 'concerns', findings: ['open redirect'], approvals: ['approvals: 1'] },
    ],
    [
      'integration',
      '[wave-integration] state=ready-for-doc-closure claims=0 conflicts=0 blockers=0 detail=fits',
      { word: 'ready', findings: ['fits'] },
    ],
    [
      'integration',
      '[wave-integration] state=needs-more-work claims=1 conflicts=2 blockers=0',
      { word: 'needs-more-work', findings: ['claims: 1', 'conflicts: 2'] },
    ],
    [
      'docs',
      '[wave-doc-closure] state=closed paths=docs/a.md,docs/b.md detail=updated',
      { word: 'closed', findings: ['updated'], items: ['docs/a.md', 'docs/b.md'] },
    ],
    ['docs', '[wave-doc-closure] state=no-change', { word: 'no-change', findings: [] }],
    [
      'eval',
      '[wave-eval] state=satisfied targets=1 benchmarks=2 regressions=0 target_ids=speed benchmark_ids=a,b',
      { word: 'satisfied', findings: [], targets: ['speed'], benchmarks: ['a', 'b'], regressions: 0 },
    ],
    [
      'infra',
      '[infra-status] kind=conformance target=db state=setup-required detail=no role',
      { word: 'setup-required', findings: ['no role'] },
    ],
    ['qa', '[wave-verdict] hold detail=later', { word: 'blocked', findings: ['later'] }],
    ['qa', '[WAVE-VERDICT] FAIL', { word: 'blocked', findings: [] }],
    ['qa', '`[wave-verdict] pass`', { word: 'pass', findings: [] }],
  ])('%s: %s', (role, line, report) => {
    expect(read(role, 'working …', line, 'bye')).toEqual(report);
  });

  test.each(['[deploy-status] service=api state=', '[deploy-status] state='])(
    'of a deployment, in the order of %s',
    (start) => {
      const rest = start.includes('service') ? '' : ' service=api';
      const word = (state: string) => read('deploy', `${start}${state}${rest} detail=x`)?.word;
      expect(['deploying', 'healthy', 'failed', 'rolled-back', 'rolledover'].map(word)).toEqual([
        'deploying',
        'healthy',
        'failed',
        'rolled-back',
        'rolled-back',
      ]);
    },
  );

  test('of several environments and targets: none hides another', () => {
    const lines = ['service=a state=failed', 'service=b state=rolled-back', 'service=a state=healthy'];
    expect(read('deploy', ...lines.map((line) => `[deploy-status] ${line}`))).toMatchObject({
      word: 'rolled-back',
      environments: { a: 'healthy', b: 'rolled-back' },
    });
    expect(
      read(
        'infra',
        '[infra-status] kind=conformance target=a state=drift',
        '[infra-status] kind=conformance target=b state=conformant',
      )?.word,
    ).toBe('drift');
  });

  test('of QA: the verdict with its dimensions, and a gap is no pass', () => {
    const gate = '[wave-gate] architecture=pass integration=pass durability=gap live=concerns docs=pass';
    expect(read('qa', gate, '[wave-verdict] concerns')).toEqual({
      word: 'concerns',
      findings: [],
      dimensions: { architecture: 'pass', integration: 'pass', durability: 'concerns', live: 'concerns', docs: 'pass' },
    });
    expect(read('qa', gate)).toBeNull();
    expect(read('qa', '[wave-gate] cost=pass', '[wave-verdict] pass')).toBeNull();
  });
});

describe('a marker that does not count', () => {
  const clear = '[wave-security] state=clear findings=0 approvals=0';
  test.each([
    ['in prose', `I would say ${clear}`],
    ['in a list', `- ${clear}`],
    ['indented', `  ${clear}`],
    ['in a code fence of several backticks', `\`\`${clear}\`\``],
    ['of another role', '[wave-verdict] pass'],
    ['with a word that the role does not have', '[wave-security] state=fine findings=0 approvals=0'],
    ['that is a template', '[wave-security] state=<clear|concerns|blocked> findings=<n> approvals=<n>'],
    ['without its counts', '[wave-security] state=clear'],
  ])('%s', (_name, line) => {
    expect(read('security', line)).toBeNull();
  });
  test('the last one decides, and a malformed one does not leave it to one before', () => {
    expect(read('security', clear, '[wave-security] state=blocked findings=1 approvals=0')?.word).toBe('blocked');
    expect(read('security', clear, '[wave-security] state=blockd findings=1 approvals=0')).toBeNull();
  });
  test('counts that contradict the ids, or the word, make no report', () => {
    const counted = (targets: number, regressions: string) =>
      `[wave-eval] state=satisfied targets=${targets} benchmarks=1 regressions=${regressions} target_ids=a,b benchmark_ids=x`;
    expect(read('eval', counted(2, '0'))?.targets).toEqual(['a', 'b']);
    expect(read('eval', counted(3, '0'))).toBeNull();
    expect(read('eval', counted(2, 'none'))).toBeNull();
    expect(
      read('integration', '[wave-integration] state=ready-for-doc-closure claims=0 conflicts=0 blockers=1'),
    ).toBeNull();
  });
});

test('whatever an agent prints, there is either no report or one in words of the role', () => {
  const piece = fc.constantFrom(
    '[wave-security]',
    '[infra-status]',
    'state=clear',
    'findings=0',
    'detail=',
    '=',
    '`',
    '\n',
    ' ',
    'pass',
  );
  fc.assert(
    fc.property(fc.constantFrom(...closureRoles), fc.array(fc.oneof(piece, fc.string())), (role, pieces) => {
      const report = reportInMarkers(role, pieces.join(''))?.report;
      if (report !== undefined) expect(roleWords[role].words).toContain(report.word);
    }),
  );
});
