import type { ContractEvidence, LoadEvidence, PreflightEvidence, ThreadEvidence } from '../evidence.ts';
import type { Finding } from '../findings/finding.ts';
import { idPattern } from '../ids.ts';
import type { FrozenPlan } from '../plan.ts';
import type { Verdict } from '../verdict.ts';
import { failWith, inconclusive, pass } from './say.ts';

/** 000: a real run id, a plan that exists, and a `--wave` that skips no open wave. */
export function judgeContract(evidence: ContractEvidence): readonly Verdict[] {
  const findings: Finding[] = [];
  if (evidence.run === 'wave-unset' || !idPattern.test(evidence.run))
    findings.push({ rule: 'run-id', id: evidence.run });
  if (!evidence.planExists) findings.push({ rule: 'plan-exists', file: evidence.planFile });
  const [next = null] = evidence.openWaves;
  if (evidence.wave !== null && evidence.wave !== next)
    findings.push({ rule: 'wave-order', wave: evidence.wave, next });
  return [failWith('contract', findings)];
}

/** 0: the plan parsed, is not empty, and this is the repository that it was written for. */
export function judgeLoad(evidence: LoadEvidence): readonly Verdict[] {
  const { expected, actual } = evidence;
  const loaded =
    evidence.tasks === 0 ? inconclusive('load', { rule: 'plan-has-tasks' }) : failWith('load', evidence.findings);
  const wrongRepo: Finding[] =
    expected !== null && expected.rootCommit !== actual.rootCommit
      ? [{ rule: 'repository', expected: expected.rootCommit, actual: actual.rootCommit }]
      : [];
  return [loaded, failWith('repository', wrongRepo)];
}

/** 0.5: the wave has a place where what happens is written down. */
export function judgeThread(evidence: ThreadEvidence): readonly Verdict[] {
  return [evidence.id === '' ? inconclusive('thread', { rule: 'thread-bound' }) : pass('thread')];
}

/** 0.7: every directive is complete and carries the merge gate. */
export function judgePreflight(plan: FrozenPlan, wave: number, evidence: PreflightEvidence): readonly Verdict[] {
  const tasks = plan.waves[wave]?.tasks ?? [];
  return [
    tasks.length === 0
      ? inconclusive('directives', { rule: 'wave-has-tasks', wave })
      : failWith('directives', evidence.errors),
  ];
}
