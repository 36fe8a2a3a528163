import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCheckReport, testDigest } from './report.ts';

const junit = (text: string, roots: readonly string[] = []) => readCheckReport(text, { as: 'junit' }, roots);
const tests = (failed: readonly string[], passed: readonly string[]) => ({
  tests: { failed, passed: passed.map(testDigest).sort() },
});

describe('a JUnit report', () => {
  test('names each test with its suites, and tells failed, passed and skipped ones apart', () => {
    const report = `<?xml version="1.0"?>
<testsuites><testsuite name="sums">
  <testcase name="adds &lt;&amp;&#39;" classname="test"><failure message="a > b"><![CDATA[<testcase name="x"/>]]></failure></testcase>
  <testcase name='doubles' classname="test" />
  <testcase name="later" classname="test"><skipped/></testcase>
  <testcase name="both"><skipped/><error/></testcase>
</testsuite><testcase name="top"/><!-- <testcase name="no"/> --></testsuites>`;
    expect(junit(report)).toEqual(tests(["sums › adds <&'", 'sums › both'], ['sums › doubles', 'top']));
  });
  test('is found in the output of a program, also several of them', () => {
    const output = '> npm test\n<a>\n<testsuite name="a"><testcase name="x"/></testsuite>\ndone\n<testsuite/>\n';
    expect(junit(output)).toEqual(tests([], ['a › x']));
  });
  test('names the same test in every workspace', () => {
    const one = (place: string) =>
      `<testsuite><testcase name="${place}/a.test.mjs" file="${place}/a.test.mjs"><error/></testcase></testsuite>`;
    expect(junit(one('/w/1'), ['/w/1'])).toEqual(junit(one('/w/22'), ['/w/22']));
    expect(junit(one('/w/1'), ['/w/1'])).toEqual(tests(['a.test.mjs › a.test.mjs'], []));
  });
  test('counts a name that several tests have as failed when one of them fails', () => {
    expect(junit('<testsuite><testcase name="a"/><testcase name="a"><failure/></testcase></testsuite>')).toEqual(
      tests(['a'], []),
    );
  });
  test.each([
    ['empty', ''],
    ['cut off', '<testsuites><testsuite><testcase name="a"/>'],
    ['cut off in a tag', '<testsuites><testcase name="a'],
    ['closed in another order', '<testsuites><testsuite></testsuites></testsuite>'],
    ['with a document type inside', '<testsuites><!DOCTYPE a [<!ENTITY b "c">]></testsuites>'],
    ['nested without end', '<testsuite>'.repeat(5_000)],
    ['of another kind', '{"tests": []}'],
  ])('that is %s cannot be read', (_name, text) => {
    expect(junit(text)).toEqual({ unreadable: 'malformed' });
  });
  test('expands no entity of its own', () => {
    const text = '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="&a;&a;"><error/></testcase></testsuite>';
    expect(junit(text)).toEqual(tests(['&a;&a;'], []));
  });
  test('with more failures than a ledger should hold is not taken', () => {
    const cases = Array.from({ length: 2_001 }, (_, index) => `<testcase name="t${index}"><error/></testcase>`);
    expect(junit(`<testsuite>${cases.join('')}</testsuite>`)).toEqual({ unreadable: 'too-many' });
  });
  test('has names of one line, without control characters and secrets', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const report = junit(
      `<testsuite><testcase name="a\u001b[2J&#10;b ${secret} ${'x'.repeat(999)}"><error/></testcase></testsuite>`,
    );
    const [name = ''] = 'tests' in report ? report.tests.failed : [];
    expect(name).toMatch(/^a \[2J b /);
    expect(name).not.toContain(secret);
    expect(name.length).toBeLessThan(320);
  });
});

describe('a count', () => {
  test('of tsc is the number of its errors, in both formats', () => {
    const output =
      'src/a.ts(1,2): error TS2322: no\nsrc/b.ts:3:4 - error TS7006: no\n\u001b[31merror\u001b[0m TS18003: none\nFound 3 errors.\n  error TS1: quoted\n';
    expect(readCheckReport(output, { as: 'tsc' })).toEqual({
      count: 3,
      at: ['src/a.ts TS2322', 'src/b.ts TS7006', 'TS18003'],
    });
  });
  test('of SARIF leaves out notes, passed and suppressed results', () => {
    const at = { locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' } } }] };
    const results = [
      { ruleId: 'r1', level: 'error', ...at },
      { ruleId: 'r2' },
      { ruleId: 'r3', level: 'note' },
      { ruleId: 'r4', kind: 'pass' },
      { ruleId: 'r5', suppressions: [{ kind: 'inSource' }] },
      { ruleId: 'r6', baselineState: 'absent' },
      null,
    ];
    const text = `linting\n${JSON.stringify({ version: '2.1.0', runs: [{ results }, {}] })}\n`;
    expect(readCheckReport(text, { as: 'sarif' })).toEqual({ count: 2, at: ['a.js r1', 'r2'] });
    expect(readCheckReport('{"runs": 1}', { as: 'sarif' })).toEqual({ unreadable: 'malformed' });
    expect(readCheckReport('['.repeat(1e5), { as: 'sarif' })).toEqual({ unreadable: 'malformed' });
  });
  test.each([
    ['12\n', undefined, 12],
    ['3 files\n 7 \nok', undefined, 7],
    ['found 12 problems\nfound 3 problems', 'found # problems', 3],
    ['(45% of 9) problems: 8', 'problems: #', 8],
    ['a.*b 5', 'a.*b #', 5],
    ['axxb 5', 'a.*b #', null],
    ['no number', undefined, null],
    ['1e9999999999', '#', null],
  ] as const)('in %j by %j is %j', (text, wanted, count) => {
    const parse = { as: 'count', ...(wanted === undefined ? {} : { text: wanted }) } as const;
    expect(readCheckReport(text, parse)).toEqual(count === null ? { unreadable: 'absent' } : { count, at: [] });
  });
});

test('whatever a check prints, reading it neither throws nor takes long', () => {
  const piece = fc.constantFrom(
    '<testsuite',
    '>',
    '<testcase name="',
    '"',
    "'",
    '/>',
    '</testsuite>',
    '<!--',
    '<![CDATA[',
    '{',
    'error TS1: ',
    '\n',
    '#',
    '1',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
      for (const as of ['junit', 'sarif', 'tsc', 'count'] as const)
        expect(Object.keys(readCheckReport(pieces.join(''), { as })).length).toBeGreaterThan(0);
    }),
  );
});
