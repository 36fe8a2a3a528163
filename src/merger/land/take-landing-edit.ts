import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { openObjects } from '../../adapters/git/process/index.ts';
import { readAuthor } from '../../adapters/git/read/index.ts';
import {
  absent,
  type Change,
  type Commit,
  internalAuthor,
  keepReachable,
  mergeForPerson,
  mustReadCommit,
  readChanges,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TreeId } from '../../domain/base/ids.ts';
import { type Rebuilt, type SidesBeside, sideName } from '../../domain/landing/landing.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { editedFiles, refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { editTrailer, withTrailer } from '../commit-message.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import { byHand, eventsOf, type History } from '../proof/history.ts';
import { walkEdited } from '../take-edit.ts';

/**
 * Takes what a person made of a landing that conflicts: from now on it lands instead of the commit that did not fit. Nothing moves
 * by this. The landing is rebuilt with it, and the checks run on exactly what comes out.
 */
export async function takeLandingEdit(
  order: MergerOrder,
  { from, copy, by }: { readonly from: CommitId; readonly copy: string; readonly by: By },
): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const edits = eventsOf(history, 'landing-edited');
  if (edits.some(({ event }) => event.copy === copy)) return mergerDone;
  const conflict = openConflict(history);
  if (conflict === undefined) return refused({ rule: 'no-landing-conflict' });
  if (conflict.commit !== from) return refused({ rule: 'conflict-outdated' });
  const files = editedFiles(order.state, copy);
  if (files === null || !existsSync(files)) return refused({ rule: 'edit-gone' });
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);

  const { tree, parents } = await mustReadCommit(repository, from);
  const [base] = parents;
  if (base === undefined) return refused({ rule: 'commit-without-parent', commit: from });
  const ref = refs.landingEdit(order.run, edits.length + 1);
  const message = `Landing of ${order.run}, edited by hand`;
  const taken = await walkEdited(order, files, { base, from, ref, message });
  if (!taken.ok) return refused({ rule: 'edit-unreadable', because: taken.error });
  const [unfit] = [...taken.value.refused, ...taken.value.secrets];
  if (unfit !== undefined) return refused({ rule: 'edit-unreadable', because: unfit });
  if (taken.value.tree === tree) return refused({ rule: 'landing-edit-unchanged' });
  const { commit: snapshot } = taken.value;
  const changes = await readChanges(repository, base, snapshot);
  const left = [...besideIn(changes, conflict.beside ?? []), ...(await markersIn(repository, changes))];
  if (left.length > 0) return refused({ rule: 'conflict-left', files: left });

  const { part } = conflict;
  const intended = await mustReadCommit(repository, editedParts(history).get(part) ?? part);
  const commit = await writeCommit(repository, {
    tree: taken.value.tree,
    parent: base,
    message: withTrailer(intended.message, editTrailer(by, from, snapshot)),
    date: intended.date,
    ...author.value,
  });
  failpoint('merger-landing-edit-written');
  await keepReachable(repository, `${ref}.commit`, commit);
  failpoint('merger-landing-edit-kept');
  const paths = (await readChanges(repository, from, snapshot)).map(({ path }) => path);
  return await recordFacts(order, { type: 'landing-edited', part, from, snapshot, commit, paths, copy, by });
}

/** Sides of files that a person has not chosen from yet. */
function besideIn(changes: readonly Change[], beside: readonly SidesBeside[]): readonly string[] {
  const names = new Set(beside.flatMap(({ path, sides }) => sides.map((side) => sideName(path, side))));
  return changes.filter(({ path, newMode }) => newMode !== absent && names.has(path)).map(({ path }) => path);
}

/** Files that still hold both sides of a conflict, or one of the lines that we marked them with. */
async function markersIn(repository: string, changes: readonly Change[]): Promise<readonly string[]> {
  await using objects = openObjects(repository);
  const files: string[] = [];
  for (const { path, newMode, newId } of changes) {
    if (!newMode.startsWith('100')) continue;
    const text = (await objects.read(newId))?.toString('latin1') ?? '';
    const isWhole = /^<{7} /m.test(text) && /^={7}$/m.test(text) && /^>{7} /m.test(text);
    if (isWhole || /^[<>]{7} [0-9a-f]{40,64}$/m.test(text)) files.push(path);
  }
  return files;
}

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
function openConflict(history: History): Conflicted | undefined {
  const last = history.findLast(({ event }) =>
    ['landing-rebuilt', 'landing-edited', 'landed'].includes(event.type),
  )?.event;
  return last?.type === 'landing-rebuilt' ? last.conflicted : undefined;
}

/** Returns the first edit of a landing that no person requested; null when there is none. */
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
