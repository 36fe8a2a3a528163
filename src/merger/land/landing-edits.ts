import { isDeepStrictEqual } from 'node:util';
import {
  type Commit,
  internalAuthor,
  keepReachable,
  mergeForPerson,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import type { CommitId, TreeId } from '../../domain/base/ids.ts';
import type { Rebuilt } from '../../domain/landing/landing.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerOrder } from '../context.ts';
import { eventsOf, type History } from '../proof/history.ts';
import { byHand } from '../proof/proof-of-acceptance.ts';

/** Commits of the run branch that people made fit by hand, each with the commit that lands instead of it. */
export const editedParts = (history: History): ReadonlyMap<CommitId, CommitId> =>
  new Map(eventsOf(history, 'landing-edited').map(({ event }) => [event.part, event.commit]));

type Conflicted = NonNullable<Rebuilt['conflicted']>;

/** Keeps both sides of a conflict as one commit, for a person who settles it. */
export async function keepConflict(
  order: MergerOrder,
  sides: { readonly base: Commit; readonly ours: TreeId; readonly theirs: Commit; readonly onto: CommitId },
): Promise<Pick<Conflicted, 'commit' | 'beside'>> {
  const { repository } = order.state;
  const { tree, beside } = await mergeForPerson(repository, sides);
  const { date } = sides.theirs;
  const message = `Landing of ${order.run} with conflicts\n`;
  const commit = await writeCommit(repository, { tree, parent: sides.onto, message, by: internalAuthor, date });
  await keepReachable(repository, refs.conflict(order.run), commit);
  return { commit, ...(beside.length === 0 ? {} : { beside }) };
}

/** The conflict that the last try to land ran into; undefined when there is none, or it was settled or landed since. */
export function openConflict(history: History): Conflicted | undefined {
  const last = history.findLast(({ event }) =>
    ['landing-rebuilt', 'landing-edited', 'landed'].includes(event.type),
  )?.event;
  return last?.type === 'landing-rebuilt' ? last.conflicted : undefined;
}

/** The first edit of a landing that no person asked for; null when there is none. */
export function unaskedEdit(history: History): CommitId | null {
  const forged = eventsOf(history, 'landing-edited').find(
    ({ position, event: { from, copy, by } }) =>
      !byHand.has(by.via) ||
      !history.some(
        ({ position: before, event }) =>
          before < position &&
          event.type === 'requested-landing-edit' &&
          event.from === from &&
          event.copy === copy &&
          isDeepStrictEqual(event.by, by),
      ),
  );
  return forged?.event.commit ?? null;
}
