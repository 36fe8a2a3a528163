import { mustReadCommit, readChanges, readCommit } from '../adapters/git-write/index.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { eventsOf, type History, judged } from './history.ts';

/**
 * Whether the repository really holds what the ledger says of this round: snapshots are one commit on their recorded
 * base, the recorded diff is the whole diff, and the candidate is one commit per task that touches nothing else.
 */
export async function verifyObjects(
  repository: string,
  history: History,
  { wave, round }: { readonly wave: number; readonly round: number },
): Promise<Result<null, string>> {
  const built = eventsOf(history, 'candidate-built').findLast(
    ({ event }) => event.wave === wave && event.round === round,
  )?.event;
  if (built === undefined) return err('there is no candidate');
  let parent = built.base;
  for (const step of built.steps) {
    const snapshot = judged(history, 'monitor').findLast(({ event }) => event.task === step.task)?.event.evidence
      .snapshot;
    if (snapshot === null || snapshot === undefined) return err(`${step.task} has no snapshot`);
    const taken = await readCommit(repository, snapshot.commit);
    if (taken === undefined) return err(`snapshot ${snapshot.commit} of ${step.task} is not in the repository`);
    if (taken.tree !== snapshot.tree) return err(`the snapshot of ${step.task} has another tree than the recorded one`);
    if (taken.parents.length !== 1 || taken.parents[0] !== snapshot.base)
      return err(`the snapshot of ${step.task} is not one commit on its recorded base`);

    const judgedPaths = new Set(snapshot.diff.map((entry) => entry.path));
    const changed = await readChanges(repository, snapshot.base, snapshot.commit);
    const hidden = changed.find((change) => !judgedPaths.has(change.path));
    if (hidden !== undefined) return err(`${step.task} changes ${hidden.path}, which was never judged`);

    const commit = await readCommit(repository, step.commit);
    if (commit === undefined) return err(`candidate commit ${step.commit} is not in the repository`);
    if (commit.parents.length !== 1 || commit.parents[0] !== parent)
      return err(`the candidate is not linear at ${step.task}`);
    if (commit.tree !== step.tree) return err(`the candidate has another tree than the recorded one at ${step.task}`);
    const { tree } = await mustReadCommit(repository, parent);
    const stray = (await readChanges(repository, tree, commit.tree)).find((change) => !judgedPaths.has(change.path));
    if (stray !== undefined) return err(`the commit of ${step.task} changes ${stray.path}, which the task did not`);
    parent = step.commit;
  }
  return ok(null);
}
