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
  readonly reason: 'missing' | 'too-old';
  readonly fix: string;
  constructor(reason: 'missing' | 'too-old', detail: string, cause?: unknown) {
    super(detail, { cause });
    this.reason = reason;
    this.fix = 'install git 2.39.4 or newer (Debian, Ubuntu: apt-get install git; macOS: brew install git)';
  }
}

/** Something that is not a full object id or a ref of ours was about to become an argument of git. */
export class BadGitArgument extends Error {
  override readonly name = 'BadGitArgument';
}
