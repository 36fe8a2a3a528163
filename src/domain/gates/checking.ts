import type { ContractEvidence, LoadEvidence, PreflightEvidence, ThreadEvidence } from '../evidence.ts';
import { idPattern } from '../ids.ts';
import type { FrozenPlan } from '../plan.ts';
import { type Finding, failWith, inconclusive, pass, type Verdict } from '../verdict.ts';

/** 000: a real run id, a plan that exists, and a `--wave` that skips no open wave. */
export function judgeContract(evidence: ContractEvidence): readonly Verdict[] {
  const findings: Finding[] = [];
  if (evidence.run === 'wave-unset' || !idPattern.test(evidence.run))
    findings.push({ rule: 'run-id', detail: `"${evidence.run}" is not a run id` });
  if (!evidence.planExists) findings.push({ rule: 'plan-exists', detail: `no plan at ${evidence.planFile}` });
  const [next] = evidence.openWaves;
  if (evidence.wave !== null && evidence.wave !== next) {
    const detail =
      next === undefined
        ? `wave ${evidence.wave} was asked for, but no wave is open`
        : `wave ${evidence.wave} was asked for, but wave ${next} is the next open one`;
    findings.push({ rule: 'wave-order', detail, ...(next === undefined ? {} : { fix: `--wave ${next}` }) });
  }
  return [failWith('contract', findings)];
}

/** 0: the plan parsed, is not empty, and this is the repository that it was written for. */
export function judgeLoad(evidence: LoadEvidence): readonly Verdict[] {
  const { expected, actual } = evidence;
  const loaded =
    evidence.tasks === 0 ? inconclusive('load', 'the plan has no task') : failWith('load', evidence.findings);
  const wrongRepo: Finding[] = [];
  if (expected !== null && expected.rootCommit !== actual.rootCommit)
    wrongRepo.push({
      rule: 'repository',
      detail: `the plan is for the repository that began with ${expected.rootCommit}, this one began with ${actual.rootCommit}`,
    });
  return [loaded, failWith('repository', wrongRepo)];
}

/** 0.5: the wave has a place where what happens is written down. */
export function judgeThread(evidence: ThreadEvidence): readonly Verdict[] {
  return [evidence.id === '' ? inconclusive('thread', 'no coordination thread is bound') : pass('thread')];
}

/** 0.7: every directive is complete and carries the merge gate. */
export function judgePreflight(plan: FrozenPlan, wave: number, evidence: PreflightEvidence): readonly Verdict[] {
  const tasks = plan.waves[wave]?.tasks ?? [];
  return [
    tasks.length === 0
      ? inconclusive('directives', `wave ${wave} has no task`)
      : failWith('directives', evidence.errors),
  ];
}
