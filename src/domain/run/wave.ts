import type { TreeId } from '../base/ids.ts';
import type { BoundThread } from '../gates/evidence.ts';
import type { Verdict } from '../gates/verdict.ts';
import type { By } from '../ledger/requests.ts';
import type { RoundState } from './round.ts';

/** One wave of a run: what its phases judged, and its rounds. */
export type WaveState = {
  readonly index: number;
  readonly thread: readonly Verdict[] | null;
  /** Set only when threads are opened elsewhere: the key of the request, and the thread that was opened. */
  readonly threadKey?: string;
  readonly bound?: BoundThread;
  readonly preflight: readonly Verdict[] | null;
  readonly ownership: readonly Verdict[] | null;
  readonly approval: readonly Verdict[] | null;
  readonly rounds: readonly RoundState[];
  readonly closed: boolean;
  /** Barriers that people resolved; absent for none. */
  readonly resolved?: readonly ResolvedBarrier[];
};

/** It counts for this tree only. */
type ResolvedBarrier = {
  readonly barrier: string;
  readonly tree: TreeId;
  readonly reason: string;
  readonly by: By;
};
