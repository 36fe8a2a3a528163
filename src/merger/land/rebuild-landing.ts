import { adoptCommit } from '../../adapters/git/bare/index.ts';
import { findCheckout, listTree, readAuthor } from '../../adapters/git/read/index.ts';
import {
  areRelated,
  type Commit,
  commitsTouching,
  keepReachable,
  mergeTrees,
  mustReadCommit,
  openPerson,
  readChanges,
  readCommits,
  readRef,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import { type CommitId, idPattern, runId, type TaskId, type TreeId, taskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { ForeignCommit } from '../../domain/ledger/landing-events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { isRatchet } from '../../domain/plan/plan.ts';
import { bothNames, pathTwins } from '../../domain/scope/path-safety.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { definedBefore } from '../candidate/earlier-definitions.ts';
import { readTrailer } from '../commit-message.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import {
  allNeeds,
  creation,
  eventsOf,
  type History,
  planHere,
  planInForce,
  type RecordedEvent,
  sharedCommits,
} from '../proof/history.ts';
import { reportedTree, unjudgedWork } from '../proof/roles.ts';
import { editedParts, keepConflict } from './take-landing-edit.ts';

/**
 * The run's commits that have not landed, or those of the tasks that a person chose, replayed one by one onto the person's branch as it is now, in memory. What
 * comes out is a new tree: it lands only after the checks passed on it.
 */
export async function rebuildLanding(order: MergerOrder): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const { target } = creation(history);
  const merged = eventsOf(history, 'merged').at(-1);
  if (merged === undefined) return refused({ rule: 'none-merged' });
  const person = await openPerson(order.checkout, order.env);
  const onto = await readRef(person, `refs/heads/${target.branch}`);
  if (onto === null) return refused({ rule: 'branch-gone', branch: target.branch });
  const chosen = approvedTasks(history);
  if (rebuiltSince(history)?.onto === onto && isLastLook(history)) return mergerDone;
  const parts = partsToLand(history, chosen);
  if (!parts.ok) return refused(parts.error);
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);
  await adoptCommit(repository, (await findCheckout(order.checkout)).commonDir, onto);
  if (!(await areRelated(repository, target.commit, onto)))
    return refused({ rule: 'history-unrelated', branch: target.branch });

  const tasks = chosen === null ? {} : { tasks: chosen };
  let commit = onto;
  let { tree } = await mustReadCommit(repository, onto);
  const edited = editedParts(history);
  for (const id of parts.value) {
    const theirs = await mustReadCommit(repository, edited.get(id) ?? id);
    const { message, date } = theirs;
    const [parent] = theirs.parents;
    if (parent === undefined) return refused({ rule: 'commit-without-parent', commit: id });
    const base = await mustReadCommit(repository, parent);
    const replayed = await mergeTrees(repository, { base, ours: tree, theirs });
    const twins = replayed.ok ? await newTwins(repository, tree, replayed.value) : [];
    if (!replayed.ok || twins.length > 0) {
      const conflicts = replayed.ok ? twins : replayed.error;
      const from = eventsOf(history, 'run-branch-made')[0]?.event.commit ?? target.commit;
      const sides = {
        ...taskOf(theirs),
        against: await foreignCommits(repository, { from, to: onto, files: conflicts }),
      };
      const kept = await keepConflict(order, { base, ours: tree, theirs, onto: commit });
      const conflicted = { part: id, ...kept };
      const rebuilt = {
        type: 'landing-rebuilt',
        onto,
        commit: onto,
        tree,
        conflicts,
        conflicted,
        ...sides,
        ...tasks,
      } as const;
      return await recordFacts(order, rebuilt);
    }
    tree = replayed.value;
    commit = await writeCommit(repository, { tree, parent: commit, message, date, ...author.value });
  }
  const going = chosen ?? unlandedTasks(history);
  const defined = await definedBefore(repository, history, { base: onto, top: { commit, tree }, tasks: going });
  const judged = await judgedBefore(repository, history, { onto, tasks: going, parts: parts.value });
  const compared = await baselineOf(repository, history, onto);
  return await recordRebuilt(order, {
    onto,
    commit,
    tree,
    conflicts: [],
    ...judged,
    ...tasks,
    ...defined,
    ...compared,
  });
}

/** The commit that checks with `ratchet` are compared with; empty for a plan without such checks. */
export async function baselineOf(
  repository: string,
  history: History,
  commit: CommitId | null,
): Promise<{ readonly baseline?: { readonly commit: CommitId; readonly tree: TreeId } }> {
  if (commit === null || !planInForce(history).plan.checks.some(isRatchet)) return {};
  const { tree } = await mustReadCommit(repository, commit);
  return { baseline: { commit, tree } };
}

/** The paths on which the reports of closure roles no longer hold, or the tree of the reports. Empty for a plan without closure roles. */
export async function judgedBefore(
  repository: string,
  history: History,
  {
    onto,
    tasks,
    parts,
  }: { readonly onto: CommitId; readonly tasks: readonly TaskId[]; readonly parts: readonly CommitId[] },
): Promise<{ readonly unjudged?: readonly string[]; readonly reported?: TreeId }> {
  const { plan } = planInForce(history);
  if (plan.waves.every(({ closure = [] }) => closure.length === 0)) return {};
  const begin = eventsOf(history, 'run-branch-made')[0]?.event;
  const from = standingLandings(history).at(-1)?.new ?? begin?.onto ?? begin?.commit ?? onto;
  const others = (await readChanges(repository, from, onto)).map(({ path }) => path);
  const edited = editedParts(history);
  const changed = await pathsOf(
    repository,
    parts.flatMap((part) => [part, edited.get(part) ?? part]),
  );
  const isLeft = (task: TaskId): boolean => unlandedTasks(history).includes(task) && !tasks.includes(task);
  const merged = eventsOf(history, 'merged').flatMap(({ event }) => event.tasks);
  const left = await pathsOf(
    repository,
    merged.filter(({ task }) => isLeft(task)).map(({ commit }) => commit),
  );
  const unjudged = unjudgedWork(history, { others, changed, left, tasks });
  const reported = reportedTree(history);
  return unjudged.length > 0 || reported === undefined ? { unjudged } : { unjudged, reported };
}

/** The paths that these commits change, each compared with its parent. */
async function pathsOf(repository: string, commits: readonly CommitId[]): Promise<readonly string[]> {
  const paths = new Set<string>();
  for (const [id, { parents, tree }] of await readCommits(repository, [...new Set(commits)]))
    for (const { path } of await readChanges(repository, parents[0] ?? id, tree)) paths.add(path);
  return [...paths];
}

/** Names that the branch has, and others by which some file system would find the same file once this has landed. */
async function newTwins(repository: string, before: TreeId, after: TreeId): Promise<readonly string[]> {
  const tracked = new Set((await listTree(repository, before)).map(({ path }) => path));
  const then = (await listTree(repository, after)).map(({ path }) => path);
  const added = then.filter((path) => !tracked.has(path));
  return bothNames(
    pathTwins(
      added,
      then.filter((path) => tracked.has(path)),
    ),
  );
}

/** Tells whether the last look at the branch was a rebuild. If a look came after it, because a move failed, rebuilding begins anew. */
const isLastLook = (history: History): boolean =>
  history.findLast(({ event }) => event.type === 'landing-rebuilt' || event.type === 'target-observed')?.event.type ===
  'landing-rebuilt';

/** Enough to see who is on the other side. */
const mostForeign = 5;

/** The commits that changed these files on the branch since the run began. */
async function foreignCommits(
  repository: string,
  range: { readonly from: CommitId; readonly to: CommitId; readonly files: readonly string[] },
): Promise<readonly ForeignCommit[]> {
  const ids = await commitsTouching(repository, { ...range, limit: mostForeign });
  const commits = await readCommits(repository, ids);
  return ids.flatMap((id) => {
    const commit = commits.get(id);
    if (commit === undefined) return [];
    const run = trailerId(commit, 'Tidegate-Run');
    return [{ commit: id, ...(run === undefined ? {} : { run: runId(run) }), ...taskOf(commit) }];
  });
}

function taskOf(commit: Commit): { readonly task?: TaskId } {
  const task = trailerId(commit, 'Tidegate-Task');
  return task === undefined ? {} : { task: taskId(task) };
}

/** Anybody can write a trailer: what is no id is none. */
function trailerId(commit: Commit, name: string): string | undefined {
  const value = readTrailer(commit.message, name);
  return value !== undefined && idPattern.test(value) ? value : undefined;
}

/**
 * Compares the check definitions of a run branch that lands as it is with those of the commit that it is built on. Records what
 * differs, so that the checks pass with both before anything moves. Null where nothing differs and nothing did on the way.
 */
export async function compareDefinitions(
  order: MergerOrder,
  history: History,
  { onto, commit, tasks }: { readonly onto: CommitId; readonly commit: CommitId; readonly tasks: readonly TaskId[] },
): Promise<MergerAnswer | null> {
  const { repository } = order.state;
  const { tree } = await mustReadCommit(repository, commit);
  const defined = await definedBefore(repository, history, { base: onto, top: { commit, tree }, tasks });
  if (defined.before === undefined && !hasRedefined(history, tasks)) return null;
  const compared = await baselineOf(repository, history, onto);
  return await recordRebuilt(order, { onto, commit, tree, conflicts: [], asMerged: true, ...defined, ...compared });
}

/** A round in which one of these tasks was merged had other definitions than the commit below it. */
function hasRedefined(history: History, tasks: readonly TaskId[]): boolean {
  const built = [...eventsOf(history, 'candidate-built'), ...eventsOf(history, 'candidate-completed')];
  return eventsOf(history, 'merged').some(
    ({ event: { wave, round, tasks: merged } }) =>
      merged.some(({ task }) => tasks.includes(task)) &&
      built.some(({ event }) => event.wave === wave && event.round === round && event.before !== undefined),
  );
}

/** One ref keeps both: the commit with the definitions of the branch is a child of the one that would land. */
async function recordRebuilt(
  order: MergerOrder,
  rebuilt: Omit<Extract<RunEvent, { type: 'landing-rebuilt' }>, 'type'>,
): Promise<MergerAnswer> {
  failpoint('merger-rebuild-written');
  await keepReachable(order.state.repository, refs.landing(order.run), rebuilt.before?.commit ?? rebuilt.commit);
  failpoint('merger-rebuild-kept');
  return await recordFacts(order, { type: 'landing-rebuilt', ...rebuilt });
}

type Landed = Extract<RunEvent, { type: 'landed' }>;

/**
 * The commits of the run branch that a landing is made of, oldest first: those of the chosen tasks, or of all that have not
 * landed; and of each round those with its generated files and with new levels of components. These are made of the whole round, so
 * a round that has one lands as a whole.
 */
export function partsToLand(history: History, chosen: readonly TaskId[] | null): Result<readonly CommitId[], Finding> {
  const landed = landedTasks(history);
  const merged = mergedTasks(history);
  const tasks = chosen ?? unlandedTasks(history);
  const isThere = (task: TaskId): boolean => tasks.includes(task) || landed.has(task);
  if (chosen !== null)
    for (const task of chosen) {
      if (!merged.includes(task)) return err({ rule: 'task-not-merged', task });
      if (landed.has(task)) return err({ rule: 'task-landed', task });
      const missing = [...allNeeds(planHere(history), task)].find((need) => merged.includes(need) && !isThere(need));
      if (missing !== undefined) return err({ rule: 'need-left-out', task, need: missing });
    }
  const roles = new Set(eventsOf(history, 'candidate-extended').map(({ event }) => event.task));
  const isRole = ({ task }: { readonly task: TaskId }): boolean => roles.has(task);
  const parts: CommitId[] = [];
  for (const { event } of eventsOf(history, 'merged')) {
    const here = event.tasks.filter(({ task }) => tasks.includes(task));
    const shared = here.length === 0 ? [] : sharedCommits(history, event);
    const out = shared.length === 0 ? undefined : event.tasks.find(({ task }) => !isThere(task));
    if (out !== undefined) return err({ rule: 'generated-left-out', task: out.task });
    const ofTasks = here.filter((part) => !isRole(part)).map(({ commit }) => commit);
    const ofRoles = here.filter(isRole).map(({ commit }) => commit);
    parts.push(...ofTasks, ...shared, ...ofRoles);
  }
  return ok(parts);
}

/** Merged, and not landed since the last undo of the whole run. */
export function unlandedTasks(history: History): readonly TaskId[] {
  const landed = landedTasks(history);
  return mergedTasks(history).filter((task) => !landed.has(task));
}

export const mergedTasks = (history: History): readonly TaskId[] =>
  eventsOf(history, 'merged').flatMap(({ event }) => event.tasks.map(({ task }) => task));

/** Landed since the last undo of the whole run. */
const landedTasks = (history: History): ReadonlySet<TaskId> =>
  new Set(landings(history).flatMap(({ event }) => event.tasks));

/** Landings that no undo of the whole run took back. */
export const standingLandings = (history: History): readonly Landed[] => landings(history).map(({ event }) => event);

function landings(history: History): readonly RecordedEvent<Landed>[] {
  const undone = eventsOf(history, 'undone').findLast(({ event }) => event.task === null)?.position ?? 0;
  return eventsOf(history, 'landed').filter(({ position }) => position > undone);
}

/** The tasks that the person approved for landing; null: all that have not landed. */
export function approvedTasks(history: History): readonly TaskId[] | null {
  const { since } = planInForce(history);
  const last = eventsOf(history, 'tap-decided').findLast(
    ({ position, event }) => position > since && event.tap === 'land',
  );
  return (last?.event.decision === 'approved' ? last.event.tasks : undefined) ?? null;
}

/** The rebuilt commits of the landing under way: after the last merge, under the plan in force, and after the person's last decision on it. */
export function rebuiltSince(history: History): Extract<RunEvent, { type: 'landing-rebuilt' }> | undefined {
  const merged = eventsOf(history, 'merged').at(-1)?.position ?? 0;
  const decided = eventsOf(history, 'tap-decided').findLast(({ event }) => event.tap === 'land')?.position ?? 0;
  const edited = eventsOf(history, 'landing-edited').at(-1)?.position ?? 0;
  const since = Math.max(merged, decided, edited, planInForce(history).since);
  return eventsOf(history, 'landing-rebuilt').findLast(({ position }) => position > since)?.event;
}
