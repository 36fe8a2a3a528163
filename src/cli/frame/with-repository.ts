import type { Result } from '../../domain/base/result.ts';
import { LedgerDamaged, LedgerUnavailable } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, exitCodes, misused, type Outcome } from './command.ts';

/**
 * `look` and `ask` make nothing: where no state is kept yet, the ledger is an empty one in memory, and there is no run to
 * ask anything of. `act` makes the state directory.
 */
export type RepositoryAccess = 'look' | 'ask' | 'act';
export type OpenRepository = (context: Context, mode: RepositoryAccess) => Promise<Result<RepositoryHandle, string>>;

/** Opens the repository, runs the body and closes it. A ledger that cannot be used becomes a one-line failure. */
export async function withRepository(
  open: OpenRepository,
  context: Context,
  mode: RepositoryAccess,
  body: (repo: RepositoryHandle) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const opened = await open(context, mode);
    if (!opened.ok) return misused('no-repository', opened.error);
    await using repo = opened.value;
    return await body(repo);
  } catch (error) {
    if (error instanceof LedgerDamaged) return failed('ledger-damaged', error.message);
    if (error instanceof LedgerUnavailable) return failed('ledger-unavailable', error.message);
    throw error;
  }
}

/** One line with the way out. */
export const stoppedNote = (pid: number): string =>
  `the coordinator (process ${pid}) is stopped and answers nothing; let it go on: kill -CONT ${pid}`;

export const failed = (reason: string, message: string): Outcome => ({
  exit: exitCodes.failed,
  reason,
  problems: [`tidegate: ${message}`],
  data: { message },
});
