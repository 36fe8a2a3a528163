import type { RunState } from '../../domain/run/run.ts';
import type { Effect } from '../../pipeline/step.ts';
import type { Disk } from '../../ports/disk.ts';
import { failureOf, isEnvironmental } from '../../ports/failures.ts';
import type { RunLog } from '../run-log.ts';

/** First the files, then the fact: until the ledger says that they are gone, they are named to people. What cannot be removed is told to whoever asked. */
export async function discardKept(
  disk: Pick<Disk, 'discard'>,
  log: RunLog,
  { kept, request, number }: Effect & { readonly do: 'discard' },
): Promise<void> {
  const { task, by } = request;
  try {
    for (const { attempt, path } of kept) await disk.discard(attempt, path);
  } catch (cause) {
    if (!isEnvironmental(cause)) throw cause;
    await log.record((state) =>
      isOpen(state, number) ? [{ type: 'request-refused', request: number, because: failureOf(cause) }] : null,
    );
    return;
  }
  await log.record((state) =>
    isOpen(state, number)
      ? [
          { type: 'kept-discarded', task, kept: kept.map(({ attempt, path }) => ({ attempt, path })), by },
          { type: 'request-accepted', request: number },
        ]
      : null,
  );
}

const isOpen = (state: RunState | null, request: number): boolean =>
  state?.pending.some(({ seq }) => seq === request) === true;
