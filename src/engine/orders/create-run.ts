import { continuesByItself } from '../../domain/agents/provider.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { startTap } from '../../domain/decide/tap.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { EarlierTask, RepoAttestation } from '../../domain/gates/evidence.ts';
import type { JudgeContext } from '../../domain/gates/judge.ts';
import { findingsIn, passes } from '../../domain/gates/verdict.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { By, RunOrder, TapName } from '../../domain/ledger/requests.ts';
import {
  type Continuation,
  type EarlierResult,
  earlierResults,
  isComplete,
  ownBranches,
} from '../../domain/plan/earlier-waves.ts';
import { allTasks } from '../../domain/plan/plan.ts';
import { repoClaims } from '../../domain/plan/repo-claim.ts';
import { evolveRun, foldRun, type RunState } from '../../domain/run/run.ts';
import { contract, load } from '../../pipeline/creation.ts';
import type { Effect, Step, StepInputs } from '../../pipeline/step.ts';
import { steps } from '../../pipeline/steps.ts';
import type { GitReader } from '../../ports/merger.ts';

/** Looked up when a run is ordered and again when it is made. `earlier` is empty without `--wave`. */
export type SeenBefore = { readonly earlier: readonly EarlierTask[]; readonly actual: RepoAttestation };

/** Returns the first events of a run: its order, and the verdicts of phases 000 and 0. They are stored in one append. */
export function createRun(order: RunOrder, by: By, seen: SeenBefore): readonly RunEvent[] {
  const context: JudgeContext = { plan: order.plan, hash: order.hash, granted: [] };
  const { run, planFile, wave } = order;
  const earlier = wave === null ? {} : { earlier: seen.earlier };
  const judgedContract = contract(context, { run, planFile, planExists: true, wave, ...earlier });
  const claims = repoClaims(order.plan);
  const judgedLoad = load(context, {
    findings: [],
    tasks: allTasks(order.plan).length,
    expected: order.repo,
    actual: seen.actual,
    ...(claims.length === 0 ? {} : { claims }),
  });
  const created: RunEvent = { type: 'run-created', by, ...order };
  const approved = approvals(order, by);
  const refused = !passes(judgedContract.verdicts) || !passes(judgedLoad.verdicts);
  return refused
    ? [created, judgedContract, judgedLoad, { type: 'run-ended', outcome: 'failed' }]
    : [created, judgedContract, judgedLoad, ...approved];
}

/** An approval with the order survives the terminal that it came from. */
function approvals({ plan, hash, wave, approves }: RunOrder, { who }: By): readonly RunEvent[] {
  const waves = plan.waves.map((_, index) => index).filter((index) => wave === null || wave === index);
  const starts = new Set(waves.map((index) => startTap(plan, index)));
  const approved = (tap: TapName, via: By['via']): readonly RunEvent[] => [
    { type: 'tap-opened', tap, hash, expires: null },
    { type: 'tap-decided', tap, decision: 'approved', hash, by: { who, via } },
  ];
  return [
    ...(approves.includes('start') ? [...starts].flatMap((tap) => approved(tap, 'yes-flag')) : []),
    ...(approves.includes('land') ? approved('land', 'land-flag') : []),
  ];
}

/**
 * Returns the run as it would be before its approval, by the same phases and functions, in memory. Nothing is created, stored
 * or started.
 */
export function rehearse(order: RunOrder, seen: SeenBefore, inputs: StepInputs): RunState {
  // no thread is requested elsewhere: the built-in board takes its place
  const { thread: _, ...plan } = order.plan;
  const created = createRun({ ...order, plan, approves: [] }, { who: 'tidegate', via: 'policy' }, seen);
  let state = foldRun(created.map((event) => ({ seq: 0, event })));
  while (state !== null && state.ended === null) {
    const next = steps(state, inputs).find((step) => step.kind === 'fact');
    if (next?.kind !== 'fact') break;
    for (const event of next.events) state = evolveRun(state, { seq: 0, event });
  }
  if (state === null) throw new Error('an order always makes a run');
  return state;
}

/** Tells whether nothing can happen in this run until a person requests something. Due facts and effects say otherwise. */
export function isAtRest(state: RunState, inputs: StepInputs): boolean {
  // the next coordinator sends notices of overdue records; none is needed only for that
  const due = steps(state, inputs).filter((step) => !isAlert(step));
  if (state.mode.mode !== 'halted') return due.length === 0 && !continuesByItself(state);
  return due.every((step) => step.kind === 'effect' && !endsByItself.includes(step.effect.do));
}

const isAlert = (step: Step): boolean =>
  step.kind === 'fact' && step.events.every(({ type }) => type === 'records-overdue');

/** Effects that a halted run still performs because something of it is running. */
const endsByItself: readonly Effect['do'][] = ['supervise', 'stop', 'orchestrate', 'stop-orchestrator'];

/** Returns false when something has to be done and nobody is there to do it. */
export const isAttended = async (
  repo: { isCoordinated(): Promise<boolean> },
  { state, now }: { readonly state: RunState; readonly now: string },
): Promise<boolean> => isAtRest(state, { now, nonce: () => '' }) || (await repo.isCoordinated());

/** Returns the refusals of the phases before approval, phase by phase. */
export function refusals(state: RunState): readonly Finding[] {
  const verdicts = [
    ...(state.contract ?? []),
    ...(state.load ?? []),
    ...state.waves.flatMap((wave) => [...(wave.thread ?? []), ...(wave.preflight ?? []), ...(wave.ownership ?? [])]),
  ];
  return findingsIn(verdicts);
}

type Runs = readonly (RunState | null)[];
type Ancestry = Pick<GitReader, 'isAncestor' | 'branchTip'>;

/** With `--wave`: returns the results of earlier runs for each task, and whether they are in the commit that this run starts from. */
export async function lookBack(
  git: Ancestry,
  order: Pick<RunOrder, 'plan' | 'wave' | 'target' | 'continues'>,
  runs: Runs,
): Promise<readonly EarlierTask[]> {
  const { plan, wave, target, continues } = order;
  return wave === null ? [] : await resultsIn(git, continues?.commit ?? target.commit, earlierResults(plan, runs));
}

/** Returns the branch that a wave continues when the waves before it are not on the person's branch; null for the person's branch. */
export async function continuationOf(
  git: Ancestry,
  order: Pick<RunOrder, 'plan' | 'wave' | 'target'>,
  runs: Runs,
): Promise<Continuation | null> {
  const { plan, wave } = order;
  if (wave === null || wave === 0 || isComplete(plan, wave, await lookBack(git, order, runs))) return null;
  for (const { run, branch } of ownBranches(plan, runs)) {
    const commit = await git.branchTip(branch);
    if (commit === null) continue;
    const continues = { run, branch, commit };
    if (isComplete(plan, wave, await lookBack(git, { ...order, continues }, runs))) return continues;
  }
  return null;
}

type Results = ReturnType<typeof earlierResults>;

/** For each task, the newest result whose commit is in the base counts; without one, the newest result. */
async function resultsIn(git: Ancestry, base: CommitId, all: Results): Promise<readonly EarlierTask[]> {
  const found: EarlierTask[] = [];
  for (const { absent, results } of all) {
    const seen = await Promise.all(results.map((result) => inBase(git, base, result)));
    const standing = seen.find(({ inBase, undone, status }) => status === 'done' || (inBase && !undone));
    found.push(standing ?? seen[0] ?? { ...absent, inBase: false });
  }
  return found;
}

async function inBase(git: Ancestry, base: CommitId, result: EarlierResult): Promise<EarlierTask> {
  const { branch, ...rest } = result;
  const isThere = branch !== undefined && (await git.branchTip(branch)) !== null;
  const inBase = result.commit !== null && (await git.isAncestor(result.commit, base));
  return { ...rest, ...(isThere ? { branch } : {}), inBase };
}

/** Returns what identifies a repository. */
export async function attest(git: Pick<GitReader, 'rootCommit' | 'remotes'>): Promise<RepoAttestation> {
  return { rootCommit: await git.rootCommit(), remotes: await git.remotes() };
}
