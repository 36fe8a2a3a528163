import { idPattern } from '../base/ids.ts';
import { standingIn } from '../checks/standing.ts';
import { docsFindings } from '../closure/docs-queue.ts';
import { judgeReport, reportMissing } from '../closure/report.ts';
import { judgesWholeTree } from '../closure/roles.ts';
import type { Finding, FindingOf } from '../findings/finding.ts';
import { whyMissing } from '../plan/earlier-waves.ts';
import { type Check, closureOf, type FrozenPlan, isRatchet, type PlannedTask, plannedById } from '../plan/plan.ts';
import { contradictionOf, mainRemote } from '../plan/repo-claim.ts';
import { neededLevel } from '../proofs/bundle.ts';
import { componentBarrier, componentFindings, type Promotion, promotionsOf } from '../proofs/components.ts';
import { bundleBarrier, bundleFindings } from '../proofs/open-bundles.ts';
import type {
  CheckBaseline,
  ClosureEvidence,
  ContractEvidence,
  LoadEvidence,
  MergeEvidence,
  PreflightEvidence,
  ThreadEvidence,
} from './evidence.ts';
import { judgeExits } from './exit-gates.ts';
import { failWith, inconclusive, pass } from './make-verdict.ts';
import type { Verdict } from './verdict.ts';

/** 000: a real run id, a plan that exists, and a `--wave` whose earlier waves are in the commit that the run begins at. */
export function judgeContract(plan: FrozenPlan, evidence: ContractEvidence): readonly Verdict[] {
  const findings: Finding[] = [];
  if (evidence.run === 'wave-unset' || !idPattern.test(evidence.run))
    findings.push({ rule: 'run-id', id: evidence.run });
  if (!evidence.planExists) findings.push({ rule: 'plan-exists', file: evidence.planFile });
  if (evidence.wave !== null) findings.push(...waveFindings(plan, evidence.wave, evidence));
  return [failWith('contract', findings)];
}

function waveFindings(
  plan: FrozenPlan,
  wave: number,
  { earlier = [], planFile }: ContractEvidence,
): readonly Finding[] {
  const known = new Map(earlier.map((task) => [task.task, task]));
  const missing = plan.waves.flatMap(({ tasks }, index) =>
    tasks.flatMap(({ id }) => {
      const seen = known.get(id);
      const why = seen === undefined ? 'absent' : whyMissing(plan, seen);
      return why === null ? [] : [{ task: id, wave: index, run: seen?.run ?? null, branch: seen?.branch, why }];
    }),
  );
  const next = missing[0]?.wave ?? null;
  if (next === wave) return [];
  const before = missing.filter((task) => task.wave < wave && wave < plan.waves.length);
  if (before.length === 0) return [{ rule: 'wave-order', wave, next }];
  const kinds = new Map<string, (typeof before)[number][]>();
  for (const task of before) {
    const kind = `${task.why} ${task.run}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), task]);
  }
  return [...kinds.values()].flatMap(([first, ...more]): readonly Finding[] => {
    if (first === undefined) return [];
    const { why, run, branch } = first;
    const tasks = [first, ...more].map(({ task }) => task);
    const on = why === 'on-branch' && branch !== undefined ? { branch } : {};
    return [{ rule: 'wave-missing', wave, tasks, why, run, ...on, next: next ?? 0, file: planFile }];
  });
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
  return [loaded, failWith('repository', [...wrongRepo, ...claimFindings(evidence)])];
}

/** One finding for all tasks that claim the same. */
function claimFindings({ claims = [], actual }: LoadEvidence): readonly Finding[] {
  const found = new Map<string, FindingOf<'repo-claim'>>();
  for (const claim of claims) {
    const of = contradictionOf(claim, actual);
    if (of === null) continue;
    const expected = claim[of] ?? '';
    const tasks = [...(found.get(`${of} ${expected}`)?.tasks ?? []), claim.task];
    const is = of === 'root' ? actual.rootCommit : mainRemote(actual);
    found.set(`${of} ${expected}`, { rule: 'repo-claim', of, tasks, expected, actual: is });
  }
  return [...found.values()];
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

/** 5: there is something to merge, and every check passed on exactly the tree that will be merged. */
export function judgeClosure(plan: FrozenPlan, wave: number, evidence: ClosureEvidence): readonly Verdict[] {
  if (evidence.tasks.length === 0) return [inconclusive('round', { rule: 'round-has-tasks' })];
  const { before, baseline } = evidence;
  const checks = plan.checks.map((check): Verdict => ({ ...judgeCheck(check, evidence, baseline), of: check.name }));
  // with the definitions of the base, nothing is redefined
  const asBefore = baseline === undefined ? undefined : { ...baseline, redefined: [] };
  const earlier =
    before === undefined
      ? []
      : plan.checks.map((check): Verdict => ({ ...judgeCheck(check, before, asBefore), of: check.name }));
  const roles = closureOf(plan, wave).map((role): Verdict => ({ ...judgeRole(role, evidence), of: role.id }));
  return [
    pass('round'),
    ...checks,
    ...earlier,
    ...judgeExits(plan, evidence),
    ...evidence.tasks.flatMap((entry) => judgeBundle(plan, entry, evidence)),
    ...promotionsOf(plan, wave).flatMap((promotion) => judgeComponent(promotion, evidence)),
    ...roles,
  ];
}

/** Passes on a proof of a person for exactly this snapshot, or a resolution. No verdict for a task that needs neither. */
function judgeBundle(
  plan: FrozenPlan,
  entry: ClosureEvidence['tasks'][number],
  { bundles = [], closure }: ClosureEvidence,
): readonly Verdict[] {
  const planned = plannedById(plan, entry.task);
  if (planned === undefined || neededLevel(planned) === null) return [];
  const isResolved = closure?.resolved.includes(bundleBarrier(entry.task)) === true;
  const verdict = isResolved ? pass('bundle') : failWith('bundle', bundleFindings(plan, entry, bundles));
  return [{ ...verdict, of: entry.task }];
}

/** Passes on a component that all its owners prove. No verdict before its last owner is integrated. */
function judgeComponent(promotion: Promotion, evidence: ClosureEvidence): readonly Verdict[] {
  const { component, owners } = promotion;
  const inRound = owners.filter((owner) => evidence.tasks.some(({ task }) => task === owner));
  const isDue = evidence.closure?.components?.some((one) => one.component === component) === true;
  if (inRound.length === 0 || (!isDue && inRound.length < owners.length)) return [];
  const isResolved = evidence.closure?.resolved.includes(componentBarrier(component)) === true;
  const verdict = isResolved ? pass('component') : failWith('component', componentFindings(promotion, evidence));
  return [{ ...verdict, of: component }];
}

/** Passes on a report about exactly this tree that lets the wave close, or that a person resolved. */
function judgeRole(role: PlannedTask, { tree, closure }: ClosureEvidence): Verdict {
  const about = role.closes !== undefined && judgesWholeTree(role.closes) ? tree : closure?.core;
  if (closure?.resolved.includes(role.id) === true) return pass('role');
  const given = closure?.reports.find((report) => report.task === role.id && report.tree === about);
  return given === undefined
    ? inconclusive('role', reportMissing(role))
    : failWith('role', [...judgeReport(role, given.report), ...docsFindings(role, given.report, closure?.docs ?? [])]);
}

/** Passes by the policy of the check, or because a person let pass on this tree what cannot be compared. */
function judgeCheck(
  check: Check,
  { checks, tree }: Pick<ClosureEvidence, 'checks' | 'tree'>,
  baseline: CheckBaseline | undefined,
): Verdict {
  const { name } = check;
  const outcome = checks.find((ended) => ended.name === name && ended.tree === tree);
  const standing = standingIn(check, outcome, baseline);
  switch (standing.is) {
    case 'passed':
    case 'kept':
      return pass('check');
    case 'unrun':
      return inconclusive('check', { rule: 'check-run', check: name });
    case 'failed': {
      const worse = isRatchet(check) && standing.worse !== undefined ? { worse: standing.worse } : {};
      return failWith('check', [
        { rule: 'check', check: name, outcome: outcome?.outcome ?? 'could-not-run', ...worse },
      ]);
    }
    case 'unclear': {
      const isResolved = baseline?.resolved?.some((one) => one.check === name && one.tree === tree) === true;
      return isResolved
        ? pass('check')
        : inconclusive('check', { rule: 'check-unclear', check: name, why: standing.why });
    }
  }
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
