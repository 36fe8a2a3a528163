import type { TaskId } from '../base/ids.ts';
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
import type { Verdict } from './verdict.ts';

/** Evidence and what the gates said of it. Replay judges the same evidence again and must say the same. */
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
  /** Of the phase: which gates it has. */
  readonly version: number;
  readonly evidence: Evidence;
  readonly verdicts: readonly Verdict[];
};
type OfWave = { readonly wave: number };
type OfTask = { readonly task: TaskId };
