import type { Effect } from '../pipeline/step.ts';
import type { Disk } from '../ports/disk.ts';
import type { RunLog } from './run-log.ts';

/** First the files, then the fact: until the ledger says that they are gone, they are named to people. */
export async function discardKept(
  disk: Pick<Disk, 'discard'>,
  log: RunLog,
  { kept, request, number }: Effect & { readonly do: 'discard' },
): Promise<void> {
  for (const { attempt, path } of kept) await disk.discard(attempt, path);
  const { task, by } = request;
  await log.record((state) =>
    state?.pending.some(({ seq }) => seq === number)
      ? [
          { type: 'kept-discarded', task, kept: kept.map(({ attempt, path }) => ({ attempt, path })), by },
          { type: 'request-accepted', request: number },
        ]
      : null,
  );
}
