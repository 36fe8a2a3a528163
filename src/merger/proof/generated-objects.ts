import { readCommits, readManyChanges } from '../../adapters/git/write/index.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import { eventsOf, type History, planInForce } from './history.ts';

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
