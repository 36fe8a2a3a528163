import type { PlanHash, TaskId } from '../base/ids.ts';
import { reportMisfit, reportMissing } from '../closure/report.ts';
import type { ClosureRole } from '../closure/roles.ts';
import { unnamedHunks } from '../derived/sides.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import { isReadOnly } from '../plan/plan.ts';
import { matches, pattern as parsed } from '../scope/pattern.ts';
import { outOfScope, scopeOf } from '../scope/scope.ts';
import type { Acceptance, ApprovalEvidence, DispatchEvidence, MonitorEvidence, SnapshotEvidence } from './evidence.ts';
import { judgeExitContract } from './exit-gates.ts';
import { failWith, inconclusive, pass } from './make-verdict.ts';
import { passes, type Verdict } from './verdict.ts';

/** 2: passes when a person approved exactly this plan. A time-out is never an approval. */
export function judgeApproval(hash: PlanHash, evidence: ApprovalEvidence): readonly Verdict[] {
  const { decision } = evidence;
  if (decision === 'pending' || decision === 'held') return [inconclusive('approval', { rule: 'approval', decision })];
  if (decision !== 'approved') return [failWith('approval', [{ rule: 'approval', decision }])];
  return [failWith('approval', evidence.hash === hash ? [] : [{ rule: 'plan-hash' }])];
}

/** 3: the workspace is what the ledger says, and the fence held before the agent's first instruction. */
export function judgeDispatch(plan: FrozenPlan, evidence: DispatchEvidence): readonly Verdict[] {
  const { base, workspaceBase: actual, fence } = evidence;
  const { mode, canary, breaches } = fence;
  const waived = mode === 'none' && canary === 'waived' && plan.fence.mode === 'none';
  const held = mode === 'bwrap' && canary === 'held';
  return [
    failWith('workspace', base === actual ? [] : [{ rule: 'workspace-base', base, actual }]),
    failWith('fence', held || waived ? [] : [{ rule: 'fence', mode, canary, ...(breaches && { breaches }) }]),
  ];
}

/** Evidence of a task that the plan does not have. */
export const judgeUnplanned = (task: TaskId): readonly Verdict[] => [
  inconclusive('task', { rule: 'task-planned', task }),
];

/** The gates of `judgeMonitor`. The one that matters most to a person comes first. */
export const monitorGates = [
  'secrets',
  'snapshot',
  'scope',
  'sides',
  'files',
  'plan',
  'changes',
  'deliverables',
  'exit',
  'handoff',
  'exit-contract',
  'evidence',
  'report',
] as const;
export type MonitorGate = (typeof monitorGates)[number];

/** 4: the attempt ended well, left its own fresh handoff, changed only what it owns, and made what has to come out of it. */
export function judgeMonitor(
  plan: FrozenPlan,
  task: PlannedTask,
  evidence: MonitorEvidence,
  granted: Granted,
): readonly Verdict[] {
  const verdicts = [
    judgeExit(evidence),
    ...(task.closes === undefined ? [judgeHandoff(evidence)] : judgeRoleEnd(task, task.closes, evidence)),
    ...judgeSnapshot(plan, task, evidence, granted),
    ...judgeExitContract(plan, task, evidence),
    ...(task.purpose === 'resolver' ? [judgeSides(evidence)] : []),
  ];
  // a draft that was not read because of other findings adds no finding of its own
  const isMoot = evidence.drafted === undefined && !passes(verdicts);
  return task.drafts === undefined || isMoot ? verdicts : [...verdicts, judgeDraft(task.drafts, evidence)];
}

/**
 * A resolver leaves no conflict, and keeps what both sides changed, or says in its handoff what it left out. In a file that a person
 * edited by hand, the person decided.
 */
export function judgeSides(
  evidence: Pick<MonitorEvidence, 'sides' | 'handoff' | 'nonce' | 'acceptance' | 'snapshot'>,
): Verdict {
  const { sides, handoff, nonce, acceptance } = evidence;
  if (sides === undefined) return inconclusive('sides', { rule: 'sides-compared' });
  const isOwn = handoff.kind === 'given' && handoff.handoff.nonce === nonce;
  const dropped = isOwn ? (handoff.handoff.dropped ?? []) : [];
  const byHand = isAccepted(evidence) ? (acceptance?.edited ?? []) : [];
  return failWith('sides', [
    ...sides.markers.map((path) => ({ rule: 'markers-left', where: path }) as const),
    ...unnamedHunks(sides.gone, dropped).flatMap(({ path, ...hunk }) =>
      byHand.includes(path) ? [] : [{ rule: 'hunk-gone', where: path, ...hunk } as const],
    ),
  ]);
}

/** A plan that the person could not run fails. */
const judgeDraft = (file: string, { drafted }: MonitorEvidence): Verdict =>
  drafted === undefined ? inconclusive('plan', { rule: 'draft-read', where: file }) : failWith('plan', drafted);

/** True when a person accepted exactly this snapshot: it then needs no handoff of its agent. */
const isAccepted = ({ acceptance, snapshot }: Pick<MonitorEvidence, 'acceptance' | 'snapshot'>): boolean =>
  snapshot !== null && acceptance?.snapshot === snapshot.commit;

function judgeExit(evidence: MonitorEvidence): Verdict {
  const { ending, agent } = evidence;
  const { reason, code, signal } = ending;
  if (isAccepted(evidence)) return pass('exit');
  const finished = agent === undefined || agent.outcome === 'completed';
  if (reason === 'exited' && code === 0 && finished) return pass('exit');
  const trouble = agent?.trouble ?? null;
  const because = ending.because ?? trouble?.because;
  return failWith('exit', [
    {
      rule: 'exit',
      reason,
      code,
      signal,
      ...(trouble === null ? {} : { trouble: trouble.kind }),
      ...(because === undefined ? {} : { because }),
      ...(trouble === null || trouble.words === '' ? {} : { words: trouble.words }),
    },
  ]);
}

function judgeHandoff(evidence: MonitorEvidence): Verdict {
  const { handoff: left, nonce } = evidence;
  if (isAccepted(evidence)) return pass('handoff');
  switch (left.kind) {
    case 'absent':
      return inconclusive('handoff', { rule: 'handoff-present' });
    case 'invalid':
      return failWith('handoff', [{ rule: 'handoff-valid', because: left.because }]);
    case 'given': {
      const { status, summary, remaining } = left.handoff;
      if (left.handoff.nonce !== nonce) return failWith('handoff', [{ rule: 'handoff-nonce' }]);
      if (status === 'done') return pass('handoff');
      return failWith('handoff', [{ rule: 'handoff-status', status, words: [summary, ...remaining] }]);
    }
  }
}

/** A report that is missing or malformed is absent: the role runs again. What it says is judged when the wave closes. */
function judgeRoleEnd(task: PlannedTask, role: ClosureRole, evidence: MonitorEvidence): readonly Verdict[] {
  const { handoff: left } = evidence;
  const because = left.kind === 'given' ? reportMisfit(role, left.handoff) : reportMissing(task);
  const report = because === null ? pass('report') : inconclusive('report', because);
  const handoff =
    left.kind === 'invalid'
      ? inconclusive('handoff', { rule: 'handoff-valid', because: left.because })
      : left.kind === 'absent'
        ? inconclusive('handoff', { rule: 'handoff-present', role })
        : judgeHandoff(evidence);
  return [handoff, report];
}

type Granted = readonly { readonly task: TaskId; readonly paths: readonly string[] }[];

function judgeSnapshot(
  plan: FrozenPlan,
  task: PlannedTask,
  { snapshot, snapshotProblem, acceptance, landing }: MonitorEvidence,
  granted: Granted,
): readonly Verdict[] {
  if (snapshot === null) {
    const because = snapshotProblem === undefined ? {} : { because: snapshotProblem };
    return [inconclusive('snapshot', { rule: 'snapshot-present', ...because })];
  }
  return [
    failWith('snapshot', snapshot.refused),
    failWith('secrets', snapshot.secrets),
    landing === true
      ? judgeLandingChanges(task, snapshot)
      : judgeScope(plan, task, { diff: snapshot.diff, edited: acceptance?.edited ?? [] }, granted),
    judgeCount(plan, snapshot.diff.length),
    judgeEmpty(task, snapshot.diff.length),
    ...judgeDeliverables(task, snapshot),
  ];
}

type Changes = Pick<SnapshotEvidence, 'diff'> & Pick<Acceptance, 'edited'>;

const judgeScope = (plan: FrozenPlan, task: PlannedTask, { diff, edited }: Changes, granted: Granted): Verdict =>
  failWith('scope', outOfScope(scopeOf(plan, task, granted, edited), diff));

/** A closure role that judges a landing may change nothing, whatever it owns: nobody would judge its change, and it would not land. */
const judgeLandingChanges = ({ id: task }: PlannedTask, { diff }: SnapshotEvidence): Verdict =>
  failWith('scope', diff.length === 0 ? [] : [{ rule: 'landing-changed', task, paths: diff.map(({ path }) => path) }]);

function judgeCount(plan: FrozenPlan, changed: number): Verdict {
  const { files: limit } = plan.limits;
  return failWith('files', limit !== null && changed > limit ? [{ rule: 'files', changed, limit }] : []);
}

/** A deliverable must be added or changed by the task: a file that was there before is no proof of its work. */
function judgeDeliverables({ deliverables }: PlannedTask, snapshot: SnapshotEvidence): readonly Verdict[] {
  if (deliverables.length === 0) return [];
  const made = snapshot.made ?? snapshot.diff.filter(({ change }) => change !== 'deleted');
  const missing = deliverables.filter((text) => !made.some(({ path }) => matches(parsed(text), path)));
  return [
    failWith(
      'deliverables',
      missing.map((pattern) => ({ rule: 'deliverable-missing', pattern })),
    ),
  ];
}

/** A task that was to change something and changed nothing has proven nothing. */
function judgeEmpty(task: PlannedTask, changes: number): Verdict {
  const mayBeEmpty = task.allowEmpty || isReadOnly(task);
  return changes === 0 && !mayBeEmpty ? inconclusive('changes', { rule: 'changes' }) : pass('changes');
}
