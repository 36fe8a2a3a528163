import type { ClosureEvidence, MergeEvidence } from '../evidence.ts';
import type { FrozenPlan } from '../plan.ts';
import { type Finding, failWith, inconclusive, pass, type Verdict } from '../verdict.ts';

/** 5: something is to be merged, and every check passed on exactly the tree that is to be merged. */
export function judgeClosure(plan: FrozenPlan, evidence: ClosureEvidence): readonly Verdict[] {
  if (evidence.tasks.length === 0) return [inconclusive('round', 'no task is in this round')];
  const checks = plan.checks.map((check): Verdict => {
    const outcome = evidence.checks.find((ended) => ended.name === check.name && ended.tree === evidence.tree);
    const gate = `check ${check.name}`;
    if (outcome === undefined || outcome.outcome === 'could-not-run')
      return inconclusive(gate, 'it has not run on this tree');
    if (outcome.outcome === 'passed') return pass(gate);
    return failWith(gate, [{ rule: 'check', detail: `${check.run}: ${outcome.outcome}`, where: check.name }]);
  });
  return [pass('round'), ...checks];
}

/** 6: the run branch moved from the old id to the new one, and stands there. */
export function judgeMerge(evidence: MergeEvidence): readonly Verdict[] {
  const moved: Finding[] =
    evidence.observed === evidence.new
      ? []
      : [{ rule: 'run-branch', detail: `the run branch is at ${evidence.observed}, not at ${evidence.new}` }];
  const proven = evidence.proof === '' ? inconclusive('proof', 'the merger gave no proof') : pass('proof');
  return [failWith('run-branch', moved), proven];
}
