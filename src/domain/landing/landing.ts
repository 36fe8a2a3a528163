import type { CommitId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { LandingEvent } from '../ledger/landing-events.ts';
import type { Offer, Opener, Pushed } from './pull-request.ts';

/**
 * Moving the person's branch to the run branch, once.
 *   none ─▶ queued ─▶ observed ─▶ (rebuilt, when the branch is elsewhere) ─▶ intended ─▶ landed ─▶ undone
 *   With `land: pr`: intended ─▶ offering ─▶ offered ─▶ landed, once the target contains the commits (pull-request.ts)
 *   refused: something blocks it, and the person is asked again; a new yes begins a new landing
 */
export type LandingState =
  | { readonly status: 'none' }
  /** `seq` of the event that put it into the queue of its branch. */
  | { readonly status: 'queued'; readonly seq: number }
  | {
      readonly status: 'observed';
      readonly tip: CommitId | null;
      readonly rebuilt: Rebuilt | null;
      /** The number of times that the branch moved in between. Other runs wait their turn, so somebody else moved it. */
      readonly moves: number;
    }
  | {
      readonly status: 'refused';
      readonly because: Finding;
      /** Absent when something else blocks the landing. A person resolves it with `tidegate edit <run>`. */
      readonly conflict?: LandingConflict;
    }
  | {
      readonly status: 'intended';
      readonly branch: string;
      readonly old: CommitId | null;
      readonly new: CommitId;
      readonly moves: number;
    }
  /** The branch of the run is made, and on its way to others. */
  | {
      readonly status: 'offering';
      readonly branch: string;
      readonly new: CommitId;
      readonly pushed: Pushed | null;
      /** The program that is opening the pull request. */
      readonly opener: Opener | null;
    }
  | ({ readonly status: 'offered' } & Offer)
  | { readonly status: 'landed'; readonly branch: string; readonly old: CommitId | null; readonly new: CommitId }
  | { readonly status: 'undoing'; readonly branch: string; readonly old: CommitId | null; readonly new: CommitId }
  /** `exact`: the branch is where it was; otherwise commits on top of it take the landing back. */
  | { readonly status: 'undone'; readonly branch: string; readonly commit: CommitId; readonly exact: boolean };

/** A landing made anew on the branch as it is; which tasks it is of, the person's yes says. */
export type Rebuilt = Omit<Extract<LandingEvent, { readonly type: 'landing-rebuilt' }>, 'type' | 'tasks'>;

/** Waits for its turn, or has it. */
export const isQueued = ({ status }: LandingState): boolean =>
  status === 'queued' || status === 'observed' || status === 'intended';

/** True when the merger has begun to move a branch, or to offer it to others. It finishes that, whatever was requested since. */
export const isMoving = ({ status }: LandingState): boolean => status === 'intended' || status === 'offering';

/** The state before a landing is requested, and before it is requested anew. */
export const noLanding: LandingState = { status: 'none' };

export function evolveLanding(state: LandingState, event: RunEvent): LandingState {
  switch (event.type) {
    case 'target-observed': {
      if (state.status === 'observed') return { ...state, tip: event.commit, moves: state.moves + 1 };
      // it moved at the very last moment, so nothing of ours did
      if (state.status === 'intended')
        return { status: 'observed', tip: event.commit, rebuilt: null, moves: state.moves + 1 };
      return isBefore(state) ? { status: 'observed', tip: event.commit, rebuilt: null, moves: 0 } : state;
    }
    case 'landing-rebuilt': {
      const { type: _, tasks: _tasks, ...rebuilt } = event;
      // a rebuild that was requested twice may come late, when the landing has been refused
      if (state.status !== 'observed')
        return isBefore(state) ? { status: 'observed', tip: rebuilt.onto, rebuilt, moves: 0 } : state;
      // the branch moved between the look at it and the rebuilding: that was a look, too
      const moves = state.moves + (rebuilt.onto === state.tip ? 0 : 1);
      return { ...state, tip: rebuilt.onto, rebuilt, moves };
    }
    case 'landing-intended': {
      const moves = state.status === 'observed' || state.status === 'intended' ? state.moves : 0;
      return { status: 'intended', branch: event.branch, old: event.old, new: event.new, moves };
    }
    case 'landed':
      return { status: 'landed', branch: event.branch, old: event.old, new: event.new };
    case 'landing-refused':
      return { status: 'refused', because: event.because, ...openConflict(state, event.because) };
    // the conflict is resolved; the person still has to approve
    case 'landing-edited':
      return state.status === 'refused' ? noLanding : state;
    case 'branch-made':
      return { status: 'offering', branch: event.branch, new: event.new, pushed: null, opener: null };
    case 'push-intended':
      return { status: 'offering', branch: event.branch, new: event.commit, pushed: null, opener: null };
    case 'pushed': {
      const { branch, commit, remote, host, repository, upstream, opener } = event;
      const pushed = { remote, host, repository, ...(upstream === undefined ? {} : { upstream }) };
      const offer = { branch, new: commit, pushed };
      return opener === null
        ? { status: 'offered', ...offer, url: null }
        : { status: 'offering', ...offer, opener: null };
    }
    case 'pull-request-intended':
      return state.status === 'offering' ? { ...state, opener: event.opener } : state;
    case 'pull-request-opened': {
      if (state.status !== 'offering' || state.pushed === null) return state;
      const { branch, new: commit, pushed } = state;
      return { status: 'offered', branch, new: commit, pushed, url: event.url };
    }
    case 'pull-request-landed':
      return { status: 'landed', branch: event.branch, old: null, new: event.commit };
    case 'undo-intended':
      return state.status === 'landed' ? { ...state, status: 'undoing' } : state;
    case 'undo-refused':
      return state.status === 'undoing' ? { ...state, status: 'landed' } : state;
    case 'undone':
      return evolveUndone(state, event);
    default:
      return state;
  }
}

/** A refusal for another reason leaves a conflict that was found before it for the next try. */
function openConflict(state: LandingState, because: Finding): { readonly conflict?: LandingConflict } {
  const rebuilt = state.status === 'observed' ? state.rebuilt : null;
  if (because.rule !== 'landing-conflicts' || rebuilt?.conflicted === undefined) return {};
  const { part: _, ...both } = rebuilt.conflicted;
  return { conflict: { ...both, onto: rebuilt.onto, files: rebuilt.conflicts } };
}

const isBefore = ({ status }: LandingState): boolean => status === 'none' || status === 'queued';

/** Undoing one task leaves the run landed. */
function evolveUndone(state: LandingState, event: RunEvent & { readonly type: 'undone' }): LandingState {
  const { task, branch, new: commit, exact } = event;
  if (task === null) return { status: 'undone', branch, commit, exact };
  return state.status === 'undoing' ? { ...state, status: 'landed' } : state;
}

/** `commit` holds both sides, on top of `onto`: text between markers, the rest as files of their own. */
export type LandingConflict = {
  readonly commit: CommitId;
  readonly onto: CommitId;
  readonly files: readonly string[];
  readonly beside?: readonly SidesBeside[];
};

/** A file that cannot hold both sides: these lie beside its place, and nothing is in it. */
export type SidesBeside = { readonly path: string; readonly sides: readonly Side[] };
export type Side = 'branch' | 'run';

/** The path of one side of such a file. */
export const sideName = (path: string, side: Side): string => `${path}.tidegate-${side}`;
