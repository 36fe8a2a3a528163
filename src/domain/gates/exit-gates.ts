import type { TaskId } from '../base/ids.ts';
import { isNonEmpty } from '../base/result.ts';
import { isGood, standingIn } from '../checks/standing.ts';
import {
  type ExitClaims,
  type ExitPart,
  provesLevel,
  type RequiredLevel,
  reaches,
  requiredLevels,
} from '../closure/exit-contract.ts';
import type { Finding } from '../findings/finding.ts';
import type { ClaimCode } from '../findings/gate-rules.ts';
import { type FrozenPlan, type PlannedTask, plannedById } from '../plan/plan.ts';
import type { CheckOutcome, ClosureEvidence, MonitorEvidence } from './evidence.ts';
import { failWith, pass } from './make-verdict.ts';
import type { Verdict } from './verdict.ts';
import { gateVersions } from './versions.ts';

/**
 * Judges the exit contract of a task: `exit-contract` compares the claims of the handoff with it, `evidence` looks for what holds up
 * each level. A claim above the contract counts as the contract's level. Levels that need the candidate are judged with it. No verdict
 * for a task without a contract.
 */
export function judgeExitContract(plan: FrozenPlan, task: PlannedTask, evidence: MonitorEvidence): readonly Verdict[] {
  const required = requiredLevels(task.exit);
  const claims = required.length === 0 ? [] : [failWith('exit-contract', claimFindings(required, claimsIn(evidence)))];
  const isJudged = required.length > 0 || (task.artifacts ?? []).length > 0;
  if (isJudged && isResolved(evidence)) return [...claims.map(() => pass('exit-contract')), pass('evidence')];
  return isJudged ? [...claims, judgeEvidence(plan, task, required, evidence)] : claims;
}

/** True when a person resolved the contract for exactly this tree. */
const isResolved = ({ resolved, snapshot }: MonitorEvidence): boolean =>
  snapshot !== null && resolved?.tree === snapshot.tree;

/** A person's acceptance replaces the handoff, and makes no claim. */
function claimsIn({ handoff, nonce }: MonitorEvidence): ExitClaims {
  return handoff.kind === 'given' && handoff.handoff.nonce === nonce ? (handoff.handoff.claims ?? {}) : {};
}

function claimFindings(required: readonly RequiredLevel[], claims: ExitClaims): readonly Finding[] {
  const gap: readonly Finding[] = claims.state === 'gap' ? [{ rule: 'exit-gap', code: 'wave-proof-gap' }] : [];
  const below = required.flatMap(({ part, level }): readonly Finding[] => {
    const claimed = claims[part] ?? null;
    if (claimed !== null && reaches(part, claimed, level)) return [];
    const code = claimed === null ? missingCode(part) : gapCodes[part];
    return [{ rule: 'exit-claim', code, part, level, claimed }];
  });
  return [...gap, ...below];
}

const missingCode = (part: ExitPart): ClaimCode => (part === 'docs' ? 'missing-doc-delta' : 'missing-wave-proof');
const gapCodes: Readonly<Record<ExitPart, ClaimCode>> = {
  completion: 'completion-gap',
  durability: 'durability-gap',
  proof: 'proof-level-gap',
  docs: 'doc-impact-gap',
};

/** Fails on a check that failed; inconclusive without the evidence that a level needs. */
function judgeEvidence(
  plan: FrozenPlan,
  task: PlannedTask,
  required: readonly RequiredLevel[],
  evidence: MonitorEvidence,
): Verdict {
  const failed = failedChecks(evidence.checks ?? []);
  if (failed.length > 0) return failWith('evidence', failed);
  const lacking = required.flatMap((level) => lacksAtSnapshot(plan, task, level, evidence));
  return unproven([...missingArtifacts(task, evidence), ...lacking]);
}

const failedChecks = (checks: readonly CheckOutcome[]): readonly Finding[] =>
  checks.flatMap(({ name, outcome }) =>
    outcome === 'failed' || outcome === 'timed-out' ? [{ rule: 'check', check: name, outcome }] : [],
  );

function missingArtifacts({ artifacts = [] }: PlannedTask, { snapshot }: MonitorEvidence): readonly Finding[] {
  return artifacts.flatMap(({ path }): readonly Finding[] => {
    const taken = snapshot?.proofs?.find((proof) => proof.path === path);
    if (taken !== undefined && 'sha256' in taken) return [];
    return [{ rule: 'proof-missing', code: 'missing-proof-artifact', path, fault: taken?.fault ?? 'absent' }];
  });
}

/** A level that the checks of this tree, or a declared proof, hold up. A proof that is missing has a finding of its own. */
function lacksAtSnapshot(
  plan: FrozenPlan,
  task: PlannedTask,
  required: RequiredLevel,
  { checks = [], snapshot }: MonitorEvidence,
): readonly Finding[] {
  switch (required.support) {
    case 'snapshot-check': {
      const isChecked =
        plan.checks.length > 0 && plan.checks.every(({ name }) => passedOn(checks, name, snapshot?.tree));
      return isChecked ? [] : [levelUnproven(task.id, required, 'check')];
    }
    case 'artifact': {
      const isDeclared = (task.artifacts ?? []).some((proof) => provesLevel(proof, required));
      const isClosed = required.part === 'docs' && hasDocsRole(plan, task.id);
      return isDeclared || isClosed ? [] : [levelUnproven(task.id, required, 'proof')];
    }
    default:
      return [];
  }
}

/** The docs role of the wave closes each documentation claim by name. */
const hasDocsRole = ({ waves }: FrozenPlan, task: TaskId): boolean =>
  waves.some(
    ({ tasks, closure = [] }) => tasks.some(({ id }) => id === task) && closure.some(({ closes }) => closes === 'docs'),
  );

const passedOn = (checks: readonly CheckOutcome[], check: string, tree: string | undefined): boolean =>
  checks.some(({ name, outcome, tree: on }) => name === check && outcome === 'passed' && on === tree);

const levelUnproven = (task: TaskId, { part, level }: RequiredLevel, needs: 'check' | 'proof'): Finding => ({
  rule: 'level-unproven',
  code: 'missing-proof',
  task,
  part,
  level,
  needs,
});

const unproven = (findings: readonly Finding[]): Verdict =>
  isNonEmpty(findings)
    ? { gate: 'evidence', version: gateVersions.evidence, outcome: 'inconclusive', findings }
    : pass('evidence');

/** Tells whether the checks have to run on the snapshot's own tree: nothing else holds up `unit`. */
export const needsSnapshotChecks = ({ checks }: FrozenPlan, { exit }: PlannedTask): boolean =>
  checks.length > 0 && requiredLevels(exit).some(({ support }) => support === 'snapshot-check');

/** With the candidate: one verdict for each task whose contract has a level that the checks of the candidate hold up. */
export function judgeExits(plan: FrozenPlan, { tasks, checks, tree, baseline }: ClosureEvidence): readonly Verdict[] {
  const isChecked =
    plan.checks.length > 0 &&
    plan.checks.every((check) => {
      const outcome = checks.find((one) => one.name === check.name && one.tree === tree);
      const isResolved = baseline?.resolved?.some((one) => one.check === check.name && one.tree === tree) === true;
      return isResolved || isGood(standingIn(check, outcome, baseline));
    });
  return tasks.flatMap(({ task }): readonly Verdict[] => {
    const required = requiredLevels(plannedById(plan, task)?.exit ?? {});
    const levels = required.filter(({ support }) => support === 'candidate-check');
    const lacking = isChecked ? [] : levels.map((level) => levelUnproven(task, level, 'check'));
    return levels.length === 0 ? [] : [{ ...unproven(lacking), of: task }];
  });
}
