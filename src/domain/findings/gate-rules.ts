import type { TroubleKind } from '../agent-event.ts';
import type { CheckOutcome, Ending, FenceEvidence, Handoff } from '../evidence.ts';
import type { CommitId, TaskId } from '../ids.ts';

/** What gates say of evidence. */
export type GateRules = {
  // contract and load
  'run-id': { readonly id: string };
  'plan-exists': { readonly file: string };
  /** `next` is the first open wave; null when none is. */
  'wave-order': { readonly wave: number; readonly next: number | null };
  'plan-has-tasks': unknown;
  repository: { readonly expected: CommitId; readonly actual: CommitId };
  // waves
  'thread-bound': unknown;
  'wave-has-tasks': { readonly wave: number };
  approval: { readonly decision: 'pending' | 'held' | 'rejected' | 'expired' };
  'plan-hash': unknown;
  // attempts
  /** `before`: agents of its chain that could not do it either. */
  launch: { readonly words: string; readonly before: readonly string[] };
  'task-planned': { readonly task: TaskId };
  'workspace-base': { readonly base: CommitId; readonly actual: CommitId };
  fence: { readonly mode: FenceEvidence['mode']; readonly canary: FenceEvidence['canary']; readonly words?: string };
  /** `outcome` is the agent's own last word when it exited with 0 and did not say that it had finished. */
  exit: Pick<Ending, 'reason' | 'code' | 'signal'> & {
    readonly trouble?: TroubleKind;
    readonly words?: readonly string[];
  };
  'handoff-present': unknown;
  'handoff-valid': { readonly words: string };
  'handoff-nonce': unknown;
  /** `words`: its summary, then what remains. */
  'handoff-status': { readonly status: Handoff['status']; readonly words: readonly string[] };
  'snapshot-present': unknown;
  files: { readonly changed: number; readonly limit: number };
  changes: unknown;
  'draft-read': unknown;
  // rounds
  'round-has-tasks': unknown;
  /** It has not run on this tree, or could not. */
  'check-run': { readonly check: string };
  check: { readonly check: string; readonly outcome: CheckOutcome['outcome'] };
  conflict: { readonly files: readonly string[] };
  /** `words`: the lines of its output that say why. */
  'check-fails': { readonly check: string; readonly words: readonly string[] };
  'run-branch': { readonly expected: CommitId; readonly actual: CommitId };
  'merge-proof': unknown;
};
