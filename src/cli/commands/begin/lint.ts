import { explain } from '../../../domain/explain/explain.ts';
import { waveName } from '../../../domain/explain/text.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import type { NotOrdered } from '../../../engine/orders/order-run.ts';
import type { ReadPlan } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { definitionLines, findingText, policyText, roleLines } from '../../../view/plan-view.ts';
import { aPlan, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';

export const lintCommand = command({
  name: 'lint',
  group: 'begin',
  summary: 'list all mistakes in a plan, with their place and a hint',
  arguments: { plan: aPlan },
  run: async ({ plan }, context, { ports }) => {
    const loaded = await ports.readPlan(context, plan);
    return loaded.ok ? lintOutcome(loaded.value) : usageError('no-plan', `lint: ${loaded.error}`);
  },
});

export function lintOutcome(loaded: ReadPlan): Outcome {
  const warnings = loaded.warnings.flatMap((finding) => findingLines(finding, 'warning'));
  if (!loaded.ok) {
    const { findings } = loaded;
    const lines = [
      ...warnings,
      ...findings.flatMap((finding) => findingLines(finding, 'error')),
      count(findings.length),
    ];
    return {
      exit: exitCodes.usage,
      reason: 'plan-invalid',
      lines,
      data: { findings: findings.map(explain), warnings: loaded.warnings.map(explain) },
    };
  }
  const { plan, hash, planFile } = loaded;
  const tasks = plan.waves.reduce((sum, wave) => sum + wave.tasks.length, 0);
  const summary = `${planFile}: ${plural(plan.waves.length, 'wave')}, ${plural(tasks, 'task')}, plan hash ${hash.slice(0, 12)}`;
  const checks = plan.checks.flatMap((check) => [
    `check ${check.name}: ${check.run}${policyText(check)}`,
    ...definitionLines(check),
  ]);
  const roles = plan.waves.flatMap(({ name, closure = [] }, wave): readonly Text[] =>
    closure.length === 0 ? [] : [waveName(wave, name), ...roleLines(plan, wave, { definitions: true })],
  );
  return done([...warnings, ...(checks.length === 0 ? [noChecksWarning] : checks), ...roles, summary], {
    planFile,
    hash,
    waves: plan.waves.length,
    tasks,
    checks: plan.checks,
    warnings: loaded.warnings.map(explain),
  });
}

/** Not a rule: a plan that only writes notes needs no checks, and `run` shows the same line. */
const noChecksWarning: Text = [
  { text: 'warning', tone: 'waiting' },
  ': the plan has no checks: work that merges cleanly is merged without being tested',
];

/** Words a finding as `file:line:column: message`, so that editors can jump there, with the hint below. */
export function findingLines(finding: Finding, level: 'error' | 'warning'): readonly Text[] {
  const { where, detail, fix } = explain(finding);
  const mark = { text: level, tone: level === 'error' ? 'bad' : 'waiting' } as const;
  const main: Text = [where === undefined ? '' : `${where}: `, mark, `: ${detail}`];
  return fix === undefined ? [main] : [main, [{ text: `  ${fix}`, tone: 'dim' }]];
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const count = (findings: number): string => `${plural(findings, 'mistake')}; nothing was started`;

/** Tells the caller why no run was ordered. */
export function notOrderedOutcome(why: NotOrdered, command: string): Outcome {
  switch (why.because) {
    case 'no-plan':
    case 'no-branch':
      return usageError(why.because, `${command}: ${why.message}`);
    case 'mistakes':
      return lintOutcome({ ok: false, findings: why.findings, warnings: why.warnings });
    case 'refused':
      return refusedPlan(why.findings, why.warnings);
  }
}

function refusedPlan(findings: readonly Finding[], warnings: readonly Finding[]): Outcome {
  const logins = findings.flatMap((finding) =>
    finding.rule === 'no-agent-ready' ? finding.findings.filter(isLogin) : [],
  );
  const [login] = logins;
  // the plan is fine: a person has to log in
  if (login !== undefined && findings.every(({ rule }) => rule === 'no-agent-ready'))
    return {
      exit: exitCodes.personNeeded,
      reason: 'needs-login',
      problems: findings.flatMap((finding) => `tidegate: ${explain(finding).detail}`),
      needs: [{ kind: 'login', task: null, message: 'log an agent in', command: explain(login).fix ?? '' }],
      data: { findings: findings.map(explain), warnings: warnings.map(explain) },
    };
  return {
    exit: exitCodes.usage,
    reason: findings.every(({ rule }) => rule === 'no-agent-ready') ? 'no-agent' : 'plan-refused',
    problems: [...findings.flatMap(problemLines), 'nothing was started'],
    data: { findings: findings.map(explain), warnings: warnings.map(explain) },
  };
}

const isLogin = ({ rule }: Finding): boolean =>
  rule === 'not-logged-in' || rule === 'login-file-closed' || rule === 'login-needs-fence';

/** A fix of several lines goes below the problem, so that it can be pasted. */
function problemLines(original: Finding): readonly string[] {
  const { fix = '', ...finding } = explain(original);
  if (!fix.includes('\n')) return [`tidegate: ${findingText(fix === '' ? finding : { ...finding, fix })}`];
  return [`tidegate: ${findingText(finding)}; to fix it:`, ...fix.split('\n').map((line) => `  ${line}`)];
}
