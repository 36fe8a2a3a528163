import type { CommitId, RunId, TaskId, TreeId } from '../../src/domain/base/ids.ts';
import { unreachable } from '../../src/domain/base/result.ts';
import { sidesRules } from '../../src/domain/derived/sides.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type { SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { refFolder, refs } from '../../src/domain/ledger/state-dir.ts';
import type { PlannedTask } from '../../src/domain/plan/plan.ts';
import { isReadOnly } from '../../src/domain/plan/plan.ts';
import { promoteMatrix } from '../../src/domain/proofs/matrix.ts';
import { unapprovedLanding, uncheckedLanding } from '../../src/merger/land/land.ts';
import { partsToLand, rebuiltSince, standingLandings, unlandedTasks } from '../../src/merger/land/rebuild-landing.ts';
import { whyNotIntended } from '../../src/merger/order.ts';
import { lostProof } from '../../src/merger/proof/bundles.ts';
import { uncheckedOn } from '../../src/merger/proof/checked.ts';
import { promotionsIn } from '../../src/merger/proof/components.ts';
import { openDependency } from '../../src/merger/proof/dependencies.ts';
import { derivedIn, repairedSnapshot, standInOf } from '../../src/merger/proof/derived.ts';
import {
  abandonReason,
  allNeeds,
  candidateTop,
  commitsOfRound,
  completedTop,
  creation,
  eventsOf,
  type History,
  inOrder,
  isDoneEmpty,
  isMerged,
  lastSnapshot,
  planInForce,
  planned,
  readySnapshot,
  runTip,
} from '../../src/merger/proof/history.ts';
import { verifyChain } from '../../src/merger/proof/proof.ts';
import { landingGap, unjudgedWork } from '../../src/merger/proof/roles.ts';
import { type Prepared, preparations } from '../../src/merger/undo/reverts.ts';
import { isUndoneInHistory } from '../../src/merger/undo/undo.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { type Merger, type MergerAnswer, MergerFailed, type MergerRequest } from '../../src/ports/merger.ts';
import type { Chaos } from './chaos.ts';
import type { Life, Schedule } from './schedule.ts';
import type { SimulatedGit } from './simulated-git.ts';
import { comparedIn, filesToRepair } from './simulated-repair.ts';

export const targetRef = (branch: string): string => `refs/heads/${branch}`;

type Tools = {
  readonly ledger: Ledger;
  readonly git: SimulatedGit;
  readonly schedule: Schedule;
  readonly chaos: Chaos;
};
type Order = Tools & { readonly life: Life; readonly run: RunId; readonly epoch: number };

const done: MergerAnswer = { outcome: 'done' };
const stale: MergerAnswer = { outcome: 'stale-epoch' };
const refused = (because: Finding): MergerAnswer => ({ outcome: 'refused', because });

/**
 * The merger's contract on simulated git: intent, effect, done; asked again it finishes what was begun. The proof of a
 * merge is verified by the real verifier, so that engine and merger are held against each other.
 */
export function simulatedMerger(tools: Tools, coordinator: Life): Merger {
  const life: Life = { alive: true };
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask: async (request, epoch) => {
      await tools.schedule.turn(coordinator);
      const mine = last.then(() => serve({ ...tools, life, run: request.run, epoch }, request));
      last = mine.catch(() => undefined);
      const answer = await mine;
      await tools.schedule.turn(coordinator);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      life.alive = false;
    },
  };
}

async function serve(order: Order, request: MergerRequest): Promise<MergerAnswer> {
  await order.schedule.turn(order.life);
  if ((await order.ledger.holder())?.epoch !== order.epoch) return stale;
  if (order.chaos.strikes(0.01)) throw new MergerFailed({ rule: 'git-missing' });
  const history = await order.ledger.read(order.run);
  switch (request.do) {
    case 'open-run':
      return openRun(order, history);
    case 'make-task-base':
      return makeTaskBase(order, history, request.task);
    case 'build-candidate':
      return buildCandidate(order, history, request);
    case 'add-generated':
      return addGenerated(order, history, request);
    case 'promote':
      return promote(order, history, request);
    case 'add-role':
      return addRole(order, history, request);
    case 'compare-sides':
      return compareSides(order, history, request.task);
    case 'merge':
      return merge(order, history, request);
    case 'rebuild-landing':
      return rebuildLanding(order, history);
    case 'land':
      return land(order, history);
    case 'undo':
      return undo(order, history, request.task);
    case 'drop-paths':
      return dropPaths(order, history, request);
    case 'take-edit':
      return takeEdit(order, history, request);
    case 'take-landing-edit':
      // a conflict of the simulation has no sides that somebody could look at
      return refused({ rule: 'no-landing-conflict' });
    default:
      return unreachable(request);
  }
}

async function record(order: Order, ...events: readonly RunEvent[]): Promise<MergerAnswer> {
  for (;;) {
    await order.schedule.turn(order.life);
    const past = await order.ledger.read(order.run);
    const appended = await order.ledger.append(order.run, past.length, events, order.epoch);
    if (appended.outcome === 'appended') {
      await order.schedule.turn(order.life);
      return done;
    }
    if (appended.outcome === 'stale-epoch') return stale;
  }
}

async function openRun(order: Order, history: History): Promise<MergerAnswer> {
  const { commit } = creation(history).target;
  if (eventsOf(history, 'run-branch-made').length > 0) return done;
  const found = order.git.ref(refs.runBranch(order.run));
  if (found === null) order.git.move(refs.runBranch(order.run), null, commit);
  else if (found !== commit) return refused({ rule: 'run-branch-diverged', expected: commit, actual: found });
  return record(order, { type: 'run-branch-made', commit, tree: order.git.read(commit).tree });
}

async function makeTaskBase(order: Order, history: History, task: TaskId): Promise<MergerAnswer> {
  const { git } = order;
  const { plan } = planInForce(history);
  const tip = runTip(history);
  if (tip === undefined) return refused({ rule: 'run-branch-unmade' });
  const inputs = derivedIn(history, task)?.event.inputs;
  if (inputs !== undefined) {
    const parents = [inputs.failing ?? inputs.onto, inputs.snapshot];
    const commit = git.write(filesToRepair(git, inputs), parents, `base ${task}`);
    return record(order, { type: 'task-base-made', task, commit, tree: git.read(commit).tree });
  }
  const needs = inOrder(plan, allNeeds(plan, task)).filter((need) => !isBelow(history, need));
  const repairs = new Map(needs.map(({ id }) => [id, standInOf(history, id)?.event]));
  const onto = [...repairs.values()].findLast((repair) => repair !== undefined)?.inputs.onto;
  let { files } = git.read(onto ?? tip);
  const of: { task: TaskId; snapshot: CommitId; tree: TreeId }[] = [];
  for (const need of needs) {
    const repair = repairs.get(need.id);
    const snapshot =
      repair === undefined ? readySnapshot(history, need.id) : repairedSnapshot(history, need.id, repair.task);
    if (snapshot === undefined) return refused({ rule: 'need-not-ready', task, need: need.id });
    of.push({ task: need.id, snapshot: snapshot.commit, tree: snapshot.tree });
    const merged = git.merge(git.read(snapshot.base).files, files, git.read(snapshot.commit).files);
    if (!merged.ok) return refused({ rule: 'needs-conflict', task, need: need.id, files: merged.error });
    files = merged.value;
  }
  const commit = needs.length === 0 ? tip : git.write(files, [onto ?? tip], `base ${task}`);
  return record(order, { type: 'task-base-made', task, commit, tree: git.read(commit).tree, of });
}

async function compareSides(order: Order, history: History, task: TaskId): Promise<MergerAnswer> {
  const inputs = derivedIn(history, task)?.event.inputs;
  const snapshot = lastSnapshot(history, task)?.commit;
  if (inputs === undefined || snapshot === undefined) return refused({ rule: 'no-snapshot', task });
  return record(order, {
    type: 'sides-compared',
    task,
    snapshot,
    rules: sidesRules,
    ...comparedIn(order.git, inputs, snapshot),
  });
}

type Round = { readonly wave: number; readonly round: number };
const isThis = (of: Round) => (event: Round) => event.wave === of.wave && event.round === of.round;

async function buildCandidate(order: Order, history: History, { wave, round }: Round): Promise<MergerAnswer> {
  const { git } = order;
  const { plan } = planInForce(history);
  const same = isThis({ wave, round });
  if (eventsOf(history, 'candidate-built').some(({ event }) => same(event))) return done;
  const opened = eventsOf(history, 'round-opened').findLast(({ event }) => same(event))?.event;
  if (opened === undefined) return refused({ rule: 'round-not-open', wave, round });
  const steps: { task: TaskId; commit: CommitId; tree: SnapshotEvidence['tree'] }[] = [];
  const conflicts: Conflict[] = [];
  let tip = opened.base;
  for (const task of inOrder(plan, new Set(opened.tasks.map((entry) => entry.task)))) {
    const stands = (need: TaskId): boolean => {
      const needed = planned(plan, need);
      if (needed === undefined || isBelow(history, needed)) return true;
      return steps.some((step) => step.task === need);
    };
    const { snapshot, by } = opened.tasks.find((entry) => entry.task === task.id) ?? {};
    if (snapshot === undefined || !task.needs.every(stands)) continue;
    const repaired = by === undefined ? undefined : derivedIn(history, by)?.event.inputs.onto;
    const base = repaired ?? git.read(snapshot).parents[0] ?? snapshot;
    const merged = git.merge(git.read(base).files, git.read(tip).files, git.read(snapshot).files);
    if (!merged.ok) conflicts.push({ task: task.id, files: merged.error });
    else {
      tip = git.write(merged.value, [tip], `task ${task.id}`);
      steps.push({ task: task.id, commit: tip, tree: git.read(tip).tree });
    }
  }
  const repairable = conflicts.map((conflict): Conflict => {
    const entry = opened.tasks.find(({ task }) => task === conflict.task);
    if (plan.resolver === undefined || entry === undefined || entry.by !== undefined) return conflict;
    const { files, parents } = git.read(entry.snapshot);
    const merged = git.merge(git.read(parents[0] ?? entry.snapshot).files, git.read(tip).files, files);
    return merged.ok ? conflict : { ...conflict, repair: { onto: tip, paths: merged.error } };
  });
  return record(order, { type: 'candidate-built', wave, round, base: opened.base, steps, conflicts: repairable });
}

type Conflict = Extract<RunEvent, { type: 'candidate-built' }>['conflicts'][number];

async function addGenerated(order: Order, history: History, { wave, round }: Round): Promise<MergerAnswer> {
  const { git } = order;
  const same = isThis({ wave, round });
  if (eventsOf(history, 'candidate-completed').some(({ event }) => same(event))) return done;
  const last = eventsOf(history, 'candidate-built')
    .findLast(({ event }) => same(event))
    ?.event.steps.at(-1);
  const snapshot = eventsOf(history, 'generator-ended').findLast(({ event }) => same(event))?.event.snapshot;
  if (last === undefined || !snapshot) return refused({ rule: 'nothing-rebuilt', wave, round });
  const files: Record<string, string> = { ...git.read(last.commit).files };
  for (const path of Object.keys(planInForce(history).plan.generated)) {
    const rebuilt = git.read(snapshot.commit).files[path];
    if (rebuilt === undefined) delete files[path];
    else files[path] = rebuilt;
  }
  const isSame = git
    .diff(last.commit, snapshot.commit)
    .every(({ path }) => files[path] === git.read(last.commit).files[path]);
  const commit = isSame ? last.commit : git.write(files, [last.commit], 'generated');
  return record(order, { type: 'candidate-completed', wave, round, commit, tree: git.read(commit).tree });
}

async function promote(order: Order, history: History, { wave, round }: Round): Promise<MergerAnswer> {
  const { git } = order;
  const { matrix } = planInForce(history).plan;
  const top = completedTop(history, { wave, round });
  const due = promotionsIn(history, { wave, round });
  if (eventsOf(history, 'components-promoted').some(({ event }) => isThis({ wave, round })(event))) return done;
  if (top === undefined || due.length === 0 || matrix === undefined) return refused({ rule: 'candidate-empty' });
  const { files } = git.read(top.commit);
  const promoted = promoteMatrix(files[matrix.path] ?? '', due);
  if (!promoted.ok) return refused({ rule: 'matrix-unfit', file: matrix.path, ...promoted.error });
  const commit = git.write({ ...files, [matrix.path]: promoted.value }, [top.commit], 'promoted');
  const levels = Object.fromEntries(due.map(({ component, to }) => [component, to]));
  const { tree } = git.read(commit);
  return record(order, { type: 'components-promoted', wave, round, levels, commit, tree });
}

async function addRole(
  order: Order,
  history: History,
  { wave, round, task }: Round & { readonly task: TaskId },
): Promise<MergerAnswer> {
  const { git } = order;
  const snapshot = readySnapshot(history, task);
  const top = candidateTop(history, { wave, round });
  if (snapshot === undefined || top === undefined) return refused({ rule: 'snapshot-unjudged', task, snapshot: null });
  const same = isThis({ wave, round });
  const isAdded = eventsOf(history, 'candidate-extended').some(
    ({ event }) => same(event) && event.snapshot === snapshot.commit,
  );
  if (isAdded) return done;
  const merged = git.merge(git.read(snapshot.base).files, git.read(top.commit).files, git.read(snapshot.commit).files);
  if (!merged.ok) return refused({ rule: 'role-conflict', task, files: merged.error });
  const commit = git.write(merged.value, [top.commit], `role ${task}`);
  const { tree } = git.read(commit);
  return record(order, { type: 'candidate-extended', wave, round, task, snapshot: snapshot.commit, commit, tree });
}

async function merge(order: Order, history: History, { wave, round }: Round): Promise<MergerAnswer> {
  const same = isThis({ wave, round });
  if (eventsOf(history, 'merged').some(({ event }) => same(event))) return done;
  const proven = verifyChain(history, wave, round, await order.ledger.read('repo'));
  if (!proven.ok) return refused({ rule: 'proof-broken', ...proven.error });
  const built = eventsOf(history, 'candidate-built').findLast(({ event }) => same(event))?.event;
  const next = candidateTop(history, { wave, round })?.commit;
  if (built === undefined || next === undefined) return refused({ rule: 'candidate-empty' });
  if (!eventsOf(history, 'merge-intended').some(({ event }) => same(event))) {
    const past = await order.ledger.read(order.run);
    const event = { type: 'merge-intended', wave, round, old: built.base, new: next } as const;
    if (past.length !== history.length) return merge(order, past, { wave, round });
    const over = abandonReason(history) ?? (await openDependency(history, event, (run) => order.ledger.read(run)));
    if (over !== null) return refused(over);
    const appended = await order.ledger.append(order.run, past.length, [event], order.epoch);
    if (appended.outcome === 'stale-epoch') return stale;
    if (appended.outcome === 'conflict') return merge(order, await order.ledger.read(order.run), { wave, round });
    await order.schedule.turn(order.life);
  }
  const branch = refs.runBranch(order.run);
  if (order.git.ref(branch) !== next && !order.git.move(branch, built.base, next))
    return refused({ rule: 'run-branch-diverged', expected: built.base, actual: order.git.ref(branch) });
  const tasks = commitsOfRound(await order.ledger.read(order.run), { wave, round });
  return record(order, { type: 'merged', wave, round, old: built.base, new: next, tasks });
}

async function rebuildLanding(order: Order, history: History): Promise<MergerAnswer> {
  const { git } = order;
  const { target } = creation(history);
  const onto = git.ref(targetRef(target.branch));
  const tip = runTip(history);
  const start = eventsOf(history, 'run-branch-made').at(-1)?.event.commit;
  if (onto === null || tip === undefined || start === undefined)
    return refused({ rule: 'branch-gone', branch: target.branch });
  const landed = git.read(onto);
  const merged = git.merge(git.read(start).files, landed.files, git.read(tip).files);
  const commit = merged.ok ? git.write(merged.value, [onto], 'rebuilt') : tip;
  const { tree } = git.read(commit);
  const hasRoles = planInForce(history).plan.waves.some(({ closure = [] }) => closure.length > 0);
  const others = git.diff(eventsOf(history, 'landed').at(-1)?.event.new ?? start, onto).map(({ path }) => path);
  const parts = partsToLand(history, null);
  const changed = (parts.ok ? parts.value : []).flatMap((part) =>
    git.diff(git.read(part).parents[0] ?? part, part).map(({ path }) => path),
  );
  const work = { others, tasks: unlandedTasks(history), changed, left: [] };
  const judged = hasRoles ? { unjudged: unjudgedWork(history, work) } : {};
  const compared = baselineOf(git, history, onto);
  if (merged.ok)
    return record(order, { type: 'landing-rebuilt', onto, commit, tree, conflicts: [], ...judged, ...compared });
  const beside = merged.error.map((path) => ({ path, sides: ['branch', 'run'] as const }));
  const conflicted = { part: tip, commit: tip, beside };
  return record(order, { type: 'landing-rebuilt', onto, commit, tree, conflicts: merged.error, conflicted });
}

async function land(order: Order, history: History): Promise<MergerAnswer> {
  const { git } = order;
  const { target } = creation(history);
  const { plan } = planInForce(history);
  const isOwn = plan.land === 'branch' || plan.land === 'pr';
  const onto = isOwn ? `tidegate/${order.run}` : target.branch;
  const made = eventsOf(history, 'branch-made').at(-1)?.event;
  if (made !== undefined && made.new === runTip(history)) return offer(order, history, made);
  const open = unfinished(history, 'landing-intended', ['landed', 'branch-made', 'landing-refused']);
  const rebuilt = history.findLast(({ event }) => event.type === 'landing-rebuilt' || event.type === 'landed')?.event;
  const tip = runTip(history);
  if (tip === undefined) return refused({ rule: 'none-merged' });
  const observed = eventsOf(history, 'target-observed').at(-1)?.event.commit ?? null;
  const old = open?.old ?? (isOwn ? (made?.new ?? null) : observed);
  const isRebuilt = rebuilt?.type === 'landing-rebuilt' && rebuilt.onto === old;
  const next = open?.new ?? (isRebuilt ? rebuilt.commit : tip);
  const name = targetRef(onto);
  if (git.ref(name) !== (open === null ? old : git.ref(name) === next ? next : old))
    return refused({ rule: 'branch-moved', ref: name, expected: old, actual: git.ref(name) });
  if (open === null) {
    const intent = { type: 'landing-intended', branch: onto, old, new: next, worktree: null } as const;
    const unfit =
      unapprovedLanding(history) ??
      lostProof(history, unlandedTasks(history)) ??
      (await whyNotIntended(order, history, intent));
    if (unfit !== null) return refused(unfit);
    const compared = rebuiltSince(history);
    if (compared === undefined && !isRebuilt && order.chaos.strikes(0.2))
      return redefine(order, history, tip, isOwn ? null : old);
    const unchecked = compared?.asMerged === true ? uncheckedLanding(history, compared) : [];
    if (unchecked.length > 0) return refused({ rule: 'landing-unchecked', branch: onto, checks: unchecked });
    const unjudged = isRebuilt ? landingGap(history, rebuilt) : null;
    if (unjudged !== null) return refused({ rule: 'landing-role', run: order.run, branch: onto, task: unjudged });
    if (order.chaos.strikes(0.1)) return refused({ rule: 'untracked-files', worktree: '/', files: ['notes.txt'] });
    const appended = await order.ledger.append(order.run, history.length, [intent], order.epoch);
    if (appended.outcome === 'stale-epoch') return stale;
    if (appended.outcome === 'conflict') return land(order, await order.ledger.read(order.run));
    await order.schedule.turn(order.life);
  }
  if (git.ref(name) !== next && !git.move(name, old, next))
    return refused({ rule: 'branch-moved', ref: name, expected: old, actual: git.ref(name) });
  if (plan.land === 'pr') {
    const recorded = await record(order, { type: 'branch-made', branch: onto, old, new: next });
    return recorded.outcome === 'done' ? land(order, await order.ledger.read(order.run)) : recorded;
  }
  const tasks = unlandedTasks(history);
  const commits = eventsOf(history, 'merged')
    .flatMap(({ event }) => event.tasks)
    .filter(({ task }) => tasks.includes(task))
    .map(({ task, commit }) => ({ task, commit: isRebuilt && next !== tip ? next : commit }));
  return record(order, { type: 'landed', branch: onto, old, new: next, tasks, commits });
}

/** A task of the run changed what defines its checks; with the earlier definitions they may fail. */
async function redefine(order: Order, history: History, tip: CommitId, target: CommitId | null): Promise<MergerAnswer> {
  const { git } = order;
  const { files, tree } = git.read(tip);
  const onto = target ?? eventsOf(history, 'run-branch-made').at(-1)?.event.commit ?? tip;
  const [check] = planInForce(history).plan.checks;
  const script = order.chaos.strikes(0.5) ? `breaks ${check?.name}` : 'as it was';
  const commit = git.write({ ...files, 'ci.sh': script }, [tip], 'earlier definitions');
  const tasks = unlandedTasks(history).slice(0, 1);
  const before = { commit, tree: git.read(commit).tree, changes: [{ path: 'ci.sh', tasks }] };
  const compared = baselineOf(git, history, onto);
  const asMerged = true;
  return record(order, {
    type: 'landing-rebuilt',
    onto,
    commit: tip,
    tree,
    conflicts: [],
    asMerged,
    before,
    ...compared,
  });
}

const isUnchecked = (history: History, { tree, baseline }: Prepared): boolean =>
  uncheckedOn(history, { tree, against: baseline?.tree }, true).length > 0;

/** The commit that checks with `ratchet` are compared with. */
function baselineOf(git: Order['git'], history: History, commit: CommitId | null): { readonly baseline?: Baseline } {
  const isCompared = planInForce(history).plan.checks.some(({ policy }) => policy === 'ratchet');
  return commit === null || !isCompared ? {} : { baseline: { commit, tree: git.read(commit).tree } };
}
type Baseline = { readonly commit: CommitId; readonly tree: TreeId };

async function undo(order: Order, history: History, task: TaskId | null): Promise<MergerAnswer> {
  const { git } = order;
  const landings = standingLandings(history);
  const [first, last] = [landings[0], landings.at(-1)];
  const open = unfinished(history, 'undo-intended', ['undo-prepared', 'undone', 'undo-refused']);
  if (isUndoneInHistory(history, task)) return done;
  if (first === undefined || last === undefined || first.old === null)
    return refuseUndo(order, task, { rule: 'nothing-landed' });
  const name = targetRef(last.branch);
  const tip = git.ref(name);
  if (tip === null) return refuseUndo(order, task, { rule: 'branch-gone', branch: last.branch });
  if (open !== null && tip === open.new) return record(order, undone(open, first.old));
  const unbroken = landings.every((landing, index) => index === 0 || landings[index - 1]?.new === landing.old);
  const prepared = preparations(history, task);
  const reverts = prepared.at(-1);
  const exact = task === null && tip === last.new && unbroken;
  if (!exact && reverts?.onto !== tip) {
    if (prepared.length >= 3)
      return refuseUndo(order, task, { rule: 'undo-busy', branch: last.branch, tries: 3, reverts: [] });
    return prepareUndo(order, history, task, { branch: last.branch, onto: tip });
  }
  if (!exact && (reverts === undefined || isUnchecked(history, reverts))) return done;
  const next = exact ? first.old : (reverts?.commit ?? first.old);
  const intent = { type: 'undo-intended', task, branch: last.branch, old: tip, new: next } as const;
  if (open?.new !== next) {
    const appended = await order.ledger.append(order.run, history.length, [intent], order.epoch);
    if (appended.outcome === 'stale-epoch') return stale;
    if (appended.outcome === 'conflict') return undo(order, await order.ledger.read(order.run), task);
    await order.schedule.turn(order.life);
  }
  return git.move(name, tip, next) ? record(order, undone(intent, first.old)) : done;
}

const undone = ({ task, branch, old, new: next }: Extract<RunEvent, { type: 'undo-intended' }>, begin: CommitId) =>
  ({ type: 'undone', task, branch, old, new: next, exact: next === begin }) as const;

/** What the run, or the task, changed since its base is taken out of the branch as it is now. */
async function prepareUndo(
  order: Order,
  history: History,
  task: TaskId | null,
  { branch, onto }: { readonly branch: string; readonly onto: CommitId },
): Promise<MergerAnswer> {
  const { git } = order;
  const landed = eventsOf(history, 'landed').at(-1)?.position ?? 0;
  const merged = eventsOf(history, 'merged').filter(({ position }) => position < landed);
  const commit = merged.flatMap(({ event }) => event.tasks).find((one) => one.task === task)?.commit;
  const [from, to] =
    task === null
      ? [merged.at(-1)?.event.new, merged[0]?.event.old]
      : [commit, commit === undefined ? undefined : git.read(commit).parents[0]];
  if (from === undefined || to === undefined) return refuseUndo(order, task, { rule: 'no-landed-commit', task });
  const taken = git.merge(git.read(from).files, git.read(onto).files, git.read(to).files);
  if (!taken.ok) return refuseUndo(order, task, { rule: 'built-upon', commit: from, words: 'it', files: taken.error });
  const reverts = git.write(taken.value, [onto], `undo ${task}`);
  const { tree } = git.read(reverts);
  const compared = baselineOf(git, history, standingLandings(history)[0]?.old ?? null);
  return record(order, {
    type: 'undo-prepared',
    task,
    branch,
    onto,
    commit: reverts,
    tree,
    reverts: [from],
    ...compared,
  });
}

async function refuseUndo(order: Order, task: TaskId | null, because: Finding): Promise<MergerAnswer> {
  const recorded = await record(order, { type: 'undo-refused', task, because });
  return recorded.outcome === 'done' ? refused(because) : recorded;
}

/** What needs this task stands on it as it is: merged, or without anything to merge. */
const isBelow = (history: History, task: PlannedTask): boolean =>
  isReadOnly(task) || isMerged(history, task.id) || isDoneEmpty(history, task.id);

/** What of a pull request is left to do since the landing was last begun or refused. */
async function offer(
  order: Order,
  history: History,
  { branch, new: commit }: Extract<RunEvent, { type: 'branch-made' }>,
): Promise<MergerAnswer> {
  const begun = history.findLast(
    ({ event }) =>
      ['branch-made', 'landing-refused', 'plan-replaced'].includes(event.type) ||
      (event.type === 'tap-opened' && event.tap === 'land'),
  );
  const { branch: base } = creation(history).target;
  const steps: readonly RunEvent[] = [
    { type: 'push-intended', branch, commit, remote: 'origin' },
    { type: 'pushed', branch, commit, remote: 'origin', host: 'github.com', repository: 'ada/shop', opener: 'gh' },
    { type: 'pull-request-intended', branch, commit, base, opener: 'gh' },
    { type: 'pull-request-opened', branch, commit, url: 'https://github.com/ada/shop/pull/1' },
  ];
  for (const step of steps) {
    const isDone = history.some(({ position, event }) => position > (begun?.position ?? 0) && event.type === step.type);
    if (isDone) continue;
    const over = step.type.endsWith('-intended') ? abandonReason(await order.ledger.read(order.run)) : null;
    if (over !== null) return refused(over);
    if (step.type === 'pushed' && order.chaos.strikes(0.1)) {
      const because: Finding = { rule: 'push-failed', remote: 'origin', branch, fault: 'unreachable', words: '' };
      const recorded = await record(order, { type: 'landing-refused', because });
      return recorded.outcome === 'done' ? refused(because) : recorded;
    }
    const recorded = await record(order, step);
    if (recorded.outcome !== 'done') return recorded;
  }
  return done;
}

/** The last intent of a kind that nothing has answered yet. */
function unfinished<T extends 'landing-intended' | 'undo-intended'>(
  history: History,
  type: T,
  ends: readonly RunEvent['type'][],
): Extract<RunEvent, { type: T }> | null {
  const last = eventsOf(history, type).at(-1);
  if (last === undefined) return null;
  const over = history.some(
    ({ position, event }) => position > last.position && ends.some((end) => end === event.type),
  );
  return over ? null : last.event;
}

async function dropPaths(
  order: Order,
  history: History,
  { task, paths, by }: MergerRequest & { readonly do: 'drop-paths' },
): Promise<MergerAnswer> {
  const { git } = order;
  const held = lastSnapshot(history, task);
  if (held === undefined) return refused({ rule: 'no-snapshot', task });
  const before = git.read(held.base).files;
  const files: Record<string, string> = { ...git.read(held.commit).files };
  const taken = held.diff.filter(({ path }) => paths.includes(path)).map(({ path }) => path);
  if (taken.length === 0)
    return eventsOf(history, 'paths-dropped').some(({ event }) => event.task === task)
      ? done
      : refused({ rule: 'paths-unchanged', task, paths });
  for (const path of taken) {
    const old = before[path];
    if (old === undefined) delete files[path];
    else files[path] = old;
  }
  const commit = git.write(files, [held.base], `dropped ${task}`);
  const number = eventsOf(history, 'paths-dropped').length + 1;
  git.move(refs.dropped(order.run, task, number), null, commit);
  const snapshot = { ...held, commit, tree: git.read(commit).tree, diff: git.diff(held.base, commit) };
  return record(order, { type: 'paths-dropped', task, paths: taken, snapshot, by });
}

/** The person typed one line into a file; which one, the name of the copy says. */
async function takeEdit(
  order: Order,
  history: History,
  { task, from, copy, by }: MergerRequest & { readonly do: 'take-edit' },
): Promise<MergerAnswer> {
  const { git } = order;
  if (eventsOf(history, 'task-edited').some(({ event }) => event.copy === copy)) return done;
  const held = lastSnapshot(history, task);
  const ended = eventsOf(history, 'attempt-ended').findLast(({ event }) => event.task === task)?.event;
  if (held === undefined || !ended?.snapshot) return refused({ rule: 'no-snapshot', task });
  if (held.commit !== from) return refused({ rule: 'snapshot-outdated', task, named: from, newest: held.commit });
  const path = copy.startsWith('outside') ? 'elsewhere/by-hand.txt' : `${task}/by-hand.txt`;
  const files = { ...git.read(from).files, [path]: copy };
  const commit = git.write(files, [held.base], `edited ${task} ${copy}`);
  git.move(`${refFolder('edits')}/${order.run}/${task}.${copy}`, null, commit);
  const snapshot = { ...held, commit, tree: git.read(commit).tree, diff: git.diff(held.base, commit) };
  const paths = git.diff(ended.snapshot.commit, commit).map((entry) => entry.path);
  const { attempt } = ended;
  return record(order, { type: 'task-edited', task, attempt, from, snapshot, paths, copy, by });
}
