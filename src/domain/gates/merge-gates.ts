import type { Finding } from '../findings/finding.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { ClosureEvidence, MergeEvidence } from './evidence.ts';
import { failWith, inconclusive, pass } from './outcome.ts';
import type { Verdict } from './verdict.ts';

/** 5: there is something to merge, and every check passed on exactly the tree that will be merged. */
export function judgeClosure(plan: FrozenPlan, evidence: ClosureEvidence): readonly Verdict[] {
  if (evidence.tasks.length === 0) return [inconclusive('round', { rule: 'round-has-tasks' })];
  const checks = plan.checks.map(({ name }): Verdict => ({ ...judgeCheck(name, evidence), of: name }));
  const { before } = evidence;
  if (before === undefined) return [pass('round'), ...checks];
  const earlier = plan.checks.map(({ name }): Verdict => ({ ...judgeCheck(name, before), of: name }));
  return [pass('round'), ...checks, ...earlier];
}

function judgeCheck(check: string, { checks, tree }: Pick<ClosureEvidence, 'checks' | 'tree'>): Verdict {
  const outcome = checks.find((ended) => ended.name === check && ended.tree === tree)?.outcome ?? 'could-not-run';
  if (outcome === 'could-not-run') return inconclusive('check', { rule: 'check-run', check });
  return outcome === 'passed' ? pass('check') : failWith('check', [{ rule: 'check', check, outcome }]);
}

/** 6: the run branch moved from the old id to the new one, and is still there. */
export function judgeMerge(evidence: MergeEvidence): readonly Verdict[] {
  const moved: Finding[] =
    evidence.observed === evidence.new
      ? []
      : [{ rule: 'run-branch', expected: evidence.new, actual: evidence.observed }];
  const proven = evidence.proof === '' ? inconclusive('proof', { rule: 'merge-proof' }) : pass('proof');
  return [failWith('run-branch', moved), proven];
}
