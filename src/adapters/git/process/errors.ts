import { explain } from '../../../domain/explain/explain.ts';
import type { Finding, FindingOf } from '../../../domain/findings/finding.ts';
import { boundedWords } from '../../../domain/findings/words.ts';
import { EnvironmentFailed } from '../../../ports/failures.ts';

/** Git ran and said no, was killed, or gave more output than allowed. The environment failed, not a decision of ours. */
export class GitFailed extends EnvironmentFailed {
  override readonly name = 'GitFailed';
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;
  /** `said`: what git said, or what we found of what it did. */
  constructor(args: readonly string[], exitCode: number | null, said: string | Finding, cause?: unknown) {
    const words = typeof said === 'string' ? boundedWords(said) : '';
    super(typeof said === 'string' ? { rule: 'git-failed', args: boundedArgs(args), exitCode, words } : said, {
      cause,
    });
    this.args = args;
    this.exitCode = exitCode;
    this.stderr = typeof said === 'string' ? said : '';
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

/** Paths and ids of a command may be thousands; the first tell which one it was. */
export function boundedArgs(args: readonly string[]): readonly string[] {
  const shown = args.slice(0, 12).map((argument) => boundedWords(argument, 200));
  return args.length > shown.length ? [...shown, '…'] : shown;
}
