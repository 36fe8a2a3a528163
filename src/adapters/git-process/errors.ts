import { explain } from '../../domain/explain/explain.ts';
import type { FindingOf } from '../../domain/findings/finding.ts';
import { EnvironmentFailed } from '../../ports/failures.ts';

/** Git ran and said no, was killed, or gave more output than allowed. The environment failed, not a decision of ours. */
export class GitFailed extends EnvironmentFailed {
  override readonly name = 'GitFailed';
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;
  constructor(args: readonly string[], exitCode: number | null, stderr: string, cause?: unknown) {
    super(`git ${args.join(' ')} failed (${exitCode ?? 'killed'}): ${stderr.trim() || 'no message'}`, undefined, {
      cause,
    });
    this.args = args;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** There is no git that we can use. `fix` is what a person can do about it. */
export class GitUnusable extends Error {
  override readonly name = 'GitUnusable';
  readonly finding: FindingOf<'git-missing' | 'git-too-old'>;
  readonly fix: string;
  constructor(finding: FindingOf<'git-missing' | 'git-too-old'>, cause?: unknown) {
    const { detail, fix = '' } = explain(finding);
    super(detail, { cause });
    this.finding = finding;
    this.fix = fix;
  }
}

/** 2.39.4 closed the clone and local-transport holes (CVE-2024-32004, -32020, -32021, -32465). */
export const oldestGit = '2.39.4';

/** Something that is not a full object id or a ref of ours was about to become an argument of git. */
export class BadGitArgument extends Error {
  override readonly name = 'BadGitArgument';
}
