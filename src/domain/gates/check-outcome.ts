import type { TreeId } from '../base/ids.ts';
import type { CheckReport } from '../checks/report.ts';
import type { FindingOf } from '../findings/finding.ts';
import { boundedWords } from '../findings/words.ts';
import type { CheckPurpose } from '../ledger/events.ts';
import { isRatchet } from '../plan/plan.ts';
import { checkKey, type RunState } from '../run/run.ts';
import type { CheckOutcome, Ending, LogEvidence } from './evidence.ts';

type CheckEnd = {
  readonly purpose: CheckPurpose;
  readonly name: string;
  readonly tree: TreeId;
  readonly ending: Ending;
  readonly log: LogEvidence;
  readonly tail: string;
  readonly report?: CheckReport;
};

/**
 * Returns the outcome of a check whose job has ended. A setup that fails on a tree is a failure of that tree where it passed on the run branch.
 * On the base itself it says nothing of any task.
 */
export function checkOutcome(state: Pick<RunState, 'plan' | 'branch' | 'checks'>, end: CheckEnd): CheckOutcome {
  const { name, tree, ending, log, tail } = end;
  const common = { name, tree, code: ending.code, log };
  const setup = failedSetup(ending);
  switch (ending.reason) {
    case 'exited':
      return {
        ...common,
        outcome: ending.code === 0 ? 'passed' : 'failed',
        tail,
        ...(end.report && { report: end.report }),
      };
    case 'timed-out':
    case 'silent':
      return { ...common, outcome: 'timed-out', tail, ...(setup && { because: setup }) };
    case 'setup-failed':
      if (setup !== null && end.purpose !== 'base' && hasPassedOnBranch(state))
        return { ...common, outcome: 'failed', tail, because: setup };
      break;
    default:
      break;
  }
  return { ...common, outcome: 'could-not-run', tail, ...(ending.because && { because: ending.because }) };
}

/** Returns the setup that kept a check from being started. Its output is the tail of the check. */
function failedSetup({ because }: Ending): FindingOf<'setup-failed' | 'setup-limit'> | null {
  return because?.rule === 'setup-failed' || because?.rule === 'setup-limit' ? { ...because, words: '' } : null;
}

/** A check that passed was set up before. So was one that failed by itself, with which only `ratchet` lets a run begin. */
const hasPassedOnBranch = ({ plan, branch, checks }: Pick<RunState, 'plan' | 'branch' | 'checks'>): boolean =>
  branch !== null &&
  plan.checks.some((check) => {
    const known = checks[checkKey(branch.tree, check.name)];
    return known?.outcome === 'passed' || (isRatchet(check) && known?.outcome === 'failed');
  });

export const checkUnrunnable = ({ name, because, tail }: CheckOutcome): FindingOf<'check-unrunnable'> => ({
  rule: 'check-unrunnable',
  check: name,
  because: because ?? null,
  words: boundedWords(tail),
});
