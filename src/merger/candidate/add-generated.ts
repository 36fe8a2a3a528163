import { readAuthor } from '../../adapters/git/read/index.ts';
import {
  type Change,
  keepReachable,
  readChanges,
  readCommits,
  readManyChanges,
  takeBack,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../context.ts';
import { eventsOf, type History, planInForce } from '../proof/history.ts';
import { definedBefore } from './defined-before.ts';
import { generatedMessage } from './message.ts';

/**
 * One commit on top of the round's steps, in which exactly the generated paths are as their commands left them; what
 * else those changed is left behind. Nothing differs: the last step stands for it. Nothing moves but a ref that keeps it.
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

/**
 * True when the commit that completes a candidate is what the ledger says: it is a child of the last step, differs from it in
 * generated paths only, and has those exactly as the snapshot of the commands that ran on that step.
 */
export async function verifyGeneratedObjects(
  repository: string,
  history: History,
  of: { readonly wave: number; readonly round: number },
): Promise<Result<null, ObjectGap>> {
  const generated = new Set(Object.keys(planInForce(history).plan.generated));
  if (generated.size === 0) return ok(null);
  const isThis = (event: { wave: number; round: number }) => event.wave === of.wave && event.round === of.round;
  const last = eventsOf(history, 'candidate-built')
    .findLast(({ event }) => isThis(event))
    ?.event.steps.at(-1);
  const snapshot = eventsOf(history, 'generator-ended').findLast(({ event }) => isThis(event))?.event.snapshot;
  const completed = eventsOf(history, 'candidate-completed').findLast(({ event }) => isThis(event))?.event;
  if (last === undefined || !snapshot || completed === undefined) return err({ gap: 'nothing-rebuilt' });

  const commits = await readCommits(repository, [...new Set([last.commit, snapshot.commit, completed.commit])]);
  const [before, taken, made] = [last, snapshot, completed].map(({ commit }) => commits.get(commit));
  if (before === undefined || taken === undefined || made === undefined) return err({ gap: 'rebuilt-missing' });
  if (taken.tree !== snapshot.tree) return err({ gap: 'rebuilt-tree' });
  if (taken.parents.length !== 1 || taken.parents[0] !== last.commit) return err({ gap: 'rebuilt-parent' });
  if (made.tree !== completed.tree) return err({ gap: 'completed-tree' });
  if (made.id !== last.commit && (made.parents.length !== 1 || made.parents[0] !== last.commit))
    return err({ gap: 'completed-parent' });

  const [added = [], left = []] = await readManyChanges(repository, [
    [before.tree, made.tree],
    [taken.tree, made.tree],
  ]);
  const hidden = added.find(({ path }) => !generated.has(path));
  if (hidden !== undefined) return err({ gap: 'path-not-generated', path: hidden.path });
  const other = left.find(({ path }) => generated.has(path));
  return other === undefined ? ok(null) : err({ gap: 'path-not-as-rebuilt', path: other.path });
}
