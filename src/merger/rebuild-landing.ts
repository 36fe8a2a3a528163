import { adoptCommit } from '../adapters/bare-repository/index.ts';
import { failpoint } from '../adapters/failpoint.ts';
import { findCheckout } from '../adapters/git-read/index.ts';
import {
  areRelated,
  commitsBetween,
  keepReachable,
  mergeTrees,
  mustReadCommit,
  openPerson,
  readAuthor,
  readRef,
  writeCommit,
} from '../adapters/git-write/index.ts';
import type { CommitId } from '../domain/ids.ts';
import { refs } from '../domain/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordFacts, refused } from './context.ts';
import { creation, eventsOf, type History, runTip } from './history.ts';

/**
 * The run's commits that have not landed, replayed one by one onto the person's branch as it is now, in memory. What
 * comes out is a new tree: it lands only after the checks passed on it.
 */
export async function rebuildLanding(order: Order): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const { target } = creation(history);
  const merged = eventsOf(history, 'merged').at(-1);
  if (merged === undefined) return refused('no task is merged yet');
  const person = await openPerson(order.checkout, order.env);
  const onto = await readRef(person, `refs/heads/${target.branch}`);
  if (onto === null) return refused(`the branch ${target.branch} is gone`);
  const last = eventsOf(history, 'landing-rebuilt').at(-1);
  if (last !== undefined && last.position > merged.position && last.event.onto === onto) return done;
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);
  await adoptCommit(repository, (await findCheckout(order.checkout)).commonDir, onto);
  if (!(await areRelated(repository, target.commit, onto)))
    return refused(`${target.branch} has another history now: it shares no commit with where the run began`);

  const commits = await commitsBetween(repository, alreadyLanded(history), merged.event.new);
  let commit = onto;
  let { tree } = await mustReadCommit(repository, onto);
  for (const id of commits.toReversed()) {
    const theirs = await mustReadCommit(repository, id);
    const { message, date } = theirs;
    const [parent] = theirs.parents;
    if (parent === undefined) return refused(`${id} has no parent to replay it from`);
    const base = await mustReadCommit(repository, parent);
    const replayed = await mergeTrees(repository, { base, ours: tree, theirs });
    if (!replayed.ok) {
      const conflicts = replayed.error;
      return await recordFacts(order, { type: 'landing-rebuilt', onto, commit: onto, tree, conflicts });
    }
    tree = replayed.value;
    commit = await writeCommit(repository, { tree, parent: commit, message, date, ...author.value });
  }
  failpoint('merger-rebuild-written');
  await keepReachable(repository, refs.landing(order.run), commit);
  failpoint('merger-rebuild-kept');
  return await recordFacts(order, { type: 'landing-rebuilt', onto, commit, tree, conflicts: [] });
}

/** Where the run branch stood when it last landed; its beginning if it never did. */
function alreadyLanded(history: History): CommitId {
  const last = eventsOf(history, 'landed').at(-1)?.position ?? 0;
  const undone = eventsOf(history, 'undone').findLast(({ event }) => event.task === null)?.position ?? 0;
  const made = eventsOf(history, 'run-branch-made')[0]?.event.commit;
  const tip = undone > last ? made : runTip(history.filter(({ position }) => position < last));
  return tip ?? made ?? creation(history).target.commit;
}
