import { safeText } from '../../domain/base/safe-text.ts';
import type { CiCase, CiReport, CiSuite } from './report.ts';

/** The report in the form of JUnit, as CI systems read it. */
export function junitXml({ title, suites }: CiReport): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(title)}${counts(all)}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

const suiteLines = ({ name, cases }: CiSuite): readonly string[] => [
  `  <testsuite name=${quoted(name)}${counts(cases)}>`,
  ...cases.flatMap((one) => caseLines(name, one)),
  '  </testsuite>',
];

function caseLines(suite: string, { name, outcome, seconds, message, output }: CiCase): readonly string[] {
  const time = seconds === null ? '' : ` time="${seconds.toFixed(3)}"`;
  const opened = `    <testcase classname=${quoted(suite)} name=${quoted(name)}${time}`;
  if (outcome === 'passed') return [`${opened}/>`];
  const inside =
    outcome === 'skipped'
      ? `<skipped message=${quoted(message)}/>`
      : `<failure message=${quoted(message)}>${escaped(output)}</failure>`;
  return [`${opened}>`, `      ${inside}`, '    </testcase>'];
}

function counts(cases: readonly CiCase[]): string {
  const having = (outcome: CiCase['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  return ` tests="${cases.length}" failures="${having('failed')}" skipped="${having('skipped')}"`;
}

const quoted = (text: string): string => `"${escaped(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`;

/** XML has no place for control characters, not even escaped; `safeText` has removed all but newline and tab. */
const escaped = (text: string): string =>
  safeText(text)
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
