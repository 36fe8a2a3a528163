import { failpoint } from '../adapters/failpoint.ts';
import {
  type Author,
  keepReachable,
  mustReadCommit,
  readAuthor,
  readRef,
  writeCommit,
} from '../adapters/git-write/index.ts';
import type { RunEvent } from '../domain/events.ts';
import type { SnapshotEvidence } from '../domain/evidence.ts';
import type { CommitId, TaskId } from '../domain/ids.ts';
import type { PlannedTask } from '../domain/plan.ts';
import { refs } from '../domain/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordFacts, refused } from './context.ts';
import {
  eventsOf,
  type History,
  inOrder,
  isDropped,
  isMerged,
  isReadOnly,
  judged,
  planHere,
  planned,
  runTip,
} from './history.ts';
import { integrator } from './integrate.ts';
import { commitMessage } from './message.ts';

type Built = Extract<RunEvent, { type: 'candidate-built' }>;

/**
 * The round's tasks on top of the run branch, in memory, one linear commit each. A task that conflicts is left out
 * with its files named; those that stand on it are left out too. Nothing moves but a ref that keeps the result.
 */
export async function buildCandidate(order: Order, wave: number, round: number): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  if (eventsOf(history, 'candidate-built').some(({ event }) => isThis(event))) return done;
  const opened = eventsOf(history, 'round-opened').findLast(({ event }) => isThis(event));
  if (opened === undefined) return refused(`round ${round} of wave ${wave} is not open`);
  const { base } = opened.event;
  const found = await readRef({ gitDir: repository }, refs.runBranch(order.run));
  if (base !== runTip(history) || base !== found)
    return refused(
      `diverged: the round starts at ${base}, the ledger says ${runTip(history)}, the run branch is at ${found}`,
    );

  const tasks = readTasks(history, opened.event.tasks);
  if (typeof tasks === 'string') return refused(tasks);
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);

  const seconds = Math.floor(Date.parse(opened.at) / 1000);
  const built = await stack(order, history, { base, tasks, author: author.value, date: `${seconds} +0000` });
  const top = built.steps.at(-1)?.commit ?? base;
  failpoint('merger-candidate-written');
  await keepReachable(repository, refs.candidate(order.run, wave, round), top);
  failpoint('merger-candidate-kept');
  return await recordFacts(order, { type: 'candidate-built', wave, round, base, ...built });
}

type RoundTask = { readonly task: PlannedTask; readonly snapshot: SnapshotEvidence; readonly proof: string };

/** What goes in, in order, each with the record that proves it; or why that cannot be said. */
function readTasks(
  history: History,
  round: readonly { readonly task: TaskId; readonly snapshot: CommitId }[],
): readonly RoundTask[] | string {
  const plan = planHere(history);
  const tasks: RoundTask[] = [];
  for (const task of inOrder(plan, new Set(round.map((entry) => entry.task)))) {
    const wanted = round.find((entry) => entry.task === task.id)?.snapshot;
    const proof = judged(history, 'monitor').findLast(
      ({ event }) => event.task === task.id && event.evidence.snapshot?.commit === wanted,
    );
    const snapshot = proof?.event.evidence.snapshot;
    if (proof === undefined || snapshot === null || snapshot === undefined)
      return `${task.id} was never judged at snapshot ${wanted}`;
    if (isReadOnly(task)) return `${task.id} is read-only and is never merged`;
    if (isMerged(history, task.id)) return `${task.id} is merged already`;
    tasks.push({ task, snapshot, proof: proof.hash });
  }
  return tasks.length === round.length ? tasks : 'the round names a task that the plan does not have';
}

async function stack(
  order: Order,
  history: History,
  from: {
    readonly base: CommitId;
    readonly tasks: readonly RoundTask[];
    readonly author: Author;
    readonly date: string;
  },
): Promise<Pick<Built, 'steps' | 'conflicts'>> {
  const { repository } = order.state;
  const plan = planHere(history);
  const snapshots = from.tasks.map(({ snapshot }) => snapshot);
  const integrate = await integrator(repository, snapshots, new Set(Object.keys(plan.generated)));
  const steps: Built['steps'][number][] = [];
  const conflicts: Built['conflicts'][number][] = [];
  let commit = from.base;
  let { tree } = await mustReadCommit(repository, from.base);

  const stands = (need: TaskId): boolean => {
    const task = planned(plan, need);
    if (task === undefined || isReadOnly(task) || isDropped(history, need) || isMerged(history, need)) return true;
    return steps.some((step) => step.task === need);
  };
  for (const { task, snapshot, proof } of from.tasks) {
    if (!task.needs.every(stands)) continue;
    const merged = await integrate(tree, snapshot);
    if (!merged.ok) {
      conflicts.push({ task: task.id, files: merged.error });
      continue;
    }
    tree = merged.value;
    const message = commitMessage(task, { run: order.run, task: task.id, proof });
    commit = await writeCommit(repository, { tree, parent: commit, message, date: from.date, ...from.author });
    steps.push({ task: task.id, commit, tree });
  }
  return { steps, conflicts };
}
