import type { AttemptId, CommitId, RunId, TaskId } from '../domain/base/ids.ts';
import type { Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { AgentReadiness, CheckoutState } from '../domain/gates/preflight.ts';
import type { By, RunOrder } from '../domain/ledger/requests.ts';
import type { StateDir } from '../domain/ledger/state-dir.ts';
import type { FrozenPlan } from '../domain/plan/plan.ts';
import type { PlanSketch } from '../domain/plan/plan-text.ts';
import type { ProofArtifact } from '../domain/proofs/bundle.ts';
import type { KeptFile } from '../domain/proofs/kept-files.ts';
import type { ResolvedSettings } from '../domain/settings/settings.ts';
import type { Clock } from './clock.ts';
import type { Disk } from './disk.ts';
import type { Ledger } from './ledger.ts';
import type { GitReader } from './merger.ts';

/** One repository, for commands and routes about runs: its ledger, and ways to look at the files beside it. */
export interface RepositoryHandle extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly git: GitReader;
  readonly state: StateDir;
  readonly checkout: string;
  readonly caller: Caller;
  readonly clock: Clock;
  readonly files: JobFiles;
  readonly disk: Pick<Disk, 'holdings' | 'remove'>;
  readonly patches: Patches;
  /** The plan with all its layers; an error is what kept us from even looking. */
  readPlan(source: PlanSource, flags: PlanFlags): Promise<Result<ReadPlan, string>>;
  /** The files of a run once more, as they are now: from the root, for its branch, under the flags that it was ordered with. */
  rereadPlan(order: RunOrder): Promise<Result<ReadPlan, string>>;
  /** Reads the configuration without a plan. Invalid values are ignored. */
  settings(): Promise<ResolvedSettings>;
  /** True when git knows the author of merged commits. */
  isAuthorKnown(): Promise<boolean>;
  /** Returns the fence of this machine, or why there is none. */
  fence(): Promise<Result<string, Finding>>;
  /** Hosts the coordinator in this process, unless a living one is there. */
  host(): Promise<Hosting>;
  /** A living coordinator, else one in the background. False: none could be started, or the living one is stopped. */
  ensureCoordinator(): Promise<boolean>;
  isCoordinated(): Promise<boolean>;
  /** The process of a coordinator that is stopped (Ctrl-Z, SIGSTOP): it holds the repository, and answers nothing. Null: none is. */
  stoppedCoordinator(): Promise<number | null>;
  /** Milliseconds that a living coordinator may take to answer, or to begin a run. */
  readonly patienceMs: number;
  /** The directory of a run, with its frozen plan, and for markers. `text` is a plan that has no file but the one there. */
  openRunDirectory(order: RunOrder, text?: string | null): Promise<void>;
  /** Opens a plan in the person's editor, and waits for one that lives in the terminal. Null: no editor is known. */
  edit(planFile: string): Promise<'closed' | 'in-window' | null>;
  /** The person's checkout as it is now, and ignored files at these paths. Changes nothing; no hook of theirs runs. */
  checkoutState(owned: readonly string[]): Promise<CheckoutState>;
  /** Secrets in these files of the checkout that the commit does not hold as well. */
  secretsIn(paths: readonly string[], before: CommitId): Promise<readonly Finding[]>;
  /** Keeps a copy of a file of the person as an artifact of a proof. `cwd`: where its path begins. */
  keepProof(run: RunId, cwd: string, file: string): Promise<Result<ProofArtifact, Finding>>;
  /** Names files of proofs that are gone or were changed. Of a run that has ended, `tidegate clean` may have removed all. */
  damagedProofs(run: RunId, files: readonly KeptFile[], hasEnded: boolean): Promise<readonly Finding[]>;
  /** Signs something as merged commits are signed. Null: that works, or they are not signed. */
  trySigning(): Promise<Finding | null>;
  /** Tells whether this machine can launch an agent, without calling it. */
  agentReady(agent: string): Promise<AgentReadiness>;
}

export type ReadPlan =
  | {
      readonly ok: true;
      readonly plan: FrozenPlan;
      readonly hash: string;
      readonly planFile: string;
      /** The plan as a file, where there is none yet. */
      readonly text: string | null;
      readonly warnings: readonly Finding[];
    }
  | { readonly ok: false; readonly findings: readonly Finding[]; readonly warnings: readonly Finding[] };

/**
 * The source of a plan. Files: none means the usual one; one is a plan; markdown files are a task each. A sketch and a text have
 * no file; a draft is the text of a future file.
 */
export type PlanSource = readonly string[] | PlanSketch | { readonly text: string } | PlanDraft;
type PlanDraft = { readonly text: string; readonly as: string; readonly branch: string };

/** The caller. `agent` is null for a person or a plain script. */
type Caller = { readonly agent: string | null; readonly mayDecide: boolean; readonly by: By };

export type Hosting = {
  readonly role: 'host' | 'guest';
  /** Rejects when the coordinator in this process fails; never resolves. */
  readonly failed: Promise<never>;
  /** Resolves when no run can go on without a person. Never for a guest. */
  idle(): Promise<void>;
  /** Lets go. Agents go on; with `background` another coordinator takes over from here. */
  stop(then: 'background' | 'nothing'): Promise<void>;
};

/**
 * Flags that change a plan before its approval. `land`: `auto` replaces `land: ask` where no person can answer, and `branch` replaces
 * any value so that nothing lands. `focus` goes into every prompt. `uncommitted`: the run starts from the checkout as it is, which also
 * defines its checks.
 */
export type PlanFlags = {
  readonly land: 'auto' | 'branch' | null;
  readonly focus: string | null;
  readonly uncommitted?: boolean;
};
/** Bytes of a file that may be long: read as they are wanted. */
export type Content = {
  readonly bytes: number;
  /** From a byte to before another. */
  read(from: number, to: number): AsyncIterable<Buffer>;
};

interface JobFiles {
  /** Output of a job from a byte on; empty when there is none yet. */
  readLog(job: string, from: number): Promise<{ readonly text: string; readonly next: number }>;
  /** Transcript of an agent with a protocol, from a byte on: one JSON document on each line. */
  readTranscript(job: string, from: number): Promise<{ readonly text: string; readonly next: number }>;
  /** The bytes of a file of a job, as they lie there; null when there is none. */
  content(job: string, what: 'log' | 'transcript' | 'prompt'): Promise<Content | null>;
  /** Returns the prompt of an attempt; null when it was not kept. */
  readPrompt(job: string): Promise<string | null>;
  /** Returns the progress of a job's workspace, in files. Null when it was made at once, or is not begun. */
  readCopied(job: string): Promise<{ readonly done: number; readonly total: number } | null>;
  /** Disk use of the LFS objects that snapshots point to. */
  lfsBytes(): Promise<number>;
  removeLfs(): Promise<void>;
}

export type LoggedCommit = {
  readonly commit: CommitId;
  readonly title: string;
  readonly run: string | null;
  readonly task: string | null;
};

/** Lines that a file gained and lost; null when it is binary. */
export type LineCount = { readonly path: string; readonly added: number | null; readonly removed: number | null };

/** Questions to our bare repository that only people ask. Never over a workspace. */
interface Patches {
  /** Unified diff of git's own trees; no driver, filter or external program runs. */
  text(from: CommitId, to: CommitId, paths: readonly string[]): Promise<string>;
  /** The same in numbers; null when these commits are not kept any more. */
  counts(from: CommitId, to: CommitId): Promise<readonly LineCount[] | null>;
  /** Commits that `to` has and `from` has not, newest first, with the run and the task that their trailers name. */
  log(from: CommitId, to: CommitId): Promise<readonly LoggedCommit[]>;
  /** Every snapshot that is kept of a run, and its branch if it has one. */
  snapshots(run: string): Promise<readonly KeptSnapshot[]>;
}

/**
 * `edited`: as a person changed it by hand; `dropped`: without paths that a person took out; `edited-landing`: as a person made a
 * landing fit; `merged`: the run branch. `number` counts from 1.
 */
export type KeptSnapshot = { readonly ref: string; readonly commit: CommitId } & (
  | { readonly kind: 'attempt'; readonly task: TaskId; readonly attempt: AttemptId }
  | { readonly kind: 'edited' | 'dropped'; readonly task: TaskId; readonly number: number }
  | { readonly kind: 'edited-landing'; readonly task: null; readonly number: number }
  | { readonly kind: 'merged'; readonly task: null }
);

/** One thing that a run needs from this machine. */
export type Examined = {
  readonly name: string;
  readonly state: 'good' | 'warning' | 'bad';
  readonly found: string;
  /** The command that fixes it. */
  readonly fix: string | null;
  /** The last that it printed. */
  readonly lines?: readonly string[];
  /** The person's files that are visible in a fence: `rule` for programs, `because` for people. */
  readonly shows?: readonly { readonly path: string; readonly rule: string; readonly because: string }[];
  /** It is not installed here, which is no mistake. */
  readonly isMissing?: true;
};

export type Rehearsal = {
  readonly stop: AbortSignal;
  /** Called with the step that begins now. */
  step(text: string): void;
  examined(row: RehearsalRow): void;
};

/** `isAgent`: about an agent that tasks of this repository may use, or that there is none. */
export type RehearsalRow = Examined & { readonly isAgent?: true };
