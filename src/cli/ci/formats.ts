import { safeLine, safeText } from '../../domain/base/safe-text.ts';
import type { CiCase, CiProblem, CiReport, CiSuite } from './report.ts';

/** Writes the report as JUnit XML. */
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

/** XML allows no control characters, not even escaped; `safeText` has removed all but newline and tab. */
const escaped = (text: string): string =>
  safeText(text)
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/**
 * Output of an agent or a check could contain commands for the GitHub runner. After this line the runner takes none,
 * until `resumeCommands` with the same token, which nobody can guess.
 */
export const stopCommands = (token: string): string => `::stop-commands::${token}`;
export const resumeCommands = (token: string): string => `::${token}::`;

/** Returns the runner command that shows a problem beside its file. */
export function annotation({ title, message, file, line, column }: CiProblem): string {
  const place = {
    title,
    ...(file === null ? {} : { file }),
    ...(line === null ? {} : { line }),
    ...(column === null ? {} : { col: column }),
  };
  const properties = Object.entries(place).map(([name, value]) => `${name}=${property(String(value))}`);
  return `::error ${properties.join(',')}::${data(message)}`;
}

const data = (text: string): string =>
  safeText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Writes the report as markdown, for the page of the workflow. Text of agents cannot become markup. */
export function stepSummary({ title, good, suites, problems }: CiReport): string {
  const rows = suites.flatMap(({ name, cases }) =>
    cases.map((one) => `| ${signs[one.outcome]} | ${cell(name)} | ${cell(one.name)} | ${cell(one.message)} |`),
  );
  return [
    `### ${good ? signs.passed : signs.failed} ${cell(title)}`,
    '',
    ...(rows.length === 0 ? [] : ['| | | | |', '|---|---|---|---|', ...rows, '']),
    ...problems.flatMap((one) => [`**${cell(one.title)}**`, '', ...block(one.message), '']),
  ].join('\n');
}

const signs = { passed: '✅', failed: '❌', skipped: '➖' } as const;

/** Escapes a text for one line without markup or links. */
const cell = (text: string): string =>
  safeLine(text)
    .replaceAll(/[\\`*_{}[\]()#!|~@]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');

/** Indents a text by four spaces, which makes all of it code. */
const block = (text: string): readonly string[] =>
  safeText(text)
    .split('\n')
    .map((line) => `    ${line}`);
