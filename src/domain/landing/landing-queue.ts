import type { CommitId, RunId, TaskId } from '../base/ids.ts';
import { landingBarriers } from '../closure/barriers.ts';
import { type Check, isRatchet, landsOnOwnBranch } from '../plan/plan.ts';
import { mayProceed } from '../run/resume.ts';
import { checkKey, type RunState } from '../run/run.ts';
import { isMoving, isQueued } from './landing.ts';

/** One move of a branch that waits for no person. */
type QueueEntry = {
  readonly run: RunId;
  readonly move: 'landing' | 'undo';
  /** A move that has begun is finished before any other begins, and one that is moving the branch before that. */
  readonly stage: 'waiting' | 'begun' | 'moving';
  /** Sequence number of the event that requested it. */
  readonly seq: number;
};

/**
 * Returns all moves of a branch that are due, in their order. A run that waits for a person is not in the queue, so it delays
 * nobody: it enters when its landing is approved, and leaves when the landing is refused, something keeps it from landing or the
 * run halts. An undo goes ahead of landings that have not begun. The order follows from the ledger alone.
 */
export const landingQueue = (runs: readonly RunState[], branch: string): readonly QueueEntry[] =>
  runs
    .filter((run) => run.target.branch === branch)
    .flatMap((run) => [...undoOf(run), ...landingOf(run)])
    .toSorted(
      (a, b) =>
        stages.indexOf(b.stage) - stages.indexOf(a.stage) ||
        Number(b.move === 'undo') - Number(a.move === 'undo') ||
        a.seq - b.seq,
    );

const stages: readonly QueueEntry['stage'][] = ['waiting', 'begun', 'moving'];

/** The run whose move of its branch comes before those of this run; null when it is this run's turn. */
export function aheadInQueue(runs: readonly RunState[], { run, target }: RunState): RunId | null {
  const first = landingQueue(runs, target.branch)[0]?.run;
  return first === undefined || first === run ? null : first;
}

/** Tells whether a run is about to move its branch. */
export const isInQueue = (run: RunState): boolean => undoOf(run).length + landingOf(run).length > 0;

/** A pause or a stop does not keep what has landed from being undone; only a halt waits for a person. */
function undoOf({ run, mode, pending, undo, landing }: RunState): readonly QueueEntry[] {
  const undoRequest = pending.find(({ request }) => request.type === 'requested-undo');
  if (undoRequest === undefined || mode.mode === 'halted') return [];
  const stage = landing.status === 'undoing' ? 'moving' : undo.prepared === null ? 'waiting' : 'begun';
  return [{ run, move: 'undo', stage, seq: undoRequest.seq }];
}

/** Returns nothing for `land: branch` and `pr`, which move no branch of the person, and while the person has not approved the landing. */
function landingOf(state: RunState): readonly QueueEntry[] {
  const { run, plan, landing, taps } = state;
  const isAsked = taps.land !== undefined && taps.land.status !== 'approved';
  if (landsOnOwnBranch(plan) || isAsked || !isQueued(landing) || !mayLand(state)) return [];
  if (landing.status === 'queued') return [{ run, move: 'landing', stage: 'waiting', seq: landing.seq }];
  return [{ run, move: 'landing', stage: isMoving(landing) ? 'moving' : 'begun', seq: 0 }];
}

/**
 * A run that is paused, stopped, abandoned, or kept from landing finishes only a move that has begun. One that ended `done` lands
 * late, when a person asks.
 */
function mayLand(state: RunState): boolean {
  const { mode, ended, abandoned, landing, taps } = state;
  if (ended !== null && (ended !== 'done' || taps.land?.status !== 'approved')) return false;
  if (isMoving(landing)) return mode.mode !== 'halted';
  return abandoned === null && mayProceed(state) && landingBarriers(state).length === 0;
}

/** An undo that a person requested and that is not answered yet. */
type OpenUndo = {
  readonly task: TaskId | null;
  /** The commit that the reverts are prepared on; null before that. */
  readonly onto: CommitId | null;
  /** The check that it waits for; null when it is the merger's turn. */
  readonly check: string | null;
};

export function openUndo(state: RunState): OpenUndo | null {
  const request = state.pending.find(({ request }) => request.type === 'requested-undo')?.request;
  if (request?.type !== 'requested-undo') return null;
  const { task } = request;
  const { prepared } = state.undo;
  if (prepared === null || prepared.task !== task) return { task, onto: null, check: null };
  const isOpen = (check: Check): boolean => {
    const outcome = state.checks[checkKey(prepared.tree, check.name)]?.outcome;
    return outcome !== 'passed' && !(isRatchet(check) && outcome === 'failed');
  };
  const waits = state.plan.checks.find(isOpen);
  return { task, onto: prepared.onto, check: waits?.name ?? null };
}
