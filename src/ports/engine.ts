import type { RunId } from '../domain/base/ids.ts';
import type { RunState } from '../domain/run/run.ts';

/** Drives runs. Every decision follows from the ledger alone; the bookkeeping of an engine never decides anything. */
export interface Engine {
  /** Resolves with the state of the run once it needs a person to continue; null when there is no such run. */
  settled(run: RunId): Promise<RunState | null>;
  /** Resolves when no run can continue without a person. */
  idle(): Promise<void>;
  /** Rejects when runs cannot be driven any more: the epoch is over, or the ledger is gone. Never resolves. */
  readonly failed: Promise<never>;
  /** Call when the repository is gone: ends every agent, keeps its work, and then fails. */
  leave(): void;
  /** Releases everything. Agents continue under their supervisors. */
  stop(): Promise<void>;
}
