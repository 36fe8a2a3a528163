import { isDeepStrictEqual } from 'node:util';
import { commitsBetween, isAncestor, openPerson, readRef } from '../../adapters/git/write/index.ts';
import { damagedProofs } from '../../adapters/kept-proofs/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { landingConflicts } from '../../domain/landing/land-some.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { hasRatchet, landsOnOwnBranch } from '../../domain/plan/plan.ts';
import { type KeptFile, keptFiles } from '../../domain/proofs/kept-files.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, recordIntent, refused } from '../order.ts';
import { lostProof } from '../proof/bundles.ts';
import { redefinedBy, redOn, uncheckedOn } from '../proof/checked.ts';
import { candidateTop, creation, eventsOf, type History, planInForce, runTip } from '../proof/history.ts';
import { landingGap } from '../proof/roles.ts';
import { recoverLanding } from './landing-recovery.ts';
import { examineMove, hasReached, moveBranch, type Ready } from './move-branch.ts';
import { offer, recordBranch } from './offer.ts';
import {
  approvedTasks,
  compareDefinitions,
  judgedBefore,
  mergedTasks,
  partsToLand,
  rebuiltSince,
  standingLandings,
  unlandedTasks,
} from './rebuild-landing.ts';
import { unaskedEdit } from './take-landing-edit.ts';

type Intended = Extract<RunEvent, { type: 'landing-intended' }>;
type Rebuilt = Extract<RunEvent, { type: 'landing-rebuilt' }>;

/**
 * Moves the person's branch, or with `land: branch` one of ours in their repository, to what was merged and checked. With `land: pr`
 * that one of ours is offered to others then.
 */
export async function moveLanding(order: MergerOrder): Promise<MergerAnswer> {
  const recovered = await recoverLanding(order);
  if (!recovered.ok) return await refuse(order, recovered.error);
  const history = await order.ledger.read(order.run);
  const decided = decideLanding(history, order.run);
  if (!decided.ok) return await refuse(order, decided.error);
  const { branch, new: next } = decided.value;
  if (isLanded(history, decided.value)) return mergerDone;

  const ref = `refs/heads/${branch}`;
  const person = await openPerson(order.checkout, order.env);
  const isMade = planInForce(history).plan.land === 'pr' && lastMade(history)?.new === next;
  const actual = isMade ? await readRef(person, ref) : null;
  if (actual === next) return await offered(order, decided.value);
  // a branch that was offered and then deleted is made again
  const old = isMade && actual === null ? null : decided.value.old;
  if (isIntended(history, decided.value) && (await hasReached(order, await readRef(person, ref), next)))
    return await landed(order, { ...decided.value, old });
  const proven = await verifyLanding(order, history, decided.value);
  if (!proven.ok) return await refuse(order, proven.error);
  const [damaged] = await damagedProofs(order.state, order.run, filesToLand(history, decided.value));
  if (damaged !== undefined) return await refuse(order, damaged);
  const compared = decided.value.rebuilt === null ? await compareWithBase(order, history, decided.value) : null;
  if (compared !== null) return compared;
  const ready = await examineMove(order, { ref, old, new: next });
  if (!ready.ok) return await refuse(order, ready.error);

  const intent = await recordIntent<Intended>(order, async (now) => {
    const event: Intended = {
      type: 'landing-intended',
      branch,
      old,
      new: next,
      worktree: ready.value.worktree?.path ?? null,
    };
    const still = decideLanding(now, order.run);
    if (!still.ok) return { decision: 'answer', answer: refused(still.error) };
    if (still.value.new !== next) return { decision: 'answer', answer: refused({ rule: 'landing-outdated' }) };
    return isIntended(now, decided.value) ? { decision: 'resume', event } : { decision: 'intend', event };
  });
  if (intent.decision === 'answer') return intent.answer;
  failpoint('merger-landing-intended');
  return await finish(order, { ...decided.value, old }, ready.value);
}

async function finish(order: MergerOrder, landing: Landing, ready: Ready): Promise<MergerAnswer> {
  const moved = await moveBranch(order, ready);
  if (!moved.ok) return await refuse(order, moved.error);
  failpoint('merger-landed');
  return await landed(order, landing);
}

type Landing = {
  readonly branch: string;
  readonly old: CommitId | null;
  readonly new: CommitId;
  /**
   * Set when what lands is not the run branch itself but its commits on top of a target that moved, or when it is that branch and
   * its check definitions were compared with those of the target.
   */
  readonly rebuilt: Extract<RunEvent, { type: 'landing-rebuilt' }> | null;
  /** The tasks that a person chose; null: all that have not landed. */
  readonly tasks: readonly TaskId[] | null;
  /** True for a branch of the run's own. Others compare it with the commit where the run began. */
  readonly isOwn: boolean;
};

/** Decides from the ledger alone what would land where. */
function decideLanding(history: History, run: string): Result<Landing, Finding> {
  const { target } = creation(history);
  const { plan } = planInForce(history);
  const merged = eventsOf(history, 'merged').at(-1);
  if (merged === undefined) return err({ rule: 'none-merged' });
  const unapproved = unapprovedLanding(history);
  if (unapproved !== null) return err(unapproved);

  const tasks = approvedTasks(history);
  const lost = lostProof(history, tasks ?? unlandedTasks(history));
  if (lost !== null) return err(lost);
  const isOwn = plan.land === 'branch' || plan.land === 'pr';
  const branch = isOwn ? `tidegate/${run}` : target.branch;
  const before = standingLandings(history).findLast((event) => event.branch === branch);
  const begunApart = eventsOf(history, 'run-branch-made').some(({ event }) => event.onto !== undefined);
  // the commit of the person's uncommitted changes never leaves our repository
  if (isOwn && begunApart) return err({ rule: 'uncommitted-unfit', fault: 'lands-on-branch', land: plan.land });
  const rebuilt = rebuiltSince(history);
  if (isOwn) {
    const old = before?.new ?? lastMade(history)?.new ?? null;
    const compared = rebuilt?.asMerged === true ? rebuilt : null;
    return ok({ branch, old, new: merged.event.new, rebuilt: compared, tasks: null, isOwn });
  }
  if (tasks !== null && !isDeepStrictEqual(rebuilt?.tasks, tasks)) return err({ rule: 'landing-unbuilt', tasks });
  if (begunApart && rebuilt === undefined && before === undefined)
    return err({ rule: 'landing-unbuilt', tasks: unlandedTasks(history) });
  const next = rebuilt?.commit ?? merged.event.new;
  if (before?.new === next) return ok({ branch, old: before.old, new: next, rebuilt: null, tasks, isOwn });
  const old = rebuilt?.onto ?? before?.new ?? beginOf(history);
  return ok({ branch, old, new: next, rebuilt: rebuilt ?? null, tasks, isOwn });
}

/** The files that the proofs of these tasks rest on. */
function filesToLand(history: History, { tasks }: Landing): readonly KeptFile[] {
  const all = tasks ?? unlandedTasks(history);
  return keptFiles(history).filter(({ task }) => all.includes(task));
}

const beginOf = (history: History): CommitId =>
  eventsOf(history, 'run-branch-made')[0]?.event.commit ?? creation(history).target.commit;

/** Answers with what has to be checked first; null when nothing has. */
async function compareWithBase(order: MergerOrder, history: History, landing: Landing): Promise<MergerAnswer | null> {
  const { isOwn, old, new: commit } = landing;
  const onto = isOwn ? beginOf(history) : (old ?? beginOf(history));
  const tasks = isOwn ? mergedTasks(history) : unlandedTasks(history);
  return await compareDefinitions(order, history, { onto, commit, tasks });
}

/** Why people have not agreed to this landing; null: they have. A yes from before a refusal was for what could not be done. */
export function unapprovedLanding(history: History): Finding | null {
  const { plan, hash, since } = planInForce(history);
  const decided = eventsOf(history, 'tap-decided').filter(
    ({ position, event }) => position > since && event.hash === hash,
  );
  const yes = decided.findLast(({ event }) => event.tap === 'land');
  const refusedAt = eventsOf(history, 'landing-refused').at(-1)?.position ?? 0;
  const isApproved = yes?.event.decision === 'approved' && yes.position > refusedAt;
  const isRed = hasRatchet(plan) && !landsOnOwnBranch(plan) && landsRed(history);
  const isAsked = plan.land === 'ask' || refusedAt > since || isRed;
  if (isAsked && !isApproved) return { rule: 'landing-unapproved' };
  return decided.some(({ event }) => event.decision === 'approved') ? null : { rule: 'plan-unapproved' };
}

/** A check is red on the tree that would land. Only a person says yes to that. */
function landsRed(history: History): boolean {
  const merged = eventsOf(history, 'merged').at(-1)?.event;
  const tree = rebuiltSince(history)?.tree ?? (merged && candidateTop(history, merged)?.tree);
  return redOn(history, tree).length > 0;
}

const isLanded = (history: History, landing: Landing): boolean =>
  standingLandings(history).some((event) => event.branch === landing.branch && event.new === landing.new);

/** Returns the event that made the branch of the pull request. */
const lastMade = (history: History): Extract<RunEvent, { type: 'branch-made' }> | undefined =>
  eventsOf(history, 'branch-made').at(-1)?.event;

/** An intent for exactly this landing that was neither finished nor refused. */
function isIntended(history: History, landing: Landing): boolean {
  const ends = ['landing-intended', 'landed', 'branch-made', 'landing-refused'];
  const last = history.findLast(({ event }) => ends.includes(event.type));
  return (
    last?.event.type === 'landing-intended' && last.event.branch === landing.branch && last.event.new === landing.new
  );
}

/** A landing consists of merged commits, or of rebuilt ones with every check passed on exactly that tree; and it only adds. */
async function verifyLanding(order: MergerOrder, history: History, landing: Landing): Promise<Result<null, Finding>> {
  const { repository } = order.state;
  const { branch } = landing;
  const actual = await readRef({ gitDir: repository }, refs.runBranch(order.run));
  const tip = runTip(history) ?? null;
  if (actual !== tip) return err({ rule: 'run-branch-diverged', expected: tip, actual });
  if (landing.rebuilt !== null && landing.rebuilt.asMerged !== true) {
    const { conflicts } = landing.rebuilt;
    const parts = partsToLand(history, landing.tasks);
    if (!parts.ok) return parts;
    if (conflicts.length > 0)
      return err(landingConflicts(landing.rebuilt, { run: order.run, branch, tasks: landing.tasks }));
    const built = await commitsBetween(repository, landing.rebuilt.onto, landing.rebuilt.commit);
    if (built.length !== parts.value.length)
      return err({
        rule: 'landing-diverged',
        commit: landing.new,
        expected: parts.value.length,
        actual: built.length,
      });
    const unasked = unaskedEdit(history);
    if (unasked !== null) return err({ rule: 'landing-edit-unasked', commit: unasked });
  }
  if (landing.rebuilt !== null) {
    const unchecked = uncheckedLanding(history, landing.rebuilt);
    if (unchecked.length > 0) return err({ rule: 'landing-unchecked', branch, checks: unchecked });
    const unjudged = landingGap(history, { ...landing.rebuilt, ...(await judgedAt(repository, history, landing)) });
    if (unjudged !== null) return err({ rule: 'landing-role', run: order.run, branch, task: unjudged });
  }
  if (landing.old !== null && !(await isAncestor(repository, landing.old, landing.new)))
    return err({ rule: 'landing-not-ahead', branch });
  return ok(null);
}

/** Checks that do not let a rebuilt landing pass, with its own definitions or with those of the branch. */
export function uncheckedLanding(
  history: History,
  { tree, before, baseline }: Pick<Rebuilt, 'tree' | 'before' | 'baseline'>,
): readonly string[] {
  const against = baseline?.tree;
  const redefined = redefinedBy(history, mergedTasks(history));
  const own = uncheckedOn(history, { tree, against, redefined });
  const earlier = before === undefined ? [] : uncheckedOn(history, { tree: before.tree, against });
  return [...new Set([...own, ...earlier])];
}

/** Finds out again on which paths reports no longer hold. Empty for a run branch that lands as it is: its reports are about that. */
async function judgedAt(repository: string, history: History, { rebuilt, tasks }: Landing) {
  const parts = partsToLand(history, tasks);
  if (rebuilt === null || rebuilt.asMerged === true || !parts.ok) return {};
  const { onto } = rebuilt;
  return await judgedBefore(repository, history, { onto, tasks: tasks ?? unlandedTasks(history), parts: parts.value });
}

async function landed(order: MergerOrder, landing: Landing): Promise<MergerAnswer> {
  const { branch, old, new: next, tasks } = landing;
  const history = await order.ledger.read(order.run);
  if (planInForce(history).plan.land === 'pr') {
    const recorded = await recordBranch(order, { branch, old, new: next });
    return recorded.outcome === 'done' ? await offered(order, { branch, new: next }) : recorded;
  }
  const all = tasks ?? unlandedTasks(history);
  const commits = await landedCommits(order, history, landing, all);
  return await recordFacts(order, { type: 'landed', branch, old, new: next, tasks: all, commits });
}

type LandedCommits = NonNullable<Extract<RunEvent, { type: 'landed' }>['commits']>;

/** The commit of each task on the branch. A rebuilt landing has one commit for each part, in the same order. */
async function landedCommits(
  order: MergerOrder,
  history: History,
  { rebuilt }: Landing,
  tasks: readonly TaskId[],
): Promise<LandedCommits> {
  const merged = eventsOf(history, 'merged')
    .flatMap(({ event }) => event.tasks)
    .filter(({ task }) => tasks.includes(task));
  if (rebuilt === null || rebuilt.asMerged === true) return merged;
  const parts = partsToLand(history, tasks);
  const built = (await commitsBetween(order.state.repository, rebuilt.onto, rebuilt.commit)).toReversed();
  if (!parts.ok || parts.value.length !== built.length) return [];
  const places = new Map(parts.value.map((part, at) => [part, built[at]]));
  return merged.flatMap(({ task, commit: part }) => {
    const commit = places.get(part);
    return commit === undefined ? [] : [{ task, commit }];
  });
}

async function offered(
  order: MergerOrder,
  { branch, new: commit }: Pick<Landing, 'branch' | 'new'>,
): Promise<MergerAnswer> {
  const outcome = await offer(order, { branch, commit });
  return outcome.ok ? outcome.value : await refuse(order, outcome.error);
}

/** A branch that moved just now is no obstacle: the coordinator looks at it again. */
async function refuse(order: MergerOrder, because: Finding): Promise<MergerAnswer> {
  if (because.rule === 'branch-moved') return refused(because);
  const recorded = await recordFacts(order, { type: 'landing-refused', because });
  return recorded.outcome === 'done' ? refused(because) : recorded;
}
