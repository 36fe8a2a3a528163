import type { CommitId } from '../domain/base/ids.ts';
import type { EarlierTask } from '../domain/gates/evidence.ts';
import type { RunOrder } from '../domain/ledger/requests.ts';
import {
  type Continuation,
  type EarlierResult,
  earlierResults,
  isComplete,
  ownBranches,
} from '../domain/plan/earlier-waves.ts';
import type { RunState } from '../domain/run/run.ts';
import type { GitReader } from '../ports/merger.ts';

type Runs = readonly (RunState | null)[];
type Ancestry = Pick<GitReader, 'isAncestor' | 'branchTip'>;

/** With `--wave`: what earlier runs made of each task, and whether it is in the commit that this run would begin at. */
export async function lookBack(
  git: Ancestry,
  order: Pick<RunOrder, 'plan' | 'wave' | 'target' | 'continues'>,
  runs: Runs,
): Promise<readonly EarlierTask[]> {
  const { plan, wave, target, continues } = order;
  return wave === null ? [] : await resultsIn(git, continues?.commit ?? target.commit, earlierResults(plan, runs));
}

/** The branch that a wave goes on from when the waves before it are not on the person's branch; null: the person's branch. */
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

/** Of several runs that had a task the newest whose commit is in the base counts; else the newest. */
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
