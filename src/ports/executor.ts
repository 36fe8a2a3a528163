import type { Job } from './supervisor.ts';

/** How an agent's program is started. What it does afterwards is observed from outside: output, handoff, exit, snapshot. */
export interface Executor {
  readonly name: Job['executor'];
  /** argv and variables for one launch. `brief` is also on stdin and in the file `$TIDEGATE_BRIEF`. */
  prepare(job: Job): { readonly argv: readonly string[]; readonly environment: Readonly<Record<string, string>> };
}
