import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { NotOrdered } from '../../engine/orders/order-run.ts';
import { findingText } from '../../view/plan-view.ts';
import { exitCodes, misused, type Outcome } from '../frame/command.ts';
import { outcomeOf as lintOutcome } from './lint.ts';

/** Why there is no run, for the one who typed the command. */
export function notOrdered(why: NotOrdered, command: string): Outcome {
  switch (why.because) {
    case 'no-plan':
    case 'no-branch':
      return misused(why.because, `${command}: ${why.message}`);
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
  // nothing is wrong with the plan: a person has to log in
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

/** What takes several lines to mend is set out below the problem, so that it can be pasted. */
function problemLines(found: Finding): readonly string[] {
  const { fix = '', ...finding } = explain(found);
  if (!fix.includes('\n')) return [`tidegate: ${findingText(fix === '' ? finding : { ...finding, fix })}`];
  return [`tidegate: ${findingText(finding)}; to mend it:`, ...fix.split('\n').map((line) => `  ${line}`)];
}
