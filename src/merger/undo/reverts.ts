import { adoptCommit } from '../../adapters/git/bare/index.ts';
import { findCheckout, readAuthor } from '../../adapters/git/read/index.ts';
import {
  type Commit,
  commitsBetween,
  isAncestor,
  mergeTrees,
  mustReadCommit,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { readTrailer } from '../candidate/message.ts';
import type { MergerOrder } from '../context.ts';

type Landed = Extract<RunEvent, { type: 'landed' }>;

type Taken = {
  readonly onto: CommitId;
  readonly landings: readonly Landed[];
  /** Null: all that landed. */
  readonly task: TaskId | null;
  /** Taken back already. */
  readonly undoneTasks: readonly TaskId[];
};

/** Commits on top of `onto` that take the landed task commits back, newest first; in memory, nothing moves. */
export async function buildReverts(order: MergerOrder, from: Taken): Promise<Result<Reverts, Finding>> {
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
