import type { CommitId } from '../../domain/base/ids.ts';
import type { EarlierTask, RepoAttestation } from '../../domain/gates/evidence.ts';
import { leftToLand } from '../../domain/landing/undo.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { RunOrder } from '../../domain/ledger/requests.ts';
import {
  type Continuation,
  type EarlierResult,
  earlierResults,
  isComplete,
  ownBranches,
} from '../../domain/plan/earlier-waves.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import type { GitReader } from '../../ports/merger.ts';

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

/**
 * Returns the events that follow once the person's branch contains the commits of a pull request; none before. Merging it made no
 * event, so this is decided at every look: the coordinator records the events, and views apply them.
 */
export async function landedRequest(state: RunState | null, git: GitReader): Promise<readonly RunEvent[]> {
  if (state?.landing.status !== 'offered' || state.ended !== 'done') return [];
  const { branch } = state.target;
  const tip = await git.branchTip(branch);
  if (tip === null || !(await git.isAncestor(state.landing.new, tip))) return [];
  const tasks = leftToLand(state);
  const commits = Object.values(state.tasks).flatMap(({ id, progress }) =>
    progress.status === 'merged' && tasks.includes(id) ? [{ task: id, commit: progress.commit }] : [],
  );
  return [
    { type: 'pull-request-landed', branch, commit: tip, tasks, commits },
    { type: 'run-ended', outcome: 'landed' },
  ];
}

/** Returns the run as it would be recorded now, without recording anything. */
export async function asSeenNow<Known extends { readonly state: RunState | null }>(
  known: Known,
  git: GitReader,
): Promise<Known> {
  const events = await landedRequest(known.state, git);
  const state = events.reduce((before, event) => evolveRun(before, { seq: 0, event }), known.state);
  return events.length === 0 ? known : { ...known, state };
}
