import type { Finding } from '../findings/finding.ts';
import type { PlannedTask } from '../plan/plan.ts';
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

/** Returns what keeps a wave from closing on this report. Empty when it may close. */
export function judgeReport({ id, closes }: PlannedTask, report: RoleReport): readonly Finding[] {
  if (closes === undefined) return [];
  const of = { task: id, role: closes } as const;
  const words = report.findings;
  const wrong = (code: string): Finding => ({ rule: 'role-report', ...of, code, word: report.word, words });
  if (!roleWords[closes].words.includes(report.word)) return [wrong(`${codeOf[closes]}-unknown-word`)];
  const isClosing = roleWords[closes].closes.includes(report.word);
  return isClosing ? details[closes](report).map(wrong) : [wrong(`${codeOf[closes]}-${report.word}`)];
}

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
const details: Readonly<Record<ClosureRole, (report: RoleReport) => readonly string[]>> = {
  eval: ({ regressions = 0 }) => (regressions > 0 ? ['cont-eval-regressions'] : []),
  security: ({ word, findings, approvals = [] }) =>
    word === 'clear' && findings.length + approvals.length > 0 ? ['invalid-security-clear-state'] : [],
  integration: () => [],
  docs: () => [],
  infra: () => [],
  deploy: ({ environments = {} }) =>
    Object.entries(environments).flatMap(([name, word]) => (word === 'healthy' ? [] : [`deploy-${name}-${word}`])),
  qa: ({ dimensions = {} }) =>
    Object.entries(dimensions).flatMap(([name, word]) => (word === 'pass' ? [] : [`gate-${name}-${word}`])),
};

/** The role has given no report for this tree. */
export const reportMissing = ({ id, closes }: PlannedTask): Finding => ({
  rule: 'role-report-missing',
  task: id,
  role: closes ?? 'qa',
});
