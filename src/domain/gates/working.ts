import type { ApprovalEvidence, DispatchEvidence, HandoffEvidence, MonitorEvidence } from '../evidence.ts';
import type { PlanHash, TaskId } from '../ids.ts';
import { outOfScope, scopeOf } from '../ownership.ts';
import type { FrozenPlan, PlannedTask } from '../plan.ts';
import { type Finding, failWith, inconclusive, pass, passes, type Verdict } from '../verdict.ts';

/** 2: a person said yes to exactly this plan. A time-out is never a yes. */
export function judgeApproval(hash: PlanHash, evidence: ApprovalEvidence): readonly Verdict[] {
  if (evidence.decision === 'pending' || evidence.decision === 'held')
    return [inconclusive('approval', evidence.decision === 'held' ? 'a person holds the start' : 'waits for approval')];
  if (evidence.decision !== 'approved')
    return [failWith('approval', [{ rule: 'approval', detail: `the start was ${evidence.decision}` }])];
  if (evidence.hash !== hash)
    return [failWith('approval', [{ rule: 'plan-hash', detail: 'the approval is for another version of the plan' }])];
  return [pass('approval')];
}

/** 3: the workspace is what the ledger says, and the fence held before the agent's first instruction. */
export function judgeDispatch(plan: FrozenPlan, evidence: DispatchEvidence): readonly Verdict[] {
  const base: Finding[] =
    evidence.base === evidence.workspaceBase
      ? []
      : [
          {
            rule: 'workspace-base',
            detail: `the workspace stands on ${evidence.workspaceBase}, not on ${evidence.base}`,
          },
        ];
  const { fence } = evidence;
  const waived = fence.mode === 'none' && fence.canary === 'waived' && plan.fence.mode === 'none';
  const held = fence.mode === 'bwrap' && fence.canary === 'held';
  const breach: Finding[] =
    held || waived ? [] : [{ rule: 'fence', detail: `fence ${fence.mode}, canary ${fence.canary}: ${fence.detail}` }];
  return [failWith('workspace', base), failWith('fence', breach)];
}

/** What `judgeMonitor` judges; what matters most to a person comes first. */
export const monitorGates = ['secrets', 'snapshot', 'scope', 'files', 'plan', 'changes', 'exit', 'handoff'] as const;
export type MonitorGate = (typeof monitorGates)[number];

/** 4: the attempt ended well, left its own fresh handoff, and changed only what it owns. */
export function judgeMonitor(
  plan: FrozenPlan,
  task: PlannedTask,
  evidence: MonitorEvidence,
  granted: readonly { readonly task: TaskId; readonly paths: readonly string[] }[],
): readonly Verdict[] {
  const verdicts = [
    judgeExit(evidence),
    judgeHandoff(evidence.handoff, evidence.nonce),
    ...judgeSnapshot(plan, task, evidence, granted),
  ];
  // one that was not read because of what the others say need not be told as well
  const isMoot = evidence.drafted === undefined && !passes(verdicts);
  return task.drafts === undefined || isMoot ? verdicts : [...verdicts, judgeDraft(task.drafts, evidence)];
}

/** What the person could not even run is no plan. */
const judgeDraft = (file: string, { drafted }: MonitorEvidence): Verdict =>
  drafted === undefined ? inconclusive('plan', `${file} was not read`) : failWith('plan', drafted);

function judgeExit({ ending, agent }: MonitorEvidence): Verdict {
  if (ending.reason === 'exited' && ending.code === 0)
    return agent === undefined || agent.outcome === 'completed'
      ? pass('exit')
      : failWith('exit', [
          { rule: 'exit', detail: `exit 0, but the agent did not say that it was through${troubleIn(agent)}` },
        ]);
  const how =
    ending.reason === 'exited'
      ? ending.signal === null
        ? `exit ${ending.code}`
        : `killed by ${ending.signal}`
      : ending.reason;
  const detail = `${[how, ending.detail].filter(Boolean).join(': ')}${troubleIn(agent)}`;
  return failWith('exit', [{ rule: 'exit', detail }]);
}

const troubleIn = (agent: MonitorEvidence['agent']): string =>
  agent?.trouble == null ? '' : ` (${[agent.trouble.kind, agent.trouble.detail].filter(Boolean).join(': ')})`;

function judgeHandoff(evidence: HandoffEvidence, nonce: string): Verdict {
  switch (evidence.kind) {
    case 'absent':
      return inconclusive('handoff', 'the agent left no handoff');
    case 'invalid':
      return failWith('handoff', [{ rule: 'handoff', detail: evidence.why }]);
    case 'given': {
      const { handoff } = evidence;
      if (handoff.nonce !== nonce)
        return failWith('handoff', [{ rule: 'handoff-nonce', detail: 'the handoff is of another attempt' }]);
      if (handoff.status === 'done') return pass('handoff');
      const rest = handoff.remaining.length === 0 ? '' : `; remaining: ${handoff.remaining.join(', ')}`;
      return failWith('handoff', [
        { rule: 'handoff-status', detail: `the agent says ${handoff.status}: ${handoff.summary}${rest}` },
      ]);
    }
  }
}

function judgeSnapshot(
  plan: FrozenPlan,
  task: PlannedTask,
  { snapshot }: MonitorEvidence,
  granted: readonly { readonly task: TaskId; readonly paths: readonly string[] }[],
): readonly Verdict[] {
  if (snapshot === null) return [inconclusive('snapshot', 'the workspace could not be snapshotted')];
  const scope = outOfScope(scopeOf(plan, task, granted), snapshot.diff);
  const { files } = plan.limits;
  const tooMany = files !== null && snapshot.diff.length > files;
  return [
    failWith('snapshot', snapshot.refused),
    failWith('secrets', snapshot.secrets),
    failWith('scope', scope),
    failWith(
      'files',
      tooMany ? [{ rule: 'files', detail: `${snapshot.diff.length} files changed, the limit is ${files}` }] : [],
    ),
    judgeEmpty(task, snapshot.diff.length),
  ];
}

/** A task that was to change something and changed nothing has proven nothing. */
function judgeEmpty(task: PlannedTask, changes: number): Verdict {
  const mayBeEmpty = task.allowEmpty || task.owns?.length === 0;
  return changes === 0 && !mayBeEmpty
    ? inconclusive('changes', 'nothing was changed; set allowEmpty if that is fine')
    : pass('changes');
}
