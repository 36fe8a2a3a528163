import { readAuthor } from '../../adapters/git/read/index.ts';
import { keepReachable, takeBack, writeBlob, writeCommit } from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { promotionSubject } from '../../domain/plan/commit-subject.ts';
import type { LevelChange } from '../../domain/proofs/matrix.ts';
import { promoteMatrix } from '../../domain/proofs/matrix.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import { promotionsIn } from '../proof/components.ts';
import { completedTop, eventsOf, planInForce } from '../proof/history.ts';
import { isRound, promotedIn, readMatrixAt } from '../proof/promoted-objects.ts';
import { definedBefore } from './earlier-definitions.ts';

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
  const tasks = built?.event.steps.map(({ task }) => task) ?? [];
  const from = { base: built?.event.base ?? top.commit, top: { commit, tree }, tasks };
  const defined = await definedBefore(repository, history, from);
  failpoint('merger-promotion-written');
  await keepReachable(repository, refs.candidate(order.run, wave, round), defined.before?.commit ?? commit);
  failpoint('merger-promotion-kept');
  const levels = levelsOf(due);
  return await recordFacts(order, { type: 'components-promoted', ...at, levels, commit, tree, ...defined });
}

const levelsOf = (changes: readonly LevelChange[]) =>
  Object.fromEntries(changes.map(({ component, to }) => [component, to]));

type Fault = Extract<ReturnType<typeof promoteMatrix>, { ok: false }>['error'];
const unfit = (file: string, fault: Fault): Finding => ({ rule: 'matrix-unfit', file, ...fault });
