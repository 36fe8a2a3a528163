import { readCommits, readManyChanges } from '../adapters/git-write/index.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { eventsOf, type History, planInForce } from './history.ts';

/**
 * Whether the commit that completes a candidate is what the ledger says: it stands on the last step, differs from it in
 * generated paths only, and has those exactly as the snapshot of the commands that ran on that step.
 */
export async function verifyGeneratedObjects(
  repository: string,
  history: History,
  of: { readonly wave: number; readonly round: number },
): Promise<Result<null, string>> {
  const generated = new Set(Object.keys(planInForce(history).plan.generated));
  if (generated.size === 0) return ok(null);
  const isThis = (event: { wave: number; round: number }) => event.wave === of.wave && event.round === of.round;
  const last = eventsOf(history, 'candidate-built')
    .findLast(({ event }) => isThis(event))
    ?.event.steps.at(-1);
  const snapshot = eventsOf(history, 'generator-ended').findLast(({ event }) => isThis(event))?.event.snapshot;
  const completed = eventsOf(history, 'candidate-completed').findLast(({ event }) => isThis(event))?.event;
  if (last === undefined || !snapshot || completed === undefined) return err('there are no rebuilt files');

  const commits = await readCommits(repository, [...new Set([last.commit, snapshot.commit, completed.commit])]);
  const [before, taken, made] = [last, snapshot, completed].map(({ commit }) => commits.get(commit));
  if (before === undefined || taken === undefined || made === undefined)
    return err('the rebuilt files are not in the repository');
  if (taken.tree !== snapshot.tree)
    return err('the snapshot of the rebuilt files has another tree than the recorded one');
  if (taken.parents.length !== 1 || taken.parents[0] !== last.commit)
    return err('the snapshot of the rebuilt files is not one commit on the candidate');
  if (made.tree !== completed.tree) return err('the completed candidate has another tree than the recorded one');
  if (made.id !== last.commit && (made.parents.length !== 1 || made.parents[0] !== last.commit))
    return err('the completed candidate is not one commit on its last step');

  const [added = [], left = []] = await readManyChanges(repository, [
    [before.tree, made.tree],
    [taken.tree, made.tree],
  ]);
  const hidden = added.find(({ path }) => !generated.has(path));
  if (hidden !== undefined) return err(`the completed candidate changes ${hidden.path}, which is not generated`);
  const other = left.find(({ path }) => generated.has(path));
  return other === undefined ? ok(null) : err(`${other.path} is not as it was rebuilt`);
}
