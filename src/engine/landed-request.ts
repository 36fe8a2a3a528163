import { leftToLand } from '../domain/landing/undo.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import type { GitReader } from '../ports/merger.ts';

/**
 * What follows once the person's branch contains the commits of a pull request; nothing while it does not. Whoever merged it made
 * no event, so this is decided when somebody looks: the coordinator records it, and views count with it.
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

/** The run as it would be recorded now. Nothing is recorded by it. */
export async function asSeenNow<Known extends { readonly state: RunState | null }>(
  known: Known,
  git: GitReader,
): Promise<Known> {
  const events = await landedRequest(known.state, git);
  const state = events.reduce((before, event) => evolveRun(before, { seq: 0, event }), known.state);
  return events.length === 0 ? known : { ...known, state };
}
