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
import type { TaskId } from './ids.ts';
import type { Verdict } from './verdict.ts';

/** Evidence and what the gates said of it. Replay judges the same evidence again and must say the same. */
export type Judgement =
  | { readonly phase: 'contract'; readonly evidence: ContractEvidence; readonly verdicts: readonly Verdict[] }
  | { readonly phase: 'load'; readonly evidence: LoadEvidence; readonly verdicts: readonly Verdict[] }
  | {
      readonly phase: 'thread';
      readonly wave: number;
      readonly evidence: ThreadEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'preflight';
      readonly wave: number;
      readonly evidence: PreflightEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'ownership';
      readonly wave: number;
      readonly evidence: OwnershipEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'approval';
      readonly wave: number;
      readonly evidence: ApprovalEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'dispatch';
      readonly task: TaskId;
      readonly evidence: DispatchEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'monitor';
      readonly task: TaskId;
      readonly evidence: MonitorEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'closure';
      readonly wave: number;
      readonly evidence: ClosureEvidence;
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly phase: 'merge';
      readonly wave: number;
      readonly evidence: MergeEvidence;
      readonly verdicts: readonly Verdict[];
    };
