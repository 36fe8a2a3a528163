import { existsSync } from 'node:fs';
import { openObjects } from '../../adapters/git/process/index.ts';
import { readAuthor } from '../../adapters/git/read/index.ts';
import {
  absent,
  type Change,
  keepReachable,
  mustReadCommit,
  readChanges,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { type SidesBeside, sideName } from '../../domain/landing/landing-conflict.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { editedFiles, refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { withTrailer } from '../candidate/message.ts';
import { editTrailer } from '../candidate/taken-trailers.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../context.ts';
import { eventsOf } from '../proof/history.ts';
import { walkEdited } from '../walk-edited.ts';
import { editedParts, openConflict } from './landing-edits.ts';

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
  const meant = await mustReadCommit(repository, editedParts(history).get(part) ?? part);
  const commit = await writeCommit(repository, {
    tree: taken.value.tree,
    parent: base,
    message: withTrailer(meant.message, editTrailer(by, from, snapshot)),
    date: meant.date,
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
