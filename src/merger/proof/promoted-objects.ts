import { openObjects } from '../../adapters/git/process/index.ts';
import { listTree } from '../../adapters/git/read/index.ts';
import { readChanges, readCommits } from '../../adapters/git/write/index.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import { promoteMatrix } from '../../domain/proofs/matrix.ts';
import { promotionsIn } from './components.ts';
import { completedTop, eventsOf, type History, planInForce } from './history.ts';

type Round = { readonly wave: number; readonly round: number };

/** True when the commit with the new levels is one commit on the candidate that changes exactly these bytes of the matrix. */
export async function verifyPromotedObjects(
  repository: string,
  history: History,
  at: Round,
): Promise<Result<null, ObjectGap>> {
  const due = promotionsIn(history, at);
  const promoted = promotedIn(history, at);
  if (due.length === 0) return promoted === undefined ? ok(null) : err({ gap: 'promotion-undue' });
  const { matrix } = planInForce(history).plan;
  const top = completedTop(history, at);
  if (promoted === undefined || top === undefined || matrix === undefined) return err({ gap: 'promotion-missing' });
  const made = (await readCommits(repository, [promoted.commit])).get(promoted.commit);
  if (made === undefined || made.tree !== promoted.tree) return err({ gap: 'promotion-missing' });
  if (made.parents.length !== 1 || made.parents[0] !== top.commit) return err({ gap: 'promotion-parent' });
  const changes = await readChanges(repository, top.tree, promoted.tree);
  const [change] = changes;
  if (changes.length !== 1 || change?.path !== matrix.path || change.oldMode !== change.newMode)
    return err({ gap: 'promotion-paths' });
  const before = await readMatrixAt(repository, top.commit, matrix.path);
  const after = await readMatrixAt(repository, promoted.commit, matrix.path);
  const expected = before === null ? null : promoteMatrix(before.text, due);
  const isSame = expected?.ok === true && after?.text === expected.value;
  return isSame ? ok(null) : err({ gap: 'promotion-levels' });
}

export const isRound =
  ({ wave, round }: Round) =>
  (event: Round): boolean =>
    event.wave === wave && event.round === round;

export const promotedIn = (history: History, at: Round) =>
  eventsOf(history, 'components-promoted').findLast(({ event }) => isRound(at)(event))?.event;

/** Returns the matrix of a commit with its text; null when it is no file there. */
export async function readMatrixAt(repository: string, commit: CommitId, path: string) {
  const entry = (await listTree(repository, commit)).find((one) => one.path === path);
  if (entry === undefined || !entry.mode.startsWith('100')) return null;
  await using objects = openObjects(repository);
  const bytes = await objects.read(entry.id);
  return bytes === null ? null : { path, mode: entry.mode, id: entry.id, text: bytes.toString('utf8') };
}
