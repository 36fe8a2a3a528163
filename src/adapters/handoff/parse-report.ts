import { environmentPattern, type RoleReport } from '../../domain/closure/report.ts';
import { closureRoles, qaDimensions, roleWords } from '../../domain/closure/roles.ts';
import type { HandoffMisfit } from '../../domain/findings/attempt-rules.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

/** The words of all roles. Only the task that gives the report decides which of them are its own. */
export const everyWord: readonly string[] = [...new Set(closureRoles.flatMap((role) => roleWords[role].words))];
export const mostRegressions = 1_000_000;

const lists = ['findings', 'approvals', 'targets', 'benchmarks', 'items'] as const;
const keys = new Set<string>(['word', 'dimensions', 'environments', 'regressions', ...lists]);

/** Returns why a report does not fit its schema; null when it does. */
export function reportFault(report: unknown): HandoffMisfit | null {
  if (!isObject(report)) return { fault: 'report-object' };
  const unknown = Object.keys(report).find((key) => !keys.has(key));
  if (unknown !== undefined) return { fault: 'report-key', key: unknown.slice(0, 80) };
  if (!isWord(report['word'], everyWord)) return { fault: 'report-word' };
  const wrong = lists.find((name) => report[name] !== undefined && !isList(report[name]));
  if (wrong !== undefined) return { fault: 'report-list', key: wrong };
  if (report['regressions'] !== undefined && !isCount(report['regressions'])) return { fault: 'report-regressions' };
  return dimensionFault(report['dimensions']) ?? environmentFault(report['environments']);
}

/** Takes a report that fits its schema. */
export const readReport = ({ word, findings = [], ...rest }: RoleReport): RoleReport => ({ word, findings, ...rest });

const dimensionFault = (value: unknown): HandoffMisfit | null =>
  faultOf('report-dimension', value, (name) => isWord(name, qaDimensions), roleWords.qa.words);

const environmentFault = (value: unknown): HandoffMisfit | null =>
  faultOf('report-environment', value, (name) => environmentPattern.test(name), roleWords.deploy.words);

function faultOf(
  fault: 'report-dimension' | 'report-environment',
  value: unknown,
  isName: (name: string) => boolean,
  words: readonly string[],
): HandoffMisfit | null {
  if (value === undefined) return null;
  if (!isObject(value)) return { fault, key: '' };
  const wrong = Object.entries(value).find(([name, word]) => !isName(name) || !isWord(word, words));
  return wrong === undefined ? null : { fault, key: wrong[0].slice(0, 80) };
}

const isObject = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isWord = (value: unknown, words: readonly string[]): boolean =>
  typeof value === 'string' && words.includes(value);
const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostRegressions;

export const isText = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'string' && value.length >= least && value.length <= most;
export const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 200 && value.every((item) => isText(item, 0, 1000));
