import { readDiff } from '../../adapters/git/read/index.ts';
import {
  internalAuthor,
  keepReachable,
  mustReadCommit,
  readChanges,
  takeBack,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { TaskId } from '../../domain/base/ids.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import { eventsOf, type History, lastSnapshot } from '../proof/history.ts';

/**
 * Makes a new snapshot in which these paths are as they were in the base; a directory means everything below it. The old one
 * stays reachable by its own ref: dropping paths loses nothing (I7).
 */
export async function dropPaths(
  order: MergerOrder,
  { task, paths, by }: { readonly task: TaskId; readonly paths: readonly string[]; readonly by: By },
): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const held = lastSnapshot(history, task);
  if (held === undefined) return refused({ rule: 'no-snapshot', task });
  const covers = (path: string) =>
    paths.some((drop) => path === drop || path.startsWith(`${drop.replace(/\/$/, '')}/`));
  const taken = (await readChanges(repository, held.base, held.commit)).filter((change) => covers(change.path));
  // these are in no snapshot: dropping them only takes the finding away, and the files stay where they are
  const refusedPaths = held.refused.flatMap(({ where = '' }) => (covers(where) ? [where] : []));
  if (taken.length === 0 && isDropped(history, task, paths)) return mergerDone;
  if (taken.length === 0 && refusedPaths.length === 0) return refused({ rule: 'paths-unchanged', task, paths });

  const { date } = await mustReadCommit(repository, held.commit);
  const tree = await takeBack(repository, held.tree, taken);
  const message = `Snapshot of ${order.run}/${task} without ${taken.length} paths\n`;
  const commit = await writeCommit(repository, { tree, parent: held.base, message, by: internalAuthor, date });
  failpoint('merger-drop-written');
  const number = eventsOf(history, 'paths-dropped').filter(({ event }) => event.task === task).length + 1;
  await keepReachable(repository, refs.dropped(order.run, task, number), commit);
  failpoint('merger-drop-kept');
  const isKept = (finding: { readonly where?: string }) => finding.where === undefined || !covers(finding.where);
  const snapshot: SnapshotEvidence = {
    commit,
    tree,
    base: held.base,
    diff: (await readDiff(repository, held.base, commit)).map((entry) => ({ ...entry, ...keysIn(held, entry.path) })),
    refused: held.refused.filter(isKept),
    secrets: held.secrets.filter(isKept),
  };
  return await recordFacts(order, {
    type: 'paths-dropped',
    task,
    paths: [...new Set([...taken.map(({ path }) => path), ...refusedPaths])],
    snapshot,
    by,
  });
}

/** A path is dropped as a whole, so that of each that stays the same keys differ as before. */
function keysIn({ diff }: SnapshotEvidence, path: string): { readonly keys?: readonly string[] } {
  const keys = diff.find((entry) => entry.path === path)?.keys;
  return keys === undefined ? {} : { keys };
}

/** Asked again after the answer was lost: the paths are out of the snapshot already. */
function isDropped(history: History, task: TaskId, paths: readonly string[]): boolean {
  const last = eventsOf(history, 'paths-dropped').findLast(({ event }) => event.task === task)?.event.paths ?? [];
  return paths.every((path) =>
    last.some((dropped) => dropped === path || dropped.startsWith(`${path.replace(/\/$/, '')}/`)),
  );
}
