import { explain } from '../../../domain/explain/explain.ts';
import type { Finding, FindingOf } from '../../../domain/findings/finding.ts';
import { boundedWords } from '../../../domain/findings/words.ts';
import { EnvironmentFailed } from '../../../ports/failures.ts';

/** Git refused, was killed, or printed more than allowed. The environment failed, not a decision of ours. */
export class GitFailed extends EnvironmentFailed {
  override readonly name = 'GitFailed';
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;
  /** `problem`: git's own words, or a finding of ours about what it did. */
  constructor(args: readonly string[], exitCode: number | null, problem: string | Finding, cause?: unknown) {
    const words = typeof problem === 'string' ? boundedWords(problem) : '';
    super(typeof problem === 'string' ? { rule: 'git-failed', args: boundedArgs(args), exitCode, words } : problem, {
      cause,
    });
    this.args = args;
    this.exitCode = exitCode;
    this.stderr = typeof problem === 'string' ? problem : '';
  }
}

/** There is no git that we can use. */
export class GitUnusable extends Error {
  override readonly name = 'GitUnusable';
  readonly finding: FindingOf<'git-missing' | 'git-too-old'>;
  constructor(finding: FindingOf<'git-missing' | 'git-too-old'>, cause?: unknown) {
    super(explain(finding).detail, { cause });
    this.finding = finding;
  }
}

/** Something that is not a full object id or a ref of ours was about to become an argument of git. */
export class BadGitArgument extends Error {
  override readonly name = 'BadGitArgument';
}

/** A command may name thousands of paths and ids; the first dozen identify it. */
export function boundedArgs(args: readonly string[]): readonly string[] {
  const first = args.slice(0, 12).map((argument) => boundedWords(argument, 200));
  return args.length > first.length ? [...first, '…'] : first;
}
