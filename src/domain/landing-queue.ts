import type { RunId } from './ids.ts';
import { isMoving, isQueued } from './landing.ts';
import { movesNothing } from './plan.ts';
import { goesOn, type RunState } from './run.ts';

/** One move of a branch that only the machine has to bring on. */
export type QueueEntry = {
  readonly run: RunId;
  readonly move: 'landing' | 'undo';
  /** What has begun is brought to its end before anything else moves the branch. */
  readonly begun: boolean;
  /** Place in the ledger of the event that asked for it. */
  readonly seq: number;
};

/**
 * Everything that is about to move a branch, first to go first. A run that waits for a person is not in it, so it delays nobody:
 * it enters when its landing is approved, and leaves when the landing is refused or the run halts. An undo goes ahead of landings
 * that have not begun. The order follows from the ledger alone.
 */
export const landingQueue = (runs: readonly RunState[], branch: string): readonly QueueEntry[] =>
  runs
    .filter((run) => run.target.branch === branch)
    .flatMap((run) => [...undoOf(run), ...landingOf(run)])
    .toSorted(
      (a, b) =>
        Number(b.begun) - Number(a.begun) || Number(b.move === 'undo') - Number(a.move === 'undo') || a.seq - b.seq,
    );

/** The run whose move of its branch comes before those of this run; null when it is this run's turn. */
export function aheadInQueue(runs: readonly RunState[], { run, target }: RunState): RunId | null {
  const first = landingQueue(runs, target.branch)[0]?.run;
  return first === undefined || first === run ? null : first;
}

/** Whether a run is about to move its branch. */
export const isInQueue = (run: RunState): boolean => undoOf(run).length + landingOf(run).length > 0;

/** A pause or a stop does not keep what has landed from being undone; only a halt waits for a person. */
function undoOf({ run, mode, pending, undo, landing }: RunState): readonly QueueEntry[] {
  const asked = pending.find(({ request }) => request.type === 'requested-undo');
  if (asked === undefined || mode.mode === 'halted') return [];
  return [{ run, move: 'undo', begun: undo.prepared !== null || landing.status === 'undoing', seq: asked.seq }];
}

/** With `land: branch` and `pr` nothing of the person's moves; and what a person is asked about moves nothing either. */
function landingOf(state: RunState): readonly QueueEntry[] {
  const { run, plan, landing, taps } = state;
  const isAsked = taps.land !== undefined && taps.land.status !== 'approved';
  if (movesNothing(plan) || isAsked || !isQueued(landing) || !mayLand(state)) return [];
  const isFirst = landing.status === 'queued';
  return [{ run, move: 'landing', begun: !isFirst, seq: isFirst ? landing.seq : 0 }];
}

/**
 * A run that is paused, stopped or abandoned finishes only a move that has begun. One that ended `done` lands late, when a person
 * asks.
 */
function mayLand(state: RunState): boolean {
  const { mode, ended, abandoned, landing, taps } = state;
  if (ended !== null) return ended === 'done' && taps.land?.status === 'approved' && goesOn(state);
  return isMoving(landing) ? mode.mode !== 'halted' : abandoned === null && goesOn(state);
}
