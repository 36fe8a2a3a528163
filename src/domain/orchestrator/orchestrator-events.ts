import type { AgentNote, AgentReport } from '../agents/agent-note.ts';
import type { AttemptId, PlanHash } from '../base/ids.ts';
import type { RecordPlace } from '../board/board.ts';
import type { Finding } from '../findings/finding.ts';
import type { Ending, LogEvidence } from '../gates/evidence.ts';

/**
 * The resident orchestrator of a run. It has events of its own, so that nothing that reads the events of tasks and attempts can take
 * it for one.
 */
export type OrchestratorEvent =
  /** It is about to be launched, within what is left of its budget. It starts at most `most` times in a run. */
  | {
      readonly type: 'orchestrator-intended';
      readonly attempt: AttemptId;
      readonly number: number;
      readonly nonce: string;
      readonly agent: string;
      /** The plan that was approved. Under another version it is ended. */
      readonly hash: PlanHash;
      readonly usd: number;
      readonly minutes: number;
      readonly most: number;
      /** Identifies the state of the run that it starts with. */
      readonly view: string;
    }
  | {
      readonly type: 'orchestrator-started';
      readonly attempt: AttemptId;
      readonly pid: number;
      /** SHA-256 of its prompt. */
      readonly prompt?: string;
    }
  /** An observation of the running orchestrator. The supervisor numbers these without a gap. */
  | {
      readonly type: 'orchestrator-noted';
      readonly attempt: AttemptId;
      readonly number: number;
      readonly note: AgentNote;
      /** The place of its guidance on the board; absent for other notes. */
      readonly place?: RecordPlace;
      /** The reason why a post changed nothing. */
      readonly refused?: Finding;
    }
  /** The supervisor has received this state of the run. */
  | { readonly type: 'orchestrator-told'; readonly attempt: AttemptId; readonly view: string }
  /** It has ended, whatever the reason. Nothing follows from it for the run. */
  | {
      readonly type: 'orchestrator-ended';
      readonly attempt: AttemptId;
      readonly ending: Ending;
      readonly log: LogEvidence;
      readonly chargedSeconds: number;
      /** Commands reserved for people that it tried; absent for none. */
      readonly refusals?: readonly string[];
      /** Present for agents that speak a protocol. */
      readonly agent?: AgentReport;
    };
