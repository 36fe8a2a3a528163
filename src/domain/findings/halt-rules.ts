import type { CommitId, RunId, TaskId } from '../base/ids.ts';
import type { LargestKept } from '../kept/disk.ts';
import type { Finding, FindingsOf } from './finding.ts';

/** Reasons why a run, a start or a launch waits for a person: the environment failed, or only a person can decide. */
export type HaltRules = SystemRules & RoundRules & ShortageRules & LaunchRules;

/** Failures of the environment. `words` is the message of the system or the program. */
type SystemRules = {
  system: { readonly code: string; readonly syscall: string; readonly words: string };
  'git-failed': { readonly args: readonly string[]; readonly exitCode: number | null; readonly words: string };
  /** `directory` is where git was writing. */
  'disk-full': { readonly directory: string };
  'git-output': { readonly args: readonly string[]; readonly limit: number };
  'commit-missing': { readonly commit: string; readonly repository: string };
  'commits-written': { readonly expected: number; readonly actual: number };
  'objects-missing': { readonly repository: string; readonly commit: CommitId };
  'foreign-repository': { readonly repository: string };
  'object-format': { readonly repository: string; readonly expected: string; readonly actual: string };
  'ledger-unavailable': { readonly file: string; readonly words: string };
  'ledger-damaged': { readonly file: string; readonly words: string };
  /** A state file does not hold what Tidegate wrote. */
  'state-file': { readonly file: string; readonly fault: 'garbled' | 'unreadable' | 'directory' };
  'draft-unreadable': { readonly file: string };
  'merger-unstartable': { readonly words: string };
  'merger-ended': { readonly code: number | null; readonly signal: string | null; readonly words: string };
  /** The merger wrote a line that is not an answer. */
  'merger-garbled': { readonly words: string };
  'merger-released': unknown;
  'merger-refused': { readonly request: string; readonly because: Finding };
  'run-branch-gone': unknown;
  'run-branch-elsewhere': { readonly expected: CommitId; readonly actual: CommitId };
};

/** Reasons why a round was abandoned. */
type RoundRules = {
  'round-conflicts': unknown;
  'round-closure': unknown;
  'round-replanned': unknown;
  /** A person decided that this component stays at its level. */
  'round-component': { readonly component: string };
  /** A person changed this task while the run was halted. */
  'round-interrupted': { readonly task: TaskId };
  /** The check fails on the combined work of these tasks. */
  'round-check': { readonly check: string; readonly tasks: readonly TaskId[] };
  'round-generated': { readonly paths: readonly string[]; readonly because: Finding };
  /** The round was abandoned, and no single task is to blame. */
  'round-unblamed': {
    readonly run: RunId;
    readonly tasks: readonly TaskId[];
    readonly because: FindingsOf<Pick<RoundRules, 'round-check' | 'round-generated'>>;
  };
  'nothing-integrated': { readonly tasks: readonly TaskId[] };
  /** `words` is the end of its output. */
  'check-unrunnable': { readonly check: string; readonly because: Finding | null; readonly words: string };
  /** The check fails on work that is already merged. */
  'check-red': { readonly run: RunId; readonly check: string };
};

/** Reasons why no attempt may start. Sizes are in bytes. */
type ShortageRules = {
  'memory-short': { readonly free: number };
  'disk-short': { readonly free: number; readonly least: number; readonly largest?: LargestKept };
  'disk-over-cap': { readonly used: number; readonly cap: number; readonly largest?: LargestKept };
  'disk-unmeasured': { readonly because: Finding };
  /** The disk is not measured yet, and it holds files that only a person may remove. */
  'disk-measuring': unknown;
};

type LaunchRules = {
  /** `before` holds the agents of its chain that failed to start before. */
  'launch-failed': { readonly because: Finding | null; readonly before: readonly string[] };
};
