import type { CommitId, RunId, TaskId } from '../base/ids.ts';
import type { LargestKept } from '../kept/disk.ts';
import type { Finding, FindingsOf } from './finding.ts';

/** Why a run, a start or a launch waits for a person: the environment failed, or nobody but a person can go on. */
export type HaltRules = SystemRules & RoundRules & ShortageRules & LaunchRules;

/** Failures of the environment. `words` come from the system or the program. */
type SystemRules = {
  system: { readonly code: string; readonly syscall: string; readonly words: string };
  'git-failed': { readonly args: readonly string[]; readonly exitCode: number | null; readonly words: string };
  /** `directory`: where git was to write. */
  'disk-full': { readonly directory: string };
  'git-output': { readonly args: readonly string[]; readonly limit: number };
  'commit-missing': { readonly commit: string; readonly repository: string };
  'commits-written': { readonly expected: number; readonly actual: number };
  'objects-missing': { readonly repository: string; readonly commit: CommitId };
  'foreign-repository': { readonly repository: string };
  'object-format': { readonly repository: string; readonly expected: string; readonly actual: string };
  'ledger-unavailable': { readonly file: string; readonly words: string };
  'ledger-damaged': { readonly file: string; readonly words: string };
  /** A file of ours, not what we wrote. */
  'state-file': { readonly file: string; readonly fault: 'garbled' | 'unreadable' | 'directory' };
  'draft-unreadable': { readonly file: string };
  'merger-unstartable': { readonly words: string };
  'merger-ended': { readonly code: number | null; readonly signal: string | null; readonly words: string };
  /** It wrote a line that is no answer. */
  'merger-garbled': { readonly words: string };
  'merger-released': unknown;
  'merger-refused': { readonly request: string; readonly because: Finding };
  'run-branch-gone': unknown;
  'run-branch-elsewhere': { readonly expected: CommitId; readonly actual: CommitId };
};

/** Why a round came to nothing, and what a person has to look at then. */
type RoundRules = {
  'round-conflicts': unknown;
  'round-closure': unknown;
  'round-replanned': unknown;
  /** A person asked for something about this task while the run was halted. */
  'round-interrupted': { readonly task: TaskId };
  /** The check fails on what these tasks make together. */
  'round-check': { readonly check: string; readonly tasks: readonly TaskId[] };
  'round-generated': { readonly paths: readonly string[]; readonly because: Finding };
  /** The round was given up, and none of its tasks is found to blame. */
  'round-unblamed': {
    readonly run: RunId;
    readonly tasks: readonly TaskId[];
    readonly because: FindingsOf<Pick<RoundRules, 'round-check' | 'round-generated'>>;
  };
  'nothing-integrated': { readonly tasks: readonly TaskId[] };
  /** `words`: the end of its output. */
  'check-unrunnable': { readonly check: string; readonly because: Finding | null; readonly words: string };
  /** It fails on what is merged already. */
  'check-red': { readonly run: RunId; readonly check: string };
};

/** Why no attempt may start. Bytes. */
type ShortageRules = {
  'memory-short': { readonly free: number };
  'disk-short': { readonly free: number; readonly least: number; readonly largest?: LargestKept };
  'disk-over-cap': { readonly used: number; readonly cap: number; readonly largest?: LargestKept };
  'disk-unmeasured': { readonly because: Finding };
  /** Nothing is known yet, and files lie there that nobody but a person may remove. */
  'disk-measuring': unknown;
};

type LaunchRules = {
  /** `before`: agents of its chain that could not do it either. */
  'launch-failed': { readonly because: Finding | null; readonly before: readonly string[] };
};
