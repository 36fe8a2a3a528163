import { openObjects } from '../../adapters/git/process/index.ts';
import { listTree, readAuthor } from '../../adapters/git/read/index.ts';
import {
  keepReachable,
  readChanges,
  readCommits,
  takeBack,
  writeBlob,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { promotionSubject } from '../../domain/plan/commit-subject.ts';
import type { LevelChange } from '../../domain/proofs/matrix.ts';
import { promoteMatrix } from '../../domain/proofs/matrix.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../open-run.ts';
import { promotionsIn } from '../proof/components.ts';
import { completedTop, eventsOf, type History, planInForce } from '../proof/history.ts';

type Round = { readonly wave: number; readonly round: number };

/**
 * Makes one commit on top of the candidate in which the matrix of components has the new levels. Every other byte of the matrix stays
 * as it is. Nothing moves but a ref that keeps the commit.
 */
export async function promoteComponents(order: MergerOrder, { wave, round }: Round): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const at = { wave, round };
  if (promotedIn(history, at) !== undefined) return mergerDone;
  const { plan } = planInForce(history);
  const top = completedTop(history, at);
  const due = promotionsIn(history, at);
  if (top === undefined || due.length === 0 || plan.matrix === undefined) return refused({ rule: 'candidate-empty' });
  const matrix = await readMatrixAt(repository, top.commit, plan.matrix.path);
  if (matrix === null) return refused({ rule: 'matrix-unfit', file: plan.matrix.path, fault: 'unreadable' });
  const promoted = promoteMatrix(matrix.text, due);
  if (!promoted.ok) return refused(unfit(plan.matrix.path, promoted.error));
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);
  const { mode, id, path } = matrix;
  const blob = await writeBlob(repository, promoted.value);
  const tree = await takeBack(repository, top.tree, [{ path, oldMode: mode, newMode: mode, oldId: blob, newId: id }]);
  const built = eventsOf(history, 'candidate-built').findLast(({ event }) => isRound(at)(event));
  const date = `${Math.floor(Date.parse(built?.at ?? '') / 1000)} +0000`;
  const message = `${promotionSubject(plan, order.run, wave)}\n\nTidegate-Run: ${order.run}\nTidegate-Proof: ${built?.hash}\n`;
  const commit = await writeCommit(repository, { tree, parent: top.commit, message, date, ...author.value });
  failpoint('merger-promotion-written');
  await keepReachable(repository, refs.candidate(order.run, wave, round), commit);
  failpoint('merger-promotion-kept');
  return await recordFacts(order, { type: 'components-promoted', ...at, levels: levelsOf(due), commit, tree });
}

const isRound =
  ({ wave, round }: Round) =>
  (event: Round): boolean =>
    event.wave === wave && event.round === round;

const promotedIn = (history: History, at: Round) =>
  eventsOf(history, 'components-promoted').findLast(({ event }) => isRound(at)(event))?.event;

const levelsOf = (changes: readonly LevelChange[]) =>
  Object.fromEntries(changes.map(({ component, to }) => [component, to]));

type Fault = Extract<ReturnType<typeof promoteMatrix>, { ok: false }>['error'];
const unfit = (file: string, fault: Fault): Finding => ({ rule: 'matrix-unfit', file, ...fault });

async function readMatrixAt(repository: string, commit: CommitId, path: string) {
  const entry = (await listTree(repository, commit)).find((one) => one.path === path);
  if (entry === undefined || !entry.mode.startsWith('100')) return null;
  await using objects = openObjects(repository);
  const bytes = await objects.read(entry.id);
  return bytes === null ? null : { path, mode: entry.mode, id: entry.id, text: bytes.toString('utf8') };
}

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
