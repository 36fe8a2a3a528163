import type { RunId, TaskId, TreeId } from '../base/ids.ts';
import type { LedgerEvent } from '../ledger/events.ts';

/** The events of one run. */
type RunEvents = {
  readonly run: RunId;
  readonly stored: readonly { readonly seq: number; readonly at: string; readonly event: LedgerEvent }[];
};

/** A time at which a test failed: `task` broke it, or it failed already where the run began. */
export type TestFailure = {
  readonly test: string;
  readonly check: string;
  readonly run: RunId;
  /** Null when it failed on the base of the run, before any task of it. */
  readonly task: TaskId | null;
  readonly at: string;
};

/**
 * Finds the first task that broke a test, and the first run whose base already failed it, in the order in which they happened. `wanted`
 * is the full name of the test, the last part of it, or any part of it: the first of these that a test has.
 */
export function firstFailures(runs: readonly RunEvents[], wanted: string): readonly TestFailure[] {
  const all = runs.flatMap(failuresIn).toSorted((a, b) => a.seq - b.seq);
  const fits = [
    (test: string) => test === wanted,
    (test: string) => test.split(' › ').at(-1) === wanted,
    (test: string) => test.includes(wanted),
  ].find((isIt) => all.some(({ test }) => isIt(test)));
  const found = fits === undefined ? [] : all.filter(({ test }) => fits(test));
  const first = [found.find(({ task }) => task !== null), found.find(({ task }) => task === null)];
  return first
    .flatMap((one) => one ?? [])
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ seq: _, ...failure }) => failure);
}

function failuresIn({ run, stored }: RunEvents): readonly (TestFailure & { readonly seq: number })[] {
  let base: TreeId | null = null;
  return stored.flatMap(({ seq, at, event }): readonly (TestFailure & { readonly seq: number })[] => {
    if (event.type === 'run-branch-made') base = event.tree;
    if (event.type === 'culprit-found' && event.worse !== undefined && 'tests' in event.worse) {
      const { task, check } = event;
      return event.worse.tests.map((test) => ({ seq, at, run, task, check, test }));
    }
    if (event.type !== 'check-ended' || event.check.tree !== base) return [];
    const { name: check, report } = event.check;
    const failed = report !== undefined && 'tests' in report ? report.tests.failed : [];
    return failed.map((test) => ({ seq, at, run, task: null, check, test }));
  });
}
