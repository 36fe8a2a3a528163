import { readAuthor } from '../../adapters/git/read/index.ts';
import { type Change, keepReachable, readChanges, takeBack, writeCommit } from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { generatedMessage } from '../commit-message.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import { eventsOf, planInForce } from '../proof/history.ts';
import { definedBefore } from './earlier-definitions.ts';

/**
 * Makes one commit on top of the round's steps, in which exactly the generated paths are as their commands left them; other changes
 * of these commands are left out. If nothing differs, the last step is used instead. Nothing moves but a ref that keeps the commit.
 */
export async function addGenerated(order: MergerOrder, wave: number, round: number): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  if (eventsOf(history, 'candidate-completed').some(({ event }) => isThis(event))) return mergerDone;
  const built = eventsOf(history, 'candidate-built').findLast(({ event }) => isThis(event))?.event;
  const ended = eventsOf(history, 'generator-ended').findLast(({ event }) => isThis(event));
  const last = built?.steps.at(-1);
  const snapshot = ended?.event.snapshot;
  if (last === undefined || ended === undefined || !snapshot) return refused({ rule: 'nothing-rebuilt', wave, round });
  if (snapshot.base !== last.commit)
    return refused({ rule: 'rebuilt-elsewhere', expected: last.commit, actual: snapshot.base });

  const { plan } = planInForce(history);
  const generated = new Set(Object.keys(plan.generated));
  const taken = (await readChanges(repository, last.tree, snapshot.tree)).filter(({ path }) => generated.has(path));
  const same = { type: 'candidate-completed', wave, round, commit: last.commit, tree: last.tree } as const;
  const ref = refs.candidate(order.run, wave, round);
  const tasks = built?.steps.map(({ task }) => task) ?? [];
  const define = (top: Pick<typeof last, 'commit' | 'tree'>) =>
    definedBefore(repository, history, { base: built?.base ?? last.commit, top, tasks });
  if (taken.length === 0) {
    const defined = await define(last);
    if (defined.before !== undefined) await keepReachable(repository, ref, defined.before.commit);
    return await recordFacts(order, { ...same, ...defined });
  }
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);
  const tree = await takeBack(repository, last.tree, taken.map(reversed));
  const date = `${Math.floor(Date.parse(ended.at) / 1000)} +0000`;
  const message = generatedMessage(plan, wave, { run: order.run, proof: ended.hash });
  const commit = await writeCommit(repository, { tree, parent: last.commit, message, date, ...author.value });
  const defined = await define({ commit, tree });
  failpoint('merger-generated-written');
  await keepReachable(repository, ref, defined.before?.commit ?? commit);
  failpoint('merger-generated-kept');
  return await recordFacts(order, { ...same, commit, tree, ...defined });
}

/** Taken back, this puts the new side onto a tree that has the old one. */
const reversed = ({ path, oldMode, newMode, oldId, newId }: Change): Change => ({
  path,
  oldMode: newMode,
  newMode: oldMode,
  oldId: newId,
  newId: oldId,
});
