import { hash as digest } from 'node:crypto';
import type { FrozenPlan } from '../../src/domain/plan/plan.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { misused } from './check-relaunch.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { sortedJson } from './sorted-json.ts';

type Version = { readonly plan: FrozenPlan; readonly hash: string; readonly since: number };

/** The plan that stood just before this event, and the event since which it did. */
export function versionAt(history: readonly Stored[], seq: number): Version {
  const last = [...all(history, 'run-created'), ...all(history, 'plan-replaced')].findLast((one) => one.seq < seq);
  if (last === undefined) throw new Error('no plan stands before the run was created');
  return { plan: last.event.plan, hash: last.event.hash, since: last.seq };
}

/** Whether a task that was dropped then was left out by a later version, and is in one after that. */
export function isBack(history: readonly Stored[], task: string, dropped: number): boolean {
  const later = all(history, 'plan-replaced').filter((one) => one.seq > dropped);
  const left = later.findIndex(({ event }) => !has(event.plan, task));
  return left !== -1 && later.slice(left).some(({ event }) => has(event.plan, task));
}

/** Whether every later version says that it reuses what this attempt made, and asks for it in the same words, with all that it needs; judged again since. */
export function isReused(history: readonly Stored[], task: string, attempt: number): boolean {
  const later = all(history, 'plan-replaced').filter((one) => one.seq > attempt);
  const before = taskIn(versionAt(history, attempt).plan, task);
  const last = later.at(-1)?.seq ?? attempt;
  const printed = all(history, 'attempt-intended').find((one) => one.seq === attempt)?.event.fingerprint;
  const begun = (need: string): boolean => all(history, 'attempt-intended').some(({ event }) => event.task === need);
  return (
    before !== undefined &&
    later.every(
      ({ seq, event }) =>
        (event.reuses ?? []).some((id) => id === task) &&
        (printed === undefined || isPrinted(history, { seq, event }, task)) &&
        sortedJson(taskIn(event.plan, task)) === sortedJson(before) &&
        before.needs.every((need) => !begun(need) || [...event.keeps, ...(event.reuses ?? [])].includes(need)),
    ) &&
    all(history, 'phase-judged').some(
      ({ seq, event }) => event.phase === 'monitor' && event.task === task && seq > last,
    )
  );
}

/** The new version names the fingerprint of the attempt, an equal one under its own plan, and the snapshot of then. */
function isPrinted(
  history: readonly Stored[],
  { seq, event }: Pick<ReturnType<typeof all<'plan-replaced'>>[number], 'seq' | 'event'>,
  task: string,
): boolean {
  const reuse = event.fingerprints?.find((one) => one.task === task);
  const before = history.filter((one) => one.seq < seq);
  return reuse !== undefined && misused(before, event.plan, reuse).length === 0;
}

const taskIn = (plan: FrozenPlan, task: string) =>
  plan.waves.flatMap(({ tasks, closure = [] }) => [...tasks, ...closure]).find((planned) => planned.id === task);

/** I2, I5, I7: another version was asked for, comes between steps, keeps what is merged, and drops by name what it leaves out. */
export function checkReplanned(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'plan-replaced').flatMap(({ seq, event }) => {
    const before = history.filter((one) => one.seq < seq);
    const old = versionAt(history, seq);
    const replans = all(before, 'requested-replan');
    const found: Violation[] = [];
    const say = (invariant: Violation['invariant'], what: string): number => found.push({ invariant, seq, what });
    // two people may ask for the same plan, and the first is answered
    const isThis = ({ hash, replaces, by }: (typeof replans)[number]['event']): boolean =>
      hash === event.hash && replaces === old.hash && by.who === event.by.who;
    if (!replans.some((one) => isThis(one.event))) say('I2', 'nobody asked for this plan instead of the one before');
    if (digest('sha256', sortedJson(event.plan), 'hex') !== event.hash) say('I2', 'the plan does not have its hash');
    for (const { event: intended } of all(before, 'attempt-intended'))
      if (!all(before, 'attempt-ended').some((one) => one.event.attempt === intended.attempt))
        say('I2', `${intended.attempt} is at work while its plan is replaced`);
    const merged = new Map(
      all(before, 'merged').flatMap((one) => one.event.tasks.map(({ task }) => [`${task}`, one.event.wave])),
    );
    for (const [task, wave] of merged)
      if (!hasIn(event.plan, wave, task)) say('I5', `${task} is merged, and the new plan has it no more in its wave`);
    for (const { event: closed } of all(before, 'wave-closed'))
      if (ids(event.plan, closed.wave) !== ids(old.plan, closed.wave)) say('I3', 'a closed wave has other tasks now');
    for (const { id } of old.plan.waves.flatMap((wave) => wave.tasks)) {
      const dropped = all(before, 'task-dropped').some((one) => one.event.task === id);
      if (!has(event.plan, id) && !dropped) say('I7', `${id} is left out, and nobody dropped it`);
    }
    return found;
  });
}

const has = (plan: FrozenPlan, task: string): boolean => plan.waves.some((_, wave) => hasIn(plan, wave, task));
const hasIn = (plan: FrozenPlan, wave: number, task: string): boolean =>
  [...(plan.waves[wave]?.tasks ?? []), ...(plan.waves[wave]?.closure ?? [])].some((planned) => planned.id === task);
const ids = (plan: FrozenPlan, wave: number): string =>
  (plan.waves[wave]?.tasks ?? [])
    .map(({ id }) => id)
    .toSorted()
    .join();
