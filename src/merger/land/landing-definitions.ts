import { keepReachable, mustReadCommit } from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { definedBefore } from '../candidate/defined-before.ts';
import { type MergerOrder, recordFacts } from '../context.ts';
import { eventsOf, type History } from '../proof/history.ts';

/**
 * Compares the check definitions of a run branch that lands as it is with those of the commit that it is built on. Records what
 * differs, so that the checks pass with both before anything moves. Null where nothing differs and nothing did on the way.
 */
export async function compareDefinitions(
  order: MergerOrder,
  history: History,
  { onto, commit, tasks }: { readonly onto: CommitId; readonly commit: CommitId; readonly tasks: readonly TaskId[] },
): Promise<MergerAnswer | null> {
  const { repository } = order.state;
  const { tree } = await mustReadCommit(repository, commit);
  const defined = await definedBefore(repository, history, { base: onto, top: { commit, tree }, tasks });
  if (defined.before === undefined && !hasRedefined(history, tasks)) return null;
  return await recordRebuilt(order, { onto, commit, tree, conflicts: [], asMerged: true, ...defined });
}

/** A round in which one of these tasks was merged had other definitions than the commit below it. */
function hasRedefined(history: History, tasks: readonly TaskId[]): boolean {
  const built = [...eventsOf(history, 'candidate-built'), ...eventsOf(history, 'candidate-completed')];
  return eventsOf(history, 'merged').some(
    ({ event: { wave, round, tasks: merged } }) =>
      merged.some(({ task }) => tasks.includes(task)) &&
      built.some(({ event }) => event.wave === wave && event.round === round && event.before !== undefined),
  );
}

/** One ref keeps both: what has the definitions of the branch stands on what would land. */
export async function recordRebuilt(
  order: MergerOrder,
  rebuilt: Omit<Extract<RunEvent, { type: 'landing-rebuilt' }>, 'type'>,
): Promise<MergerAnswer> {
  failpoint('merger-rebuild-written');
  await keepReachable(order.state.repository, refs.landing(order.run), rebuilt.before?.commit ?? rebuilt.commit);
  failpoint('merger-rebuild-kept');
  return await recordFacts(order, { type: 'landing-rebuilt', ...rebuilt });
}
