import { safeLine, safeText } from '../../domain/base/safe-text.ts';
import type { CiProblem, CiReport } from './report.ts';

/**
 * Lines of an agent or a check could be commands to the runner that reads our output: from here on it takes none,
 * until `resumeCommands` with a token that nobody can guess.
 */
export const stopCommands = (token: string): string => `::stop-commands::${token}`;
export const resumeCommands = (token: string): string => `::${token}::`;

/** One command of the runner for each problem, which shows it beside the file. */
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

/** The report as markdown, for the page of the workflow. What agents wrote stays text. */
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

/** On one line, and nothing of it is markup or a link. */
const cell = (text: string): string =>
  safeLine(text)
    .replaceAll(/[\\`*_{}[\]()#!|~@]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');

/** Indented by four, it is code to the end, whatever it says. */
const block = (text: string): readonly string[] =>
  safeText(text)
    .split('\n')
    .map((line) => `    ${line}`);
