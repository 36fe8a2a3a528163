/** The environment failed (disk full, git missing). Caught once, in the engine; recorded, shown with its fix, tried again by `resume`. */
export class EnvironmentFailed extends Error {
  override readonly name: string = 'EnvironmentFailed';
  readonly fix: string;
  constructor(message: string, fix = 'tidegate resume', options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/** Ours, or of the operating system (EACCES, ENOSPC …). Anything else is a bug, and nothing catches it. */
export const isEnvironmental = (cause: unknown): cause is Error =>
  cause instanceof EnvironmentFailed || (cause instanceof Error && 'syscall' in cause);
