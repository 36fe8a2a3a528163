import type { PlanHash, TaskId } from '../base/ids.ts';
import { unreachable } from '../base/result.ts';
import { roleScopeFaults } from '../closure/role-scope.ts';
import { type FrozenPlan, type PlannedTask, plannedById } from '../plan/plan.ts';
import { ownershipConflicts } from '../scope/ownership.ts';
import type {
  ApprovalEvidence,
  ClosureEvidence,
  ContractEvidence,
  DispatchEvidence,
  LoadEvidence,
  MergeEvidence,
  MonitorEvidence,
  OwnershipEvidence,
  PreflightEvidence,
  ThreadEvidence,
} from './evidence.ts';
import { failWith } from './make-verdict.ts';
import { judgeClosure, judgeContract, judgeLoad, judgeMerge, judgePreflight, judgeThread } from './start-gates.ts';
import type { Verdict } from './verdict.ts';
import { phaseVersions } from './versions.ts';
import { judgeApproval, judgeDispatch, judgeMonitor, judgeUnplanned } from './work-gates.ts';

/** The inputs of a judgement beside its evidence: the frozen plan and what people granted before it. */
export type JudgeContext = {
  readonly plan: FrozenPlan;
  readonly hash: PlanHash;
  readonly granted: readonly { readonly task: TaskId; readonly paths: readonly string[] }[];
  /** Tasks that Tidegate made during the run; absent for none. */
  readonly derived?: readonly PlannedTask[];
};

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Unjudged = DistributiveOmit<Judgement, 'verdicts' | 'version'>;

/** Judges evidence of any phase. Live decisions and replay both call it. */
export function judge(context: JudgeContext, unjudged: Unjudged): readonly Verdict[] {
  const { plan, hash, granted, derived = [] } = context;
  switch (unjudged.phase) {
    case 'contract':
      return judgeContract(plan, unjudged.evidence);
    case 'load':
      return judgeLoad(unjudged.evidence);
    case 'thread':
      return judgeThread(unjudged.evidence);
    case 'preflight':
      return judgePreflight(plan, unjudged.wave, unjudged.evidence);
    case 'ownership':
      return [
        failWith('ownership', [
          ...ownershipConflicts(plan, unjudged.wave, unjudged.evidence.granted),
          ...roleScopeFaults(plan, unjudged.wave),
        ]),
      ];
    case 'approval':
      return judgeApproval(hash, unjudged.evidence);
    case 'dispatch':
      return judgeDispatch(plan, unjudged.evidence);
    case 'monitor': {
      const task = plannedById(plan, unjudged.task) ?? derived.find(({ id }) => id === unjudged.task);
      return task === undefined ? judgeUnplanned(unjudged.task) : judgeMonitor(plan, task, unjudged.evidence, granted);
    }
    case 'closure':
      return judgeClosure(plan, unjudged.wave, unjudged.evidence);
    case 'merge':
      return judgeMerge(unjudged.evidence);
    default:
      return unreachable(unjudged);
  }
}

export const judged = <U extends Unjudged>(context: JudgeContext, unjudged: U) =>
  ({
    type: 'phase-judged',
    ...unjudged,
    version: phaseVersions[unjudged.phase],
    verdicts: judge(context, unjudged),
  }) as const;

/** Evidence with the verdicts of its gates. Replay judges the same evidence again and must reach the same verdicts. */
export type Judgement =
  | Judged<'contract', ContractEvidence>
  | Judged<'load', LoadEvidence>
  | (OfWave & Judged<'thread', ThreadEvidence>)
  | (OfWave & Judged<'preflight', PreflightEvidence>)
  | (OfWave & Judged<'ownership', OwnershipEvidence>)
  | (OfWave & Judged<'approval', ApprovalEvidence>)
  | (OfTask & Judged<'dispatch', DispatchEvidence>)
  | (OfTask & Judged<'monitor', MonitorEvidence>)
  | (OfWave & Judged<'closure', ClosureEvidence>)
  | (OfWave & Judged<'merge', MergeEvidence>);

type Judged<Phase, Evidence> = {
  readonly phase: Phase;
  /** The version of the phase, which decides the gates that it has. */
  readonly version: number;
  readonly evidence: Evidence;
  readonly verdicts: readonly Verdict[];
};
type OfWave = { readonly wave: number };
type OfTask = { readonly task: TaskId };
