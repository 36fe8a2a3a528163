import { explain } from '../domain/explain/explain.ts';
import type { Finding } from '../domain/findings/finding.ts';
import { boundedWords } from '../domain/findings/words.ts';

/** The environment failed (disk full, git missing). The engine catches it and records its finding; `resume` tries again. */
export class EnvironmentFailed extends Error {
  override readonly name: string = 'EnvironmentFailed';
  readonly finding: Finding;
  constructor(finding: Finding, options?: ErrorOptions) {
    super(explain(finding).detail, options);
    this.finding = finding;
  }
}

/** An error of the operating system: EACCES, ENOSPC … */
type SystemError = Error & { readonly code?: unknown; readonly syscall: unknown };

const isOfSystem = (cause: unknown): cause is SystemError => cause instanceof Error && 'syscall' in cause;

/** True for failures of the environment. Any other error is a bug, and nothing catches it. */
export const isEnvironmental = (cause: unknown): cause is EnvironmentFailed | SystemError =>
  cause instanceof EnvironmentFailed || isOfSystem(cause);

/** Returns the finding to record. */
export function failureOf(cause: EnvironmentFailed | SystemError): Finding {
  if (cause instanceof EnvironmentFailed) return cause.finding;
  const { code, syscall, message } = cause;
  return { rule: 'system', code: String(code), syscall: String(syscall), words: boundedWords(message) };
}
