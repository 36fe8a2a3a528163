import { hash } from 'node:crypto';
import { maskShapes } from '../secrets/secret-shapes.ts';
import { readJunit } from './junit.ts';

/**
 * How the report of a check is read. `file`: the report that the check writes, from the top of the repository; absent for its output.
 * `text`: the line with the count, with `#` in place of the number; absent for a line that is nothing but a number.
 */
export type CheckParse = {
  readonly as: 'tsc' | 'junit' | 'sarif' | 'count';
  readonly file?: string;
  readonly text?: string;
};

/**
 * The result of reading a report. The code under test can write it, so it is bounded and never trusted to be whole.
 * `tests.passed` holds a digest of each name, because nothing shows them. `count`: the number of problems, `at` the first of them.
 */
export type CheckReport =
  | { readonly tests: { readonly failed: readonly string[]; readonly passed: readonly string[] } }
  | { readonly count: number; readonly at: readonly string[] }
  | { readonly unreadable: ReportFault };

/** `absent`: there is no report. `too-long`: only a part of it was kept. `too-many`: it names more tests than a ledger should hold. */
type ReportFault = 'absent' | 'not-a-file' | 'too-long' | 'too-many' | 'malformed';

/** The most bytes of a report that are read. */
export const longestReport = 16 << 20;

const mostFailed = 2_000;
const mostPassed = 50_000;
const mostShown = 20;
const longestName = 300;

/** Reads the text of a report. `roots`: directories whose paths are cut from names, so that a test has the same name everywhere. */
export function readCheckReport(text: string, parse: CheckParse, roots: readonly string[] = []): CheckReport {
  switch (parse.as) {
    case 'junit':
      return testReport(readJunit(text), roots);
    case 'sarif':
      return countReport(sarifProblems(text), roots);
    case 'tsc':
      return countReport(tscErrors(plain(text)), roots);
    case 'count':
      return countedReport(plain(text), parse.text ?? '#');
  }
}

function testReport(tests: ReturnType<typeof readJunit>, roots: readonly string[]): CheckReport {
  if (tests === null) return { unreadable: 'malformed' };
  const failed = new Set<string>();
  const passed = new Set<string>();
  for (const { name, result } of tests) {
    const known = withoutRoots(name, roots);
    if (result === 'failed') failed.add(shownName(known));
    else if (result === 'passed') passed.add(testDigest(shownName(known)));
    if (failed.size > mostFailed || passed.size > mostPassed) return { unreadable: 'too-many' };
  }
  // of several tests with one name, the one that fails counts
  for (const name of failed) passed.delete(testDigest(name));
  return { tests: { failed: [...failed].sort(), passed: [...passed].sort() } };
}

/** Identifies the name of a test that passed. */
export const testDigest = (name: string): string => hash('sha256', name, 'base64url').slice(0, 12);

function countReport(problems: readonly string[] | null, roots: readonly string[]): CheckReport {
  if (problems === null) return { unreadable: 'malformed' };
  const at = problems.slice(0, mostShown).map((problem) => shownName(withoutRoots(problem, roots)));
  return { count: problems.length, at };
}

const withoutRoots = (name: string, roots: readonly string[]): string =>
  roots.reduce((text, root) => (root === '' ? text : text.replaceAll(`${root}/`, '')), name);

/** A name that people see. A control character could move their cursor. */
function shownName(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return maskShapes(line.length <= longestName ? line : `${line.slice(0, longestName)}…`);
}

/** Colours are no part of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const plain = (text: string): string => text.replaceAll(/\x1b\[[0-9;:]*[mK]/g, '').replaceAll('\r', '');

/** The errors of `tsc`, in both of its formats: `a.ts(1,2): error TS1:` and `a.ts:1:2 - error TS1:`. */
const tscErrors = (text: string): readonly string[] =>
  [...text.matchAll(/^(?:([^\n]{1,500}?)(?:\(\d+,\d+\)|:\d+:\d+)(?::| -) )?error (TS\d{1,6}): /gm)].map(
    ([, file, code]) => (file === undefined ? `${code}` : `${file} ${code}`),
  );

/** Results that a person would have to fix: those that are not suppressed, and neither notes nor passed. */
function sarifProblems(text: string): readonly string[] | null {
  const log = fieldsOf(jsonFrom(text));
  if (log === null || !Array.isArray(log['runs'])) return null;
  return log['runs'].flatMap((run) =>
    listOf(fieldsOf(run)?.['results']).flatMap((one) => {
      const result = fieldsOf(one);
      if (result === null || !isProblem(result)) return [];
      const place = fieldsOf(fieldsOf(listOf(result['locations'])[0])?.['physicalLocation']);
      const file = fieldsOf(place?.['artifactLocation'])?.['uri'];
      return [[file, result['ruleId']].filter((word) => typeof word === 'string').join(' ')];
    }),
  );
}

function isProblem({ level = 'warning', kind = 'fail', suppressions, baselineState }: Fields): boolean {
  const isOpen = listOf(suppressions).length === 0 && baselineState !== 'absent';
  return isOpen && kind === 'fail' && (level === 'error' || level === 'warning');
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The document between the first and the last brace; undefined when that is no JSON, or is nested too deeply to be read. */
function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The number in the last line that has the given text. A text of `#` alone stands for a line that is nothing but the number. */
function countedReport(text: string, wanted: string): CheckReport {
  const [before = '', after = ''] = wanted.split('#');
  const isAlone = before.trim() === '' && after.trim() === '';
  const sought = isAlone
    ? /^\s*(\d{1,9})\s*$/
    : new RegExp(
        `${before === '' ? '(?<!\\d)' : literal(before)}(\\d{1,9})${after === '' ? '(?!\\d)' : literal(after)}`,
      );
  const line = text.split('\n').findLast((one) => one.length <= longestLine && sought.test(one));
  const number = line === undefined ? undefined : sought.exec(line)?.[1];
  return number === undefined ? { unreadable: 'absent' } : { count: Number(number), at: [] };
}

const longestLine = 10_000;
const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
