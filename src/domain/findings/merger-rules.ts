import type { AttemptId, CommitId, TaskId } from '../base/ids.ts';
import type { Judgement } from '../gates/judge.ts';
import type { MatrixFault } from '../proofs/matrix.ts';
import type { Finding } from './finding.ts';

/** Reasons why the merger refuses a request. */
export type MergerRules = {
  'run-branch-unmade': unknown;
  'run-branch-diverged': { readonly expected: CommitId | null; readonly actual: CommitId | null };
  'ref-exists': { readonly ref: string; readonly expected: CommitId; readonly actual: CommitId | null };
  /** The ref is neither at `before` nor at `after`. */
  'ref-diverged': {
    readonly ref: string;
    readonly before: CommitId;
    readonly after: CommitId;
    readonly actual: CommitId | null;
  };
  // the base of a task
  'task-unplanned': { readonly task: TaskId };
  'need-not-ready': { readonly task: TaskId; readonly need: TaskId };
  'needs-conflict': { readonly task: TaskId; readonly need: TaskId; readonly files: readonly string[] };
  // paths of a held snapshot
  'no-snapshot': { readonly task: TaskId };
  'paths-unchanged': { readonly task: TaskId; readonly paths: readonly string[] };
  // a snapshot that a person changed by hand
  'edit-unchanged': { readonly task: TaskId };
  'edit-gone': unknown;
  'edit-unreadable': { readonly because: Finding };
  // a landing that a person edits by hand
  'no-landing-conflict': unknown;
  'conflict-outdated': unknown;
  'conflict-left': { readonly files: readonly string[] };
  'landing-edit-unchanged': unknown;
  'landing-edit-unasked': { readonly commit: CommitId };
  // rounds
  'round-not-open': { readonly wave: number; readonly round: number };
  'round-diverged': { readonly base: CommitId; readonly expected: CommitId | null; readonly actual: CommitId | null };
  'round-unplanned': unknown;
  'snapshot-unjudged': { readonly task: TaskId; readonly snapshot: CommitId | null };
  'merges-nothing': { readonly task: TaskId };
  'task-merged': { readonly task: TaskId };
  'nothing-rebuilt': { readonly wave: number; readonly round: number };
  'rebuilt-elsewhere': { readonly expected: CommitId; readonly actual: CommitId };
  'candidate-empty': unknown;
  /** The changes of a closure role do not fit on the candidate. */
  /** The matrix of components cannot take the new levels. `level`: the current one. */
  'matrix-unfit': { readonly file: string } & MatrixFault;
  'role-conflict': { readonly task: TaskId; readonly files: readonly string[] };
  /** The ledger does not prove the merge. */
  'proof-broken': ProofGap;
  /** The repository differs from the ledger. */
  'objects-differ': ObjectGap;
};

/** The first place where the chain of proof breaks. */
export type ProofGap =
  | { readonly gap: RunGap }
  | { readonly gap: 'event-count'; readonly event: string; readonly count: number }
  | { readonly gap: WaveGap; readonly wave: number }
  | { readonly gap: PhaseGap; readonly phase: Judgement['phase'] }
  | { readonly gap: RoundGap; readonly wave: number; readonly round: number }
  | { readonly gap: 'round-base'; readonly expected: CommitId | null; readonly actual: CommitId }
  | { readonly gap: TaskGap | DerivedGap; readonly task: TaskId }
  | { readonly gap: 'task-wave'; readonly task: TaskId; readonly wave: number }
  | { readonly gap: 'task-snapshot'; readonly task: TaskId; readonly expected: CommitId; readonly actual: CommitId }
  | { readonly gap: 'task-voided'; readonly task: TaskId; readonly event: string }
  | { readonly gap: AttemptGap; readonly attempt: AttemptId }
  | { readonly gap: CheckGap; readonly check: string }
  | { readonly gap: ComponentGap; readonly component: string }
  | { readonly gap: 'record-open'; readonly record: string }
  | { readonly gap: 'generated-unsafe'; readonly path: string; readonly refused: string }
  | { readonly gap: 'generated-special'; readonly path: string };

export type RunGap =
  | 'created-twice'
  | 'plan-hash'
  | 'empty-ledger'
  | 'plan-replaced-by-nothing'
  | 'round-plan'
  | 'candidate-round'
  | 'candidate-empty'
  | 'candidate-repeats'
  | 'generated-unplanned'
  | 'generated-unsnapshotted'
  | 'generated-failed'
  | 'generated-base'
  | 'generated-order'
  | 'generated-empty-commit'
  | 'approved-plan'
  | 'approval-judged-plan'
  | 'closure-early'
  | 'closure-base'
  | 'closure-candidate'
  | 'closure-tree'
  | 'promotion-other'
  | 'promotion-order';
export type WaveGap = 'wave-unapproved' | 'approval-unjudged' | 'approval-refused';
export type PhaseGap = 'phase-unjudged' | 'phase-failed' | 'phase-order';
export type RoundGap = 'round-abandoned' | 'closure-unjudged' | 'closure-failed';
/** The work of a derived task may not be merged for another. */
export type DerivedGap =
  | 'derived-unmade'
  | 'derived-twice'
  | 'derived-for-other'
  | 'derived-scope'
  | 'derived-pair'
  | 'derived-uncompared';
export type TaskGap =
  | 'task-not-in-round'
  | 'task-unplanned'
  | 'task-read-only'
  | 'task-merged'
  | 'task-unjudged'
  | 'task-failed'
  | 'task-judged-late'
  | 'task-unsnapshotted'
  | 'task-unstarted'
  | 'task-other-attempt'
  | 'task-not-reused'
  | 'task-fingerprint'
  | 'task-relaunched'
  | 'task-need-changed'
  | 'task-needs-gone'
  | 'task-started-early'
  | 'task-baseless'
  | 'task-other-base'
  | 'task-snapshot-base'
  | 'task-judged-early'
  | 'task-blamed'
  | 'task-other-ending'
  | 'task-other-handoff'
  | 'task-other-draft'
  | 'task-exit'
  | 'task-handoff'
  | 'task-nonce'
  | 'task-other-snapshot'
  | 'task-acceptance-unrecorded'
  | 'task-acceptance-unasked'
  | 'task-claims'
  | 'task-exit-unproven'
  | 'task-acceptance-other'
  | 'closure-task'
  | 'task-unproven'
  | 'role-unplanned'
  | 'role-unreported'
  | 'role-open'
  | 'role-unjudged'
  | 'role-other-attempt'
  | 'role-other-report'
  | 'role-other-tree';
export type AttemptGap = 'dispatch-unjudged' | 'dispatch-failed' | 'dispatch-workspace' | 'attempt-open';
export type ComponentGap = 'component-owner' | 'component-claimed' | 'component-unproven';
export type CheckGap = 'check-failed' | 'check-unrecorded';

/** The repository differs from the ledger. */
export type ObjectGap =
  | { readonly gap: CandidateGap }
  | { readonly gap: TaskObjectGap; readonly task: TaskId }
  | { readonly gap: 'path-unjudged'; readonly task: TaskId; readonly path: string }
  | { readonly gap: 'path-not-generated' | 'path-not-as-rebuilt'; readonly path: string };
export type CandidateGap =
  | 'no-candidate'
  | 'nothing-rebuilt'
  | 'rebuilt-missing'
  | 'rebuilt-tree'
  | 'rebuilt-parent'
  | 'completed-tree'
  | 'completed-parent'
  | 'promotion-undue'
  | 'promotion-missing'
  | 'promotion-parent'
  | 'promotion-paths'
  | 'promotion-levels';
export type TaskObjectGap =
  | 'snapshot-unrecorded'
  | 'snapshot-missing'
  | 'snapshot-tree'
  | 'snapshot-parent'
  | 'edit-paths'
  | 'repair-base'
  | 'repair-sides'
  | 'candidate-missing'
  | 'candidate-parent'
  | 'candidate-tree';
