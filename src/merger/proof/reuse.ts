import type { TaskId } from '../../domain/base/ids.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { ResultReuse } from '../../domain/ledger/relaunch-events.ts';
import { coversWords, fingerprintOf } from '../../domain/relaunch/fingerprint.ts';
import type { Stored } from '../../ports/ledger.ts';
import { eventsOf, type History, lastSnapshot, planInForce, planned, type RecordedEvent } from './history.ts';
import { wordsOfPeople } from './records.ts';

type Relied = Pick<Stored, 'position' | 'hash'>;
type Intended = RecordedEvent<Extract<RunEvent, { type: 'attempt-intended' }>>;

/**
 * Proves that the result of an attempt still counts: its fingerprint is the one of its plan and base, no person selected the task to
 * start again since, and every reuse names this fingerprint, an equal one of then, and the snapshot of then. Returns the records
 * relied on, or the gap. Plans that were replaced under an attempt without a fingerprint are compared by the caller.
 */
export function proveReuse(
  history: History,
  attempt: Intended,
): readonly Relied[] | 'task-fingerprint' | 'task-relaunched' {
  const { task, fingerprint } = attempt.event;
  const after = history.filter(({ position }) => position > attempt.position);
  const relaunched = eventsOf(after, 'wave-relaunched');
  if (relaunched.some(({ event }) => event.starts.some((start) => start.task === task))) return 'task-relaunched';
  const reuses = [
    ...relaunched.flatMap((one) => reuseIn(one, one.event.reuses, task)),
    ...eventsOf(after, 'plan-replaced').flatMap((one) => reuseIn(one, one.event.fingerprints ?? [], task)),
  ];
  const replaced = eventsOf(after, 'plan-replaced').length;
  if (fingerprint === undefined) return reuses.length === 0 ? [] : 'task-fingerprint';
  if (reuses.filter(({ isOfPlan }) => isOfPlan).length !== replaced) return 'task-fingerprint';
  // without a reuse the result counts for the plan and base of its attempt, whatever that says of itself
  if (reuses.length === 0) return [];
  if (fingerprintAt(history, attempt, attempt.position) !== fingerprint) return 'task-fingerprint';
  const isProven = reuses.every(({ reuse, position }) => {
    const snapshot = lastSnapshot(
      after.filter((one) => one.position < position),
      task,
    );
    const is = fingerprintAt(history, attempt, position);
    return reuse.was === fingerprint && reuse.is === is && reuse.was === is && reuse.snapshot === snapshot?.commit;
  });
  return isProven ? reuses.map(({ stored }) => stored) : 'task-fingerprint';
}

type Reusing = RecordedEvent<Extract<RunEvent, { type: 'wave-relaunched' | 'plan-replaced' }>>;

const reuseIn = (stored: Reusing, reuses: readonly ResultReuse[], task: TaskId) =>
  reuses
    .filter((reuse) => reuse.task === task)
    .map((reuse) => ({
      reuse,
      stored,
      position: stored.position,
      isOfPlan: stored.event.type === 'plan-replaced',
    }));

/** The fingerprint that the attempt has by the plan that this record leaves in force, on its own base. */
function fingerprintAt(history: History, { position, event }: Intended, at: number): string | null {
  const { task, fingerprint = '' } = event;
  const then = history.filter((one) => one.position <= at);
  const { plan } = planInForce(then);
  const base = eventsOf(history, 'task-base-made').findLast(
    (one) => one.event.task === task && one.position < position,
  );
  const found = planned(plan, task);
  const words = coversWords(fingerprint) ? wordsOfPeople(then, task) : null;
  return base === undefined || found === undefined ? null : fingerprintOf(plan, found, base.event.tree, words);
}
