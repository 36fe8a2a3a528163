import { atTime } from '../../domain/decide/decide-tap.ts';
import { leftToLand } from '../../domain/landing/undo.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { evolveRun, type RunState } from '../../domain/run/run.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { GitReader } from '../../ports/merger.ts';
import { type KnownRun, knownRuns } from './find-run.ts';

type Moment = { readonly now: string; readonly git: GitReader };

/**
 * Returns the run as the coordinator would record it now: a tap may have expired and a pull request may have been merged while no
 * coordinator was there. Every view shows this state; requests are decided by the ledger alone.
 */
export async function currentRun<Known extends { readonly state: RunState | null }>(
  known: Known,
  { now, git }: Moment,
): Promise<Known> {
  const events = await landedRequest(known.state, git);
  const state = events.reduce((before, event) => evolveRun(before, { seq: 0, event }), known.state);
  return { ...known, state: state === null ? null : atTime(state, now) };
}

/** The same for all runs of a repository, oldest first. */
export const currentRuns = async (repo: {
  readonly ledger: Ledger;
  readonly git: GitReader;
  readonly clock: { now(): string };
}): Promise<readonly KnownRun[]> => {
  const moment = { now: repo.clock.now(), git: repo.git };
  return await Promise.all((await knownRuns(repo.ledger)).map((known) => currentRun(known, moment)));
};

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
