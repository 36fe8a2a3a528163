import type { CommitId, PlanHash, RunId, TaskId } from '../base/ids.ts';
import type { RecordAct } from '../board/acts.ts';
import type { Post, RecordTarget } from '../board/board.ts';
import type { RepoAttestation } from '../gates/evidence.ts';
import type { Continuation } from '../plan/earlier-waves.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import type { BundleLevel, ProofArtifact } from '../proofs/bundle.ts';
import type { DependencyRequest } from './dependency-events.ts';
import type { RelaunchOrder } from './relaunch-events.ts';

/** The person behind a request and its channel. An agent never approves anything. */
export type By = {
  readonly who: string;
  readonly via: 'terminal' | 'command' | 'api' | 'marker' | 'yes-flag' | 'land-flag' | 'policy' | 'demo';
};

// ── requests; they decide nothing until the coordinator answers ───────────────────────────────────────
export type RequestEvent = Keyed & Request;

/** The caller's own key for a request. A second request with the same key has no effect. */
type Keyed = { readonly key?: string };

type Request =
  /** Requests a run of this frozen plan, in the stream of the run. */
  | ({ readonly type: 'requested-run'; readonly by: By } & RunOrder)
  | {
      readonly type: 'requested-approve' | 'requested-reject' | 'requested-hold';
      readonly tap: TapName;
      readonly hash: PlanHash;
      /** The time of the answer. A tap that had expired by then cannot be decided. */
      readonly at: string;
      readonly by: By;
    }
  | { readonly type: 'requested-grant'; readonly task: TaskId; readonly paths: readonly string[]; readonly by: By }
  /** Without paths, drops the task. With paths, removes those changes from its snapshot. */
  | { readonly type: 'requested-drop'; readonly task: TaskId; readonly paths: readonly string[]; readonly by: By }
  /** Discards files that no snapshot holds, by their shown paths. */
  | { readonly type: 'requested-discard'; readonly task: TaskId; readonly paths: readonly string[]; readonly by: By }
  /** Starts the task over; with `agent`, that agent does it from now on. */
  | { readonly type: 'requested-retry'; readonly task: TaskId; readonly agent?: string; readonly by: By }
  /** Selects tasks and closure roles of the open wave that run again. */
  | ({ readonly type: 'requested-relaunch'; readonly by: By } & RelaunchOrder)
  | { readonly type: 'requested-rework'; readonly task: TaskId; readonly message: string; readonly by: By }
  /** Accepts the snapshot that the person was shown, whatever its agent reported. */
  | { readonly type: 'requested-accept'; readonly task: TaskId; readonly snapshot: CommitId; readonly by: By }
  /** Takes the person's edit of the snapshot `from`. `copy` names the directory that they edited. */
  | {
      readonly type: 'requested-edit';
      readonly task: TaskId;
      readonly from: CommitId;
      readonly copy: string;
      readonly by: By;
    }
  /** Takes the person's resolution of a landing conflict. `from` is the commit with the conflict. */
  | { readonly type: 'requested-landing-edit'; readonly from: CommitId; readonly copy: string; readonly by: By }
  /** Sends a message to the running agent. */
  | { readonly type: 'requested-send'; readonly task: TaskId; readonly message: string; readonly by: By }
  | ({ readonly type: 'requested-post'; readonly by: By } & Post)
  /** Answers a record on the board; without a text, closes it. */
  | { readonly type: 'requested-answer'; readonly record: string; readonly text: string | null; readonly by: By }
  /** Acts on a record of the board, with an answer or a reason. */
  | {
      readonly type: 'requested-record';
      readonly record: string;
      readonly act: RecordAct;
      readonly text?: string;
      readonly to?: RecordTarget;
      readonly by: By;
    }
  /** Resolves a barrier of the open wave, with a reason. */
  | { readonly type: 'requested-resolve'; readonly barrier: string; readonly reason: string; readonly by: By }
  /** Registers a proof for the snapshot that the person was shown. `supersedes` is the bundle that it replaces. */
  | {
      readonly type: 'requested-proof';
      readonly task: TaskId;
      readonly snapshot: CommitId;
      readonly level: BundleLevel;
      readonly artifacts: readonly ProofArtifact[];
      readonly attestation: string;
      readonly components?: Readonly<Record<string, string>>;
      readonly supersedes?: string;
      readonly by: By;
    }
  | { readonly type: 'requested-proof-revoke'; readonly bundle: string; readonly reason: string; readonly by: By }
  | DependencyRequest
  /** Raises the budget of one task or, without one, of the whole run. */
  | { readonly type: 'requested-raise'; readonly task: TaskId | null; readonly usd: number; readonly by: By }
  | { readonly type: 'requested-pause' | 'requested-resume' | 'requested-stop'; readonly by: By }
  /** Ends the run for good, in any state. */
  | { readonly type: 'requested-abandon'; readonly by: By }
  /** Requests a new version of the plan. Refused when `replaces` is no longer in force. */
  | {
      readonly type: 'requested-replan';
      readonly plan: FrozenPlan;
      readonly hash: PlanHash;
      readonly replaces: PlanHash;
      readonly by: By;
    }
  /** Lands these tasks; without them, everything that is merged and has not landed. */
  | { readonly type: 'requested-land'; readonly tasks?: readonly TaskId[]; readonly by: By }
  | { readonly type: 'requested-undo'; readonly task: TaskId | null; readonly by: By };

export type RunOrder = {
  readonly run: RunId;
  readonly plan: FrozenPlan;
  readonly hash: PlanHash;
  readonly planFile: string;
  readonly repo: RepoAttestation;
  /** The person's branch and its tip, where the run branch begins. */
  readonly target: { readonly branch: string; readonly commit: CommitId };
  /** The only wave to run, counted from 0; null for all. */
  readonly wave: number | null;
  /** The branch of an earlier run that this run continues; absent when it begins on the person's branch. */
  readonly continues?: Continuation;
  /** Set when the run begins at the uncommitted changes of the checkout. */
  readonly uncommitted?: true;
  /** The flag that replaces `land` of the plan, also when its files are read again: `auto` instead of `ask`, or `branch`. */
  readonly landing: LandingChoice;
  /** The approvals given by flags: every start by `--yes`, the landing by `--land`. */
  readonly approves: readonly ('start' | 'land')[];
  readonly tidegate: string;
};

type LandingChoice = 'as-planned' | 'auto' | 'branch';

/** `start` or `start-<wave>` when taps are per wave; `land`. */
export type TapName = 'start' | `start-${number}` | 'land';
