import { present } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { Handoff } from '../gates/evidence.ts';
import type { PlannedTask } from '../plan/plan.ts';
import { judgeEval } from './eval-targets.ts';
import { type ClosureRole, type QaDimension, roleWords } from './roles.ts';

/** The statement of a closure role about a candidate. It is evidence; the gate decides. Lists that are absent are empty. */
export type RoleReport = {
  readonly word: string;
  /** Its findings in its own words. */
  readonly findings: readonly string[];
  /** QA: its word for each dimension that it judged. */
  readonly dimensions?: Readonly<Partial<Record<QaDimension, string>>>;
  /** Deploy: its word for each environment. */
  readonly environments?: Readonly<Record<string, string>>;
  /** Security: approvals that it asks for. */
  readonly approvals?: readonly string[];
  /** Eval: ids of the targets and benchmarks that it ran, and the number of regressions. */
  readonly targets?: readonly string[];
  readonly benchmarks?: readonly string[];
  readonly regressions?: number;
  /** Docs: the items of the docs queue that it closed. */
  readonly items?: readonly string[];
};

/** The name of an environment in a plan and in a report. */
export const environmentPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The parts of a report that only some roles have. */
const parts: Readonly<Record<ClosureRole, readonly (keyof RoleReport)[]>> = {
  eval: ['targets', 'benchmarks', 'regressions'],
  security: ['approvals'],
  integration: [],
  docs: ['items'],
  infra: [],
  deploy: ['environments'],
  qa: ['dimensions'],
};
const common: readonly string[] = ['word', 'findings'];

/**
 * Returns why a handoff does not fit the task that gave it: a closure role ends with a report in its own words, and no other task has
 * one. Null when it fits. `role` is undefined for an ordinary task.
 */
export function reportMisfit(role: ClosureRole | undefined, { report }: Pick<Handoff, 'report'>): Finding | null {
  if (role === undefined) return report === undefined ? null : { rule: 'report-unexpected' };
  const choices = roleWords[role].words;
  if (report === undefined) return { rule: 'report-absent', role, choices };
  if (!choices.includes(report.word)) return { rule: 'report-word', role, word: report.word, choices };
  const foreign = Object.keys(report).find((key) => !common.includes(key) && !parts[role].some((one) => one === key));
  return foreign === undefined ? null : { rule: 'report-part', role, key: foreign };
}

/**
 * Tells whether a second report of one attempt is milder than the first. It is refused: code of the wave that a role runs shares the
 * role's channel, and must not be able to take back an objection.
 */
export const isMilder = (role: ClosureRole, next: RoleReport, before: RoleReport): boolean =>
  weightOf(role, next) < weightOf(role, before);

/** 0: no objection. 1: remarks, with which the wave may close. 2: the wave stays open. */
function weightOf(role: ClosureRole, { word, findings, ...report }: RoleReport): 0 | 1 | 2 {
  const { dimensions = {}, environments = {}, approvals = [], regressions = 0 } = report;
  const isOpen =
    !(roleWords[role].closes.includes(word) || progressWords.has(word)) ||
    Object.values(dimensions).some((one) => one !== 'pass') ||
    Object.values(environments).some((one) => one !== 'healthy' && !progressWords.has(one)) ||
    regressions > 0;
  return isOpen ? 2 : word === 'concerns' || findings.length + approvals.length > 0 ? 1 : 0;
}

/** Words of a role that has not finished. They object to nothing. */
const progressWords: ReadonlySet<string> = new Set(['checking', 'setup-in-progress', 'action-approved', 'deploying']);

/** The names that a report of a role has to use: the environments of deploy, and the docs queue. */
export type ReportNames = { readonly environments?: readonly string[]; readonly items?: readonly string[] };

/** Returns why a report is refused while its agent can still give another one. Null when nothing is missing. */
export function reportGap(report: RoleReport, { environments = [], items }: ReportNames): Finding | null {
  const unnamed = environments.filter((name) => report.environments?.[name] === undefined);
  if (report.word === 'healthy' && unnamed.length > 0) return { rule: 'report-environments', choices: unnamed };
  const stray = (report.items ?? []).find((item) => items?.includes(item) === false);
  return stray === undefined || items === undefined ? null : { rule: 'report-item', words: stray, choices: items };
}

/** Returns what keeps a wave from closing on this report. Empty when it may close. */
export function judgeReport(role: PlannedTask, report: RoleReport): readonly Finding[] {
  const { id, closes } = role;
  if (closes === undefined) return [];
  const of = { task: id, role: closes } as const;
  const words = report.findings;
  const wrong = (code: string): Finding => ({ rule: 'role-report', ...of, code, word: report.word, words });
  if (!roleWords[closes].words.includes(report.word)) return [wrong(`${codeOf[closes]}-unknown-word`)];
  const isClosing = roleWords[closes].closes.includes(report.word);
  return isClosing ? details[closes](report, role).map(wrong) : [wrong(openCode(closes, report.word))];
}

const openCode = (role: ClosureRole, word: string): string =>
  role === 'docs' ? 'doc-closure-open' : `${codeOf[role]}-${word}`;

/** The beginning of the codes of each role. */
const codeOf: Readonly<Record<ClosureRole, string>> = {
  eval: 'cont-eval',
  security: 'security',
  integration: 'integration',
  docs: 'doc-closure',
  infra: 'infra',
  deploy: 'deploy',
  qa: 'cont-qa',
};

/** Rules beside the word of the role. Each returns codes. */
const details: Readonly<Record<ClosureRole, (report: RoleReport, role: PlannedTask) => readonly string[]>> = {
  eval: judgeEval,
  security: ({ word, findings, approvals = [] }) =>
    word === 'clear' && findings.length + approvals.length > 0 ? ['invalid-security-clear-state'] : [],
  integration: () => [],
  docs: () => [],
  infra: () => [],
  deploy: judgeEnvironments,
  qa: ({ dimensions = {} }) =>
    Object.entries(dimensions).flatMap(([name, word]) => (word === 'pass' ? [] : [`gate-${name}-${word}`])),
};

/** Every environment that the plan names or the report mentions has to be healthy. */
function judgeEnvironments({ environments = {} }: RoleReport, { environments: named = [] }: PlannedTask) {
  const all = new Map([...named.map((name) => [name, 'missing'] as const), ...Object.entries(environments)]);
  return [...all].flatMap(([name, word]) => (word === 'healthy' ? [] : [`deploy-${name}-${word}`]));
}

/** The code of a role without a report. */
const missingCode: Readonly<Record<ClosureRole, string>> = {
  eval: 'missing-wave-eval',
  security: 'missing-wave-security',
  integration: 'missing-wave-integration',
  docs: 'missing-doc-closure',
  infra: 'missing-infra-status',
  deploy: 'missing-deploy-status',
  qa: 'missing-cont-qa',
};

/** The role has given no report for this tree, or one that does not count. */
export const reportMissing = ({ id, closes: role = 'qa' }: PlannedTask, because?: Finding): Finding => ({
  rule: 'role-report-missing',
  task: id,
  role,
  code: missingCode[role],
  ...present({ because }),
});
