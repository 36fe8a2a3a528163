import type { RunId } from '../domain/base/ids.ts';
import type { LedgerEvent, RunEvent } from '../domain/ledger/events.ts';

/**
 * The runs of one repository. A run is *known* once it is in the ledger, and *driven* once it was admitted.
 *
 *   active ──▶ leaving ──▶ gone       the checkout was removed: agents end first, or their time is over
 *     └──────────┴──────────┴──▶ stopped
 */
export type CoordinatorState = {
  readonly phase: 'active' | 'leaving' | 'gone' | 'stopped';
  readonly runs: ReadonlyMap<RunId, 'known' | 'driven'>;
};

export type CoordinatorInput =
  | { readonly type: 'found'; readonly run: RunId }
  | { readonly type: 'admitted'; readonly run: RunId }
  | { readonly type: 'committed'; readonly run: RunId; readonly event: LedgerEvent }
  /** The board of the repository, or a dependency of a branch, has changed. */
  | { readonly type: 'repository-changed' }
  /** There is more or less room on the disk than before. */
  | { readonly type: 'disk-changed' }
  | { readonly type: 'checkout-gone' }
  /** Every agent has ended, could not be ended, or took too long. */
  | { readonly type: 'agents-ended' }
  | { readonly type: 'stopped' };

export type CoordinatorEffect =
  /** Begins to drive all known runs. */
  | { readonly do: 'admit' }
  | { readonly do: 'wake'; readonly run: RunId }
  | { readonly do: 'measure-disk' }
  | { readonly do: 'announce' }
  /** Leads to `agents-ended`. */
  | { readonly do: 'end-agents' }
  | { readonly do: 'fail' }
  | { readonly do: 'let-go' };

type Transition = { readonly state: CoordinatorState; readonly effects: readonly CoordinatorEffect[] };

export const noRuns: CoordinatorState = { phase: 'active', runs: new Map() };

/** Returns the next state of a coordinator, and what has to be done. `isOpen` tells whether something may still happen in a run. */
export function evolveCoordinator(
  state: CoordinatorState,
  input: CoordinatorInput,
  isOpen: (run: RunId) => boolean,
): Transition {
  const { phase, runs } = state;
  if (phase === 'stopped') return to(state);
  switch (input.type) {
    case 'found':
      return to(runs.has(input.run) ? state : withRun(state, input.run, 'known'));
    case 'admitted':
      return to(withRun(state, input.run, 'driven'));
    case 'committed': {
      const { run, event } = input;
      const isDriven = runs.get(run) === 'driven';
      const others = concernsOthers(event) ? [...runs.keys()].filter((other) => other !== run && isOpen(other)) : [];
      return to(
        runs.has(run) ? state : withRun(state, run, 'known'),
        ...(endsWork.has(event.type) ? [{ do: 'measure-disk' } as const] : []),
        ...wakeDriven(state, [run, ...others]),
        { do: 'announce' },
        ...(isDriven ? [] : [{ do: 'admit' } as const]),
      );
    }
    case 'repository-changed':
      return to(state, ...wakeDriven(state, [...runs.keys()].filter(isOpen)));
    case 'disk-changed':
      return to(state, ...wakeDriven(state, [...runs.keys()]));
    case 'checkout-gone':
      return phase === 'active' ? to({ ...state, phase: 'leaving' }, { do: 'end-agents' }) : to(state);
    case 'agents-ended':
      return phase === 'leaving' ? to({ ...state, phase: 'gone' }, { do: 'fail' }) : to(state);
    case 'stopped':
      return to({ ...state, phase: 'stopped' }, { do: 'let-go' });
  }
}

const wakeDriven = ({ runs }: CoordinatorState, candidates: readonly RunId[]): readonly CoordinatorEffect[] =>
  candidates.filter((run) => runs.get(run) === 'driven').map((run) => ({ do: 'wake', run }));

const withRun = (state: CoordinatorState, run: RunId, status: 'known' | 'driven'): CoordinatorState => ({
  ...state,
  runs: new Map(state.runs).set(run, status),
});

const to = (state: CoordinatorState, ...effects: readonly CoordinatorEffect[]): Transition => ({ state, effects });

/** After these a workspace has its final size, or may be removed. */
const endsWork: ReadonlySet<LedgerEvent['type']> = new Set<RunEvent['type']>([
  'attempt-ended',
  'task-dropped',
  'landed',
  'pull-request-landed',
  'run-ended',
]);

/** Tells whether another run may now move its branch, start an attempt, use its provider or settle a dependency. A run with an open record may leave the queue. */
export const concernsOthers = (event: LedgerEvent): boolean =>
  freesSomething.has(event.type) ||
  ((event.type === 'attempt-noted' || event.type === 'record-posted') && event.place?.status === 'open');

const freesSomething: ReadonlySet<LedgerEvent['type']> = new Set<RunEvent['type']>([
  'attempt-ended',
  'attempt-intended',
  'attempt-settled',
  'dependency-added',
  'dependency-cancelled',
  'dependency-resolved',
  'landed',
  'landing-refused',
  'plan-replaced',
  'provider-paused',
  'provider-resumed',
  'pull-request-landed',
  'request-refused',
  'run-abandoned',
  'run-ended',
  'run-halted',
  'run-paused',
  'run-resumed',
  'run-stopped',
  'task-base-refused',
  'task-continued',
  'task-dropped',
  'task-retried',
  'task-reworked',
  'undone',
  'undo-refused',
  'wave-relaunched',
]);
