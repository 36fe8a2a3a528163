import { adoptCommit } from '../../adapters/git/bare/index.ts';
import { findCheckout, readAuthor } from '../../adapters/git/read/index.ts';
import {
  type Commit,
  commitsBetween,
  isAncestor,
  keepReachable,
  mergeTrees,
  mustReadCommit,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { policy } from '../../domain/settings/policy.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { readTrailer } from '../commit-message.ts';
import { examineMove } from '../land/move-branch.ts';
import { baselineOf, standingLandings } from '../land/rebuild-landing.ts';
import { type MergerOrder, recordFacts } from '../order.ts';
import { eventsOf, type History } from '../proof/history.ts';

export type Prepared = Extract<RunEvent, { type: 'undo-prepared' }>;

/**
 * Makes the commits that take a run, or one task of it, back on top of the person's branch as it is now, and records
 * them. Nothing moves: they hold a tree that nobody has seen before, so that the checks come first.
 */
export async function prepareUndo(
  order: MergerOrder,
  { history, task, onto }: UndoAt,
): Promise<Result<MergerAnswer, Finding>> {
  const landings = standingLandings(history);
  const branch = landings.at(-1)?.branch ?? '';
  const reverts = await buildReverts(order, { onto, landings, task, undoneTasks: undoneTasks(history) });
  if (!reverts.ok) return reverts;
  const { commit, tree, reverted } = reverts.value;
  const tries = policy.landingTries;
  if (preparations(history, task).length >= tries) return err({ rule: 'undo-busy', branch, tries, reverts: reverted });
  // a refusal comes before the checks take their time, not after
  const ready = await examineMove(order, { ref: `refs/heads/${branch}`, old: onto, new: commit });
  if (!ready.ok) return ready;
  failpoint('merger-undo-written');
  await keepReachable(order.state.repository, refs.undo(order.run), commit);
  failpoint('merger-undo-kept');
  const compared = await baselineOf(order.state.repository, history, landings[0]?.old ?? null);
  return ok(
    await recordFacts(order, {
      ...{ type: 'undo-prepared', task, branch, onto, commit, tree, reverts: reverted },
      ...compared,
    }),
  );
}

type UndoAt = {
  readonly history: History;
  readonly task: TaskId | null;
  readonly onto: CommitId;
};

/** The reverts prepared for the undo that is under way. */
export function preparations(history: History, task: TaskId | null): readonly Prepared[] {
  const ends = ['undone', 'undo-refused', 'landed'];
  const over = history.findLast(({ event }) => ends.includes(event.type))?.position ?? 0;
  return eventsOf(history, 'undo-prepared')
    .filter(({ position, event }) => position > over && event.task === task)
    .map(({ event }) => event);
}

/** Taken back one by one; an undo of the whole run lets all of it land anew. */
export function undoneTasks(history: History): readonly TaskId[] {
  const whole = eventsOf(history, 'undone').findLast(({ event }) => event.task === null)?.position ?? 0;
  return eventsOf(history, 'undone').flatMap(({ position, event }) =>
    position > whole && event.task !== null ? [event.task] : [],
  );
}

type Landed = Extract<RunEvent, { type: 'landed' }>;

type Taken = {
  readonly onto: CommitId;
  readonly landings: readonly Landed[];
  /** Null for everything that landed. */
  readonly task: TaskId | null;
  /** Tasks that are undone already. */
  readonly undoneTasks: readonly TaskId[];
};

/** Makes commits on top of `onto` that revert the landed task commits, newest first; in memory, nothing moves. */
async function buildReverts(order: MergerOrder, from: Taken): Promise<Result<Reverts, Finding>> {
  const { repository } = order.state;
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return author;
  await adoptCommit(repository, (await findCheckout(order.checkout)).commonDir, from.onto);
  const commits = await landedCommits(order, from);
  if (!commits.ok) return commits;

  const top = await mustReadCommit(repository, from.onto);
  let { id: commit, tree } = top;
  for (const reverted of commits.value) {
    const [parent] = reverted.parents;
    if (parent === undefined) return err({ rule: 'commit-without-parent', commit: reverted.id });
    const { tree: before } = await mustReadCommit(repository, parent);
    const merged = await mergeTrees(repository, { base: reverted, ours: tree, theirs: before });
    if (!merged.ok)
      return err({
        rule: 'built-upon',
        commit: reverted.id,
        words: boundedWords(titleOf(reverted), 200),
        files: merged.error,
      });
    tree = merged.value;
    // The clock of the branch, so that asking again gives the same commits.
    commit = await writeCommit(repository, {
      tree,
      parent: commit,
      message: revertMessage(reverted),
      date: top.date,
      ...author.value,
    });
  }
  return ok({ commit, tree, reverted: commits.value.map(({ id }) => id) });
}

type Reverts = {
  readonly commit: CommitId;
  readonly tree: TreeId;
  /** Newest first. */
  readonly reverted: readonly CommitId[];
};

async function landedCommits(order: MergerOrder, from: Taken): Promise<Result<readonly Commit[], Finding>> {
  const { repository } = order.state;
  const commits: Commit[] = [];
  for (const landing of from.landings.toReversed()) {
    if (!(await isAncestor(repository, landing.new, from.onto)))
      return err({ rule: 'landing-lost', branch: landing.branch });
    if (landing.old === null) return err({ rule: 'branch-moved-on', branch: landing.branch });
    for (const id of await commitsBetween(repository, landing.old, landing.new)) {
      const commit = await mustReadCommit(repository, id);
      if (readTrailer(commit.message, 'Tidegate-Run') === order.run) commits.push(commit);
    }
  }
  const taskOf = (commit: Commit) => readTrailer(commit.message, 'Tidegate-Task');
  const wanted = commits.filter((commit) => {
    const task = taskOf(commit);
    return from.task === null ? !from.undoneTasks.some((undone) => undone === task) : task === from.task;
  });
  return wanted.length > 0 ? ok(wanted) : err({ rule: 'no-landed-commit', task: from.task });
}

const titleOf = (commit: Commit): string => commit.message.split('\n')[0] ?? '';

function revertMessage(commit: Commit): string {
  const trailers = ['Tidegate-Run', 'Tidegate-Task'].flatMap((name) => {
    const value = readTrailer(commit.message, name);
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return `Revert "${titleOf(commit)}"\n\nThis reverts commit ${commit.id}.\n\n${trailers.join('\n')}\nTidegate-Reverts: ${commit.id}\n`;
}
