import type { RunEvent } from './events.ts';
import type { Finding } from './findings/finding.ts';
import type { CommitId, TreeId } from './ids.ts';
import type { Offer, Opener, Pushed } from './pull-request.ts';

/**
 * Moving the person's branch to the run branch, once.
 *   none ─▶ observed ─▶ (rebuilt, when the branch moved meanwhile) ─▶ intended ─▶ landed ─▶ undone
 *   With `land: pr`: intended ─▶ offering ─▶ offered ─▶ landed, once the target contains the commits (pull-request.ts)
 *   refused: something of the person's is in the way; `land` tries again when they say so
 */
export type LandingState =
  | { readonly status: 'none'; readonly tries: number }
  | {
      readonly status: 'observed';
      readonly tip: CommitId | null;
      readonly rebuilt: Rebuilt | null;
      readonly tries: number;
    }
  | { readonly status: 'refused'; readonly because: Finding }
  | { readonly status: 'intended'; readonly branch: string; readonly old: CommitId | null; readonly new: CommitId }
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

type Rebuilt = {
  readonly onto: CommitId;
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly conflicts: readonly string[];
};

/** Not asked for yet, or asked for anew. */
export const noLanding: LandingState = { status: 'none', tries: 0 };

export function evolveLanding(state: LandingState, event: RunEvent): LandingState {
  switch (event.type) {
    case 'target-observed': {
      const { rebuilt, tries } = state.status === 'observed' ? state : { rebuilt: null, tries: 0 };
      return { status: 'observed', tip: event.commit, rebuilt, tries };
    }
    case 'landing-rebuilt': {
      const { onto, commit, tree, conflicts } = event;
      const before = state.status === 'observed' ? state : { tip: onto, tries: 0 };
      return {
        status: 'observed',
        tip: before.tip,
        rebuilt: { onto, commit, tree, conflicts },
        tries: before.tries + 1,
      };
    }
    case 'landing-intended':
      return { status: 'intended', branch: event.branch, old: event.old, new: event.new };
    case 'landed':
      return { status: 'landed', branch: event.branch, old: event.old, new: event.new };
    case 'landing-refused':
      return { status: 'refused', because: event.because };
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

/** Undoing one task leaves the run landed. */
function evolveUndone(state: LandingState, event: RunEvent & { readonly type: 'undone' }): LandingState {
  const { task, branch, new: commit, exact } = event;
  if (task === null) return { status: 'undone', branch, commit, exact };
  return state.status === 'undoing' ? { ...state, status: 'landed' } : state;
}
