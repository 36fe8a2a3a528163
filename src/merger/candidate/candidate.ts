import { type Author, listTree, readAuthor } from '../../adapters/git/read/index.ts';
import {
  type Commit,
  isTidy,
  keepReachable,
  mergeTrees,
  moveRef,
  mustReadCommit,
  readCommits,
  readRef,
  writeCommit,
  writeStack,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, present, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { RoundEntry, SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import { isReadOnly } from '../../domain/plan/plan.ts';
import { addedIn, bothNames, namesAfter, pathTwins } from '../../domain/scope/path-safety.ts';
import { repositoryStream } from '../../ports/ledger.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { changesApart } from '../apart.ts';
import { commitMessage, resolvedTrailers, takenTrailers } from '../commit-message.ts';
import { type Intent, type MergerOrder, mergerDone, recordFacts, recordIntent, refused } from '../order.ts';
import { repairedSnapshot } from '../proof/derived.ts';
import {
  candidateTop,
  commitsOfRound,
  eventsOf,
  type History,
  inOrder,
  isDoneEmpty,
  isMerged,
  judgedPhases,
  planHere,
  planned,
  runTip,
} from '../proof/history.ts';
import { verifyObjects } from '../proof/objects.ts';
import { verifyChain } from '../proof/proof.ts';
import { definedBefore } from './earlier-definitions.ts';
import { repairOfConflict } from './repair.ts';
import { withoutGenerated } from './without-generated.ts';

type Built = Extract<RunEvent, { type: 'candidate-built' }>;

/**
 * The round's tasks on top of the run branch, in memory, one linear commit each. A task that conflicts, or adds a name that some file
 * system takes for another one, is left out with its files named; those that stand on it are left out too. Nothing moves but a ref that keeps the result.
 */
export async function buildCandidate(order: MergerOrder, wave: number, round: number): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  if (eventsOf(history, 'candidate-built').some(({ event }) => isThis(event))) return mergerDone;
  const opened = eventsOf(history, 'round-opened').findLast(({ event }) => isThis(event));
  if (opened === undefined) return refused({ rule: 'round-not-open', wave, round });
  const { base } = opened.event;
  const actual = await readRef({ gitDir: repository }, refs.runBranch(order.run));
  const tip = runTip(history) ?? null;
  if (base !== tip || base !== actual) return refused({ rule: 'round-diverged', base, expected: tip, actual });

  const tasks = readTasks(history, opened.event.tasks);
  if (!tasks.ok) return refused(tasks.error);
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);

  const seconds = Math.floor(Date.parse(opened.at) / 1000);
  const ref = refs.candidate(order.run, wave, round);
  const from = { base, tasks: tasks.value, author: author.value, date: `${seconds} +0000` };
  const built = (await stackAtOnce(order, history, from, ref)) ?? (await stack(order, history, from));
  const top = built.steps.at(-1)?.commit ?? base;
  const last = built.steps.at(-1);
  const isWhole = last !== undefined && Object.keys(planHere(history).generated).length === 0;
  const going = built.steps.map(({ task }) => task);
  const conflicts = await withRepairs(repository, history, { ...from, top }, built.conflicts);
  const defined = isWhole ? await definedBefore(repository, history, { base, top: last, tasks: going }) : {};
  failpoint('merger-candidate-written');
  // its parent is the candidate, so that one ref keeps both
  await keepReachable(repository, ref, defined.before?.commit ?? top);
  failpoint('merger-candidate-kept');
  return await recordFacts(order, { type: 'candidate-built', wave, round, base, ...built, conflicts, ...defined });
}

/** Adds to each conflict what a resolver may repair, on top of everything that could be integrated. Nothing repairs a repair. */
async function withRepairs(
  repository: string,
  history: History,
  { tasks, top }: Pick<Foundation, 'tasks'> & { readonly top: CommitId },
  conflicts: Built['conflicts'],
): Promise<Built['conflicts']> {
  if (planHere(history).resolver === undefined) return conflicts;
  const generated = generatedPaths(history);
  const found: Built['conflicts'][number][] = [];
  for (const conflict of conflicts) {
    const entry = tasks.find(({ task }) => task.id === conflict.task);
    const isOwn = entry !== undefined && entry.by === undefined;
    const repair = isOwn
      ? await repairOfConflict(repository, { onto: top, snapshot: entry.snapshot }, generated)
      : null;
    found.push(repair === null ? conflict : { ...conflict, repair });
  }
  return found;
}

type RoundTask = {
  readonly task: PlannedTask;
  /** The derived task that made the snapshot; absent when the task did. */
  readonly by?: TaskId;
  readonly snapshot: SnapshotEvidence;
  readonly proof: string;
  readonly taken: readonly string[];
};

/** The tasks of the candidate, in order, each with the record that proves it; or the reason why there are none. */
function readTasks(history: History, round: readonly RoundEntry[]): Result<readonly RoundTask[], Finding> {
  const plan = planHere(history);
  const tasks: RoundTask[] = [];
  for (const task of inOrder(plan, new Set(round.map((entry) => entry.task)))) {
    const entry = round.find((one) => one.task === task.id);
    const { snapshot: recorded, by } = entry ?? {};
    const proof = judgedPhases(history, 'monitor').findLast(
      ({ event }) => event.task === (by ?? task.id) && event.evidence.snapshot?.commit === recorded,
    );
    const snapshot = by === undefined ? proof?.event.evidence.snapshot : repairedSnapshot(history, task.id, by);
    if (proof === undefined || snapshot === null || snapshot === undefined)
      return err({ rule: 'snapshot-unjudged', task: task.id, snapshot: recorded ?? null });
    if (isReadOnly(task)) return err({ rule: 'merges-nothing', task: task.id });
    if (isMerged(history, task.id)) return err({ rule: 'task-merged', task: task.id });
    const taken = [...(entry === undefined ? [] : resolvedTrailers(entry, proof)), ...takenTrailers(history, proof)];
    tasks.push({ task, ...present({ by }), snapshot, proof: proof.hash, taken });
  }
  return tasks.length === round.length ? ok(tasks) : err({ rule: 'round-unplanned' });
}

type Foundation = {
  readonly base: CommitId;
  readonly tasks: readonly RoundTask[];
  readonly author: Author;
  readonly date: string;
};
type Stack = Pick<Built, 'steps' | 'conflicts'>;

/** Does the same as `stack` with one git process instead of four for each task; null when something has to be merged or signed. */
async function stackAtOnce(order: MergerOrder, history: History, from: Foundation, ref: string): Promise<Stack | null> {
  const { repository } = order.state;
  const { signing, by } = from.author;
  const plan = planHere(history);
  const hasNeeds = needsMet(history);
  const going = new Set<TaskId>();
  const tasks = from.tasks.filter(({ task }) => hasNeeds(task, going) && going.add(task.id));
  // One alone is seldom merged: its base is the tip, and what it left is the result.
  if (tasks.length < 2 || signing !== undefined || !isTidy(by)) return null;
  const diff = tasks.flatMap(({ snapshot }) => snapshot.diff);
  if (pathTwins(addedIn(diff), namesAfter(await namesIn(repository, from.base), diff)).length > 0) return null;
  const { tree } = await mustReadCommit(repository, from.base);
  const snapshots = tasks.map(({ snapshot }) => snapshot);
  const changes = await changesApart(repository, tree, snapshots, generatedPaths(history));
  if (changes === null) return null;
  const commits = tasks.map(({ task, proof, taken }, at) => ({
    changes: changes[at] ?? [],
    message: commitMessage(plan, task, { run: order.run, task: task.id, proof, taken }),
    by,
    date: from.date,
  }));
  const written = await writeStack(repository, { ref, parent: from.base, commits });
  const steps = written.flatMap(({ id, tree }, at) => {
    const task = tasks[at]?.task.id;
    return task === undefined ? [] : [{ task, commit: id, tree }];
  });
  return { steps, conflicts: [] };
}

async function stack(order: MergerOrder, history: History, from: Foundation): Promise<Stack> {
  const { repository } = order.state;
  const snapshots = from.tasks.map(({ snapshot }) => snapshot);
  const plan = planHere(history);
  const integrate = await integrator(repository, snapshots, generatedPaths(history));
  const hasNeeds = needsMet(history);
  const steps: Built['steps'][number][] = [];
  const conflicts: Built['conflicts'][number][] = [];
  let commit = from.base;
  let { tree } = await mustReadCommit(repository, from.base);
  let names = await namesIn(repository, from.base);

  for (const { task, snapshot, proof, taken } of from.tasks) {
    if (!hasNeeds(task, new Set(steps.map((step) => step.task)))) continue;
    const twins = pathTwins(addedIn(snapshot.diff), namesAfter(names, snapshot.diff));
    if (twins.length > 0) {
      conflicts.push({ task: task.id, files: bothNames(twins) });
      continue;
    }
    const merged = await integrate(tree, snapshot);
    if (!merged.ok) {
      conflicts.push({ task: task.id, files: merged.error });
      continue;
    }
    tree = merged.value;
    names = [...namesAfter(names, snapshot.diff), ...addedIn(snapshot.diff)];
    const message = commitMessage(plan, task, { run: order.run, task: task.id, proof, taken });
    commit = await writeCommit(repository, { tree, parent: commit, message, date: from.date, ...from.author });
    steps.push({ task: task.id, commit, tree });
  }
  return { steps, conflicts };
}

const namesIn = async (repository: string, commit: CommitId): Promise<readonly string[]> =>
  (await listTree(repository, commit)).map(({ path }) => path);

const generatedPaths = (history: History): ReadonlySet<string> => new Set(Object.keys(planHere(history).generated));

/** Tells whether all needs of a task are below it: merged, without anything to merge, or already in the stack. */
function needsMet(history: History): (task: PlannedTask, stacked: ReadonlySet<TaskId>) => boolean {
  const plan = planHere(history);
  return ({ needs }, stacked) =>
    needs.every((need) => {
      const task = planned(plan, need);
      if (task === undefined || isReadOnly(task) || stacked.has(need)) return true;
      return isMerged(history, need) || isDoneEmpty(history, need);
    });
}

type Intended = Extract<RunEvent, { type: 'merge-intended' }>;
type Round = { readonly wave: number; readonly round: number };

/**
 * Moves the run branch to a candidate that the ledger proves. Asked again after a crash it looks at the branch: already
 * there, it only records it; still at the old commit, it moves it; anywhere else, it stops and says so.
 */
export async function mergeRound(order: MergerOrder, round: Round): Promise<MergerAnswer> {
  const place = { gitDir: order.state.repository };
  const branch = refs.runBranch(order.run);
  const intent = await recordIntent(order, (history) => decide(order, history, round));
  if (intent.decision === 'answer') return intent.answer;
  failpoint('merger-merge-intended');

  const { old, new: next } = intent.event;
  const why = `merge wave ${round.wave + 1} round ${round.round + 1}`;
  const moved = await moveRef(place, branch, { old, new: next, why });
  if (moved.outcome === 'lost') return diverged(branch, moved.actual, intent.event);
  failpoint('merger-run-branch-moved');
  const tasks = commitsOfRound(await order.ledger.read(order.run), round);
  return await recordFacts(order, { type: 'merged', ...round, old, new: next, tasks });
}

async function decide(order: MergerOrder, history: History, round: Round): Promise<Intent<Intended>> {
  const isThis = (event: Round) => event.wave === round.wave && event.round === round.round;
  const answer = (reply: MergerAnswer): Intent<Intended> => ({ decision: 'answer', answer: reply });
  if (eventsOf(history, 'merged').some(({ event }) => isThis(event))) return answer(mergerDone);
  const before = eventsOf(history, 'merge-intended').findLast(({ event }) => isThis(event))?.event;

  const chain = verifyChain(history, round.wave, round.round, await order.ledger.read(repositoryStream));
  if (!chain.ok) return answer(refused({ rule: 'proof-broken', ...chain.error }));
  const objects = await verifyObjects(order.state.repository, history, round);
  if (!objects.ok) return answer(refused({ rule: 'objects-differ', ...objects.error }));

  const built = eventsOf(history, 'candidate-built').findLast(({ event }) => isThis(event))?.event;
  const next = candidateTop(history, round)?.commit;
  if (built === undefined || next === undefined) return answer(refused({ rule: 'candidate-empty' }));
  const event: Intended = { type: 'merge-intended', ...round, old: built.base, new: next };
  const tip = await readRef({ gitDir: order.state.repository }, refs.runBranch(order.run));
  const finishing = before !== undefined && tip === next;
  if (tip !== event.old && !finishing) return answer(diverged(refs.runBranch(order.run), tip, event));
  return before === undefined ? { decision: 'intend', event } : { decision: 'resume', event };
}

const diverged = (ref: string, actual: CommitId | null, { old, new: next }: Intended): MergerAnswer =>
  refused({ rule: 'ref-diverged', ref, before: old, after: next, actual });

/** Puts the changes of a task since its base onto a tree. On conflict names the files. */
type Integrate = (onto: TreeId, snapshot: SnapshotEvidence) => Promise<Result<TreeId, readonly string[]>>;

/**
 * Prepares to integrate these snapshots, whose commits are read at once. Edits of generated paths are left out here:
 * they are rebuilt on the candidate by their own command, whatever an agent made of them.
 */
export async function integrator(
  repository: string,
  snapshots: readonly SnapshotEvidence[],
  generated: ReadonlySet<string>,
): Promise<Integrate> {
  const commits = await readCommits(repository, [...new Set(snapshots.flatMap(({ commit, base }) => [commit, base]))]);
  const read = async (id: CommitId): Promise<Commit> => commits.get(id) ?? (await mustReadCommit(repository, id));
  return async (ours, snapshot) => {
    const taken = await read(snapshot.commit);
    const theirs = await withoutGenerated(repository, taken, snapshot, generated);
    const base = await read(snapshot.base);
    // Nothing changed since, so the task's tree is the result. In a chain this is so for every step.
    if (ours === base.tree) return ok(typeof theirs === 'string' ? theirs : theirs.tree);
    return await mergeTrees(repository, { base, ours, theirs });
  };
}
