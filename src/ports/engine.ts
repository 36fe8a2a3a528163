import type { RunId } from '../domain/base/ids.ts';
import type { RunState } from '../domain/run/run.ts';

/**
 * Brings runs on. An engine places, wakes and restarts; what is to be done follows from the ledger alone, so none of its
 * own bookkeeping is ever read as a decision.
 */
export interface Engine {
  /** Resolves with the state of the run once nothing can happen to it without a person. Null: there is no such run. */
  settled(run: RunId): Promise<RunState | null>;
  /** Resolves when no run can go on without a person. */
  idle(): Promise<void>;
  /** Rejects when a run cannot be driven any more: the epoch is over, or the ledger is gone. Never resolves. */
  readonly failed: Promise<never>;
  /** The repository is gone: ends every agent, which keeps its work, and then fails. */
  leave(): void;
  /** Lets go of everything; agents go on under their supervisors. */
  stop(): Promise<void>;
}
