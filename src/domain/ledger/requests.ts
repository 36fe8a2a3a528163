import type { CommitId, PlanHash, RunId, TaskId } from '../base/ids.ts';
import type { Post } from '../board/board.ts';
import type { RepoAttestation } from '../gates/evidence.ts';
import type { Continuation } from '../plan/earlier-waves.ts';
import type { FrozenPlan } from '../plan/plan.ts';

/** The caller, and the way the request came. An agent never appears here as an approver. */
export type By = {
  readonly who: string;
  readonly via: 'terminal' | 'command' | 'api' | 'marker' | 'yes-flag' | 'land-flag' | 'policy' | 'demo';
};

// ── what anyone may ask; it decides nothing until the coordinator answers ──────────────────────────────
export type RequestEvent = Keyed & Asked;

/** Whoever asks may name the asking: the same name again asks for nothing new. */
type Keyed = { readonly key?: string };

type Asked =
  /** Asks for a run of this frozen plan. The stream is the run's own. */
  | ({ readonly type: 'requested-run'; readonly by: By } & RunOrder)
  | {
      readonly type: 'requested-approve' | 'requested-reject' | 'requested-hold';
      readonly tap: TapName;
      readonly hash: PlanHash;
      /** When the person answered. A tap that had run out by then cannot be decided any more. */
      readonly at: string;
      readonly by: By;
    }
  | { readonly type: 'requested-grant'; readonly task: TaskId; readonly paths: readonly string[]; readonly by: By }
  /** Without paths: the task is discarded by name. With paths: those changes are taken out of its snapshot. */
  | { readonly type: 'requested-drop'; readonly task: TaskId; readonly paths: readonly string[]; readonly by: By }
  /** Paths as they are shown, of files that no snapshot holds. */
  | { readonly type: 'requested-discard'; readonly task: TaskId; readonly paths: readonly string[]; readonly by: By }
  /** With an agent: that one does the task from now on. */
  | { readonly type: 'requested-retry'; readonly task: TaskId; readonly agent?: string; readonly by: By }
  | { readonly type: 'requested-rework'; readonly task: TaskId; readonly message: string; readonly by: By }
  /** Takes the snapshot that the person was shown, whatever its agent said at its end. */
  | { readonly type: 'requested-accept'; readonly task: TaskId; readonly snapshot: CommitId; readonly by: By }
  /** Takes what the person made of the snapshot `from`. `copy` names the directory that they left it in. */
  | {
      readonly type: 'requested-edit';
      readonly task: TaskId;
      readonly from: CommitId;
      readonly copy: string;
      readonly by: By;
    }
  /** Takes what the person made of a landing that conflicts. `from` is the commit with the conflict that the copy was made of. */
  | { readonly type: 'requested-landing-edit'; readonly from: CommitId; readonly copy: string; readonly by: By }
  /** A message to the agent at work. */
  | { readonly type: 'requested-send'; readonly task: TaskId; readonly message: string; readonly by: By }
  | ({ readonly type: 'requested-post'; readonly by: By } & Post)
  /** Of a record on the board. Without a text it is only closed. */
  | { readonly type: 'requested-answer'; readonly record: string; readonly text: string | null; readonly by: By }
  /** More money, for one task or, without one, for the whole run. */
  | { readonly type: 'requested-raise'; readonly task: TaskId | null; readonly usd: number; readonly by: By }
  | { readonly type: 'requested-pause' | 'requested-resume' | 'requested-stop'; readonly by: By }
  /** Ends the run for good, in whatever state it is. */
  | { readonly type: 'requested-abandon'; readonly by: By }
  /** Asks for another version of the plan. Refused when `replaces` is not the one in force any more. */
  | {
      readonly type: 'requested-replan';
      readonly plan: FrozenPlan;
      readonly hash: PlanHash;
      readonly replaces: PlanHash;
      readonly by: By;
    }
  /** Without tasks: all that is merged and has not landed. */
  | { readonly type: 'requested-land'; readonly tasks?: readonly TaskId[]; readonly by: By }
  | { readonly type: 'requested-undo'; readonly task: TaskId | null; readonly by: By };

export type RunOrder = {
  readonly run: RunId;
  readonly plan: FrozenPlan;
  readonly hash: PlanHash;
  readonly planFile: string;
  readonly repo: RepoAttestation;
  /** The person's branch and where it stood. The run branch begins there. */
  readonly target: { readonly branch: string; readonly commit: CommitId };
  /** Only this wave, if asked for. */
  readonly wave: number | null;
  /** The branch of the earlier run that this one goes on from, instead of the person's. Absent: it begins on the person's. */
  readonly continues?: Continuation;
  /** The run begins at a commit of the changes in the checkout that no commit holds. Absent: it does not. */
  readonly uncommitted?: true;
  /** Whether a flag set `land`, for reading the files again: `auto` instead of `ask`, or `branch` whatever they say. */
  readonly landing: LandingChoice;
  /** What the order approves by a flag: every start by `--yes`, the landing by `--land`. */
  readonly approves: readonly ('start' | 'land')[];
  readonly tidegate: string;
};

type LandingChoice = 'as-planned' | 'auto' | 'branch';

/** `start` or `start-<wave>` when taps are per wave; `land`. */
export type TapName = 'start' | `start-${number}` | 'land';
