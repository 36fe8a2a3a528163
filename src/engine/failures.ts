/** The environment failed (disk full, git missing). Recorded, shown with its fix, and tried again by `resume`. */
export class EnvironmentFailed extends Error {
  override readonly name = 'EnvironmentFailed';
  readonly fix: string;
  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}
