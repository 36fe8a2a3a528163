import type { RunId, TaskId } from '../base/ids.ts';
import type { DependencyEnd, DependencyEvent, MeetingLanding } from '../ledger/dependency-events.ts';
import type { By } from '../ledger/requests.ts';

/**
 * A dependency as one of its ends has it.
 *
 *   open ──▶ resolved     the other run has landed it, or a person decided
 *     │  └─▶ cancelled    by a person
 *     └────▶ unmet        the other end is over without it; from there resolved or cancelled
 *
 * One that a landing resolved is unmet again when that landing is undone, as long as the run that requires it can still land.
 */
export type Dependency = {
  readonly id: string;
  /** `requires`: this run waits for the other end. `owes`: the other end waits for this run. */
  readonly side: 'requires' | 'owes';
  /** The task of this run that it is about; null for the whole run. */
  readonly task: TaskId | null;
  readonly other: DependencyEnd;
  /** The branch that the work has to land on. Of the end that requires: set when that branch itself depends on it. */
  readonly branch?: string;
  readonly required: boolean;
  readonly text: string;
  readonly by: By;
  readonly status: DependencyStatus;
  /** The reason why it is unmet. */
  readonly unmet?: UnmetCause;
  readonly settled?: { readonly by: By; readonly reason?: string; readonly landed?: MeetingLanding };
};

export const dependencyStatuses = ['open', 'unmet', 'resolved', 'cancelled'] as const;
export type DependencyStatus = (typeof dependencyStatuses)[number];
export type UnmetCause = (DependencyEvent & { readonly type: 'dependency-unmet' })['because'];

export function evolveDependencies(known: readonly Dependency[], event: DependencyEvent): readonly Dependency[] {
  const { dependency: id } = event;
  const change = (next: (one: Dependency) => Dependency): readonly Dependency[] =>
    known.map((one) => (one.id === id ? next(one) : one));
  switch (event.type) {
    case 'dependency-added': {
      const { task = null, branch, on: other, required, text, by } = event;
      const waiting = branch === undefined ? {} : { branch };
      return [...known, { id, side: 'requires', task, other, ...waiting, required, text, by, status: 'open' }];
    }
    case 'dependency-owed': {
      const { task = null, of: other, branch, required, text, by } = event;
      return [...known, { id, side: 'owes', task, other, branch, required, text, by, status: 'open' }];
    }
    case 'dependency-unmet':
      return change(({ settled: _, ...one }) => ({ ...one, status: 'unmet', unmet: event.because }));
    case 'dependency-resolved': {
      const { reason, landed, by } = event;
      const settled = { by, ...(reason === undefined ? {} : { reason }), ...(landed === undefined ? {} : { landed }) };
      return change((one) => ({ ...one, status: 'resolved', settled }));
    }
    case 'dependency-cancelled':
      return change((one) => ({ ...one, status: 'cancelled', settled: { by: event.by, reason: event.reason } }));
  }
}

export const isDependencyOpen = ({ status }: Pick<Dependency, 'status'>): boolean =>
  status === 'open' || status === 'unmet';

/** True when a landing resolved it, so that an undo of that landing opens it again. */
export const isMetByLanding = ({ status, settled }: Pick<Dependency, 'status' | 'settled'>): boolean =>
  status === 'resolved' && settled?.landed !== undefined;

/** Null for a branch. */
export const otherRun = ({ other }: Pick<Dependency, 'other'>): RunId | null => ('run' in other ? other.run : null);

/** `run`, `run/task` or the name of the branch, as people type it. */
export function endName(end: DependencyEnd): string {
  // a landing has a run and a branch
  if (!('run' in end)) return end.branch;
  return end.task === undefined ? end.run : `${end.run}/${end.task}`;
}
