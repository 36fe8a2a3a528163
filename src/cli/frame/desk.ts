import type { Result } from '../../domain/base/result.ts';
import type { Desk } from '../../ports/desk.ts';
import { LedgerDamaged, LedgerUnavailable } from '../../ports/ledger.ts';
import { type Context, exitCodes, misused, type Outcome } from './command.ts';

/**
 * `look` and `ask` make nothing: where no state is kept yet, the ledger is an empty one in memory, and there is no run to
 * ask anything of. `act` makes the state directory.
 */
export type DeskMode = 'look' | 'ask' | 'act';
export type OpenDesk = (context: Context, mode: DeskMode) => Promise<Result<Desk, string>>;

/** Opens the desk, runs the body, closes the desk. A ledger that cannot be used is told in one line. */
export async function atDesk(
  open: OpenDesk,
  context: Context,
  mode: DeskMode,
  body: (desk: Desk) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const opened = await open(context, mode);
    if (!opened.ok) return misused('no-repository', opened.error);
    await using desk = opened.value;
    return await body(desk);
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
