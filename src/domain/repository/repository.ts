import { runId } from '../base/ids.ts';
import { emptySequence } from '../base/sequence.ts';
import { withBoard } from '../board/board.ts';
import { type Dependency, evolveDependencies } from '../dependencies/dependency.ts';
import { isRequest } from '../ledger/events.ts';
import type { Recorded, RunState } from '../run/run.ts';

/** The repository where a command takes a run: `repository/3` is a record of its board. */
export const theRepository = runId('repository');

/** The repository as its own stream says it is: a board above all runs, and the dependencies of branches. */
export type RepositoryState = Pick<RunState, 'board' | 'termsCount' | 'pending'> & {
  /** Dependencies of branches, in order; absent for none. */
  readonly dependencies?: readonly Dependency[];
};

export const newRepository: RepositoryState = { board: emptySequence, termsCount: 0, pending: [] };

/** Applies an event of the repository's stream. Total: events that concern neither board nor branches change nothing. */
export function evolveRepository(state: RepositoryState, { seq, event }: Recorded): RepositoryState {
  if (isRequest(event)) return { ...state, pending: [...state.pending, { seq, request: event }] };
  switch (event.type) {
    case 'request-accepted':
    case 'request-refused':
      return { ...state, pending: state.pending.filter((waiting) => waiting.seq !== event.request) };
    case 'record-posted':
    case 'record-answered':
    case 'record-closed':
    case 'record-changed':
      return withBoard(state, event);
    case 'dependency-added':
    case 'dependency-unmet':
    case 'dependency-resolved':
    case 'dependency-cancelled':
      return { ...state, dependencies: evolveDependencies(state.dependencies ?? [], event) };
    default:
      return state;
  }
}

export const foldRepository = (events: readonly Recorded[]): RepositoryState =>
  events.reduce(evolveRepository, newRepository);
