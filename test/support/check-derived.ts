import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all, type Found } from './events-found.ts';
import { naiveMatch } from './naive-match.ts';
import { versionAt } from './plan-versions.ts';
import { sortedJson } from './sorted-json.ts';

type Derived = Found<'task-derived'>['event'];

/** The decision that made a task under the plan in force at this point; undefined for a task of the plan. */
export function madeBefore(history: readonly Stored[], seq: number, task: string): Derived | undefined {
  const { since } = versionAt(history, seq);
  return all(history, 'task-derived').findLast((one) => one.seq > since && one.seq < seq && one.event.task === task)
    ?.event;
}

/**
 * I2, I3: a task that Tidegate makes stands for one task of the approved plan that is held, changes nothing that this task may not
 * change, is done by the agent that the plan names, and there is one for a pair of snapshots.
 */
export function checkDerived(history: readonly Stored[]): readonly Violation[] {
  const pairs = new Set<string>();
  const made = all(history, 'task-derived').flatMap(({ seq, event }) => {
    const { plan } = versionAt(history, seq);
    const say = (what: string): Violation => ({ invariant: 'I2', seq, what: `${event.task}: ${what}` });
    const found = faultsOf(plan, event).map(say);
    const { snapshot, onto, failing = '' } = event.inputs;
    const pair = `${snapshot} ${onto} ${failing} ${versionAt(history, seq).since}`;
    if (pairs.has(pair)) found.push(say('this pair of snapshots had a task already'));
    pairs.add(pair);
    const held = all(history, 'task-held').findLast(
      (one) => one.seq < seq && event.standsFor.some((task) => task === one.event.task),
    );
    const since = history.filter((one) => one.seq > (held?.seq ?? 0) && one.seq < seq);
    if (held === undefined || held.event.hold.because === 'needs' || isMoved(since, event))
      found.push(say('its task is not held'));
    const work = snapshotsOf(history, seq).findLast(({ commit }) => commit === snapshot);
    const isChanged = (path: string) => work?.diff.some((one) => one.path === path && one.change === 'modified');
    if (failing === '' && !event.inputs.paths.every(isChanged)) found.push(say('a file is new, removed or renamed'));
    if (spentOn(history, seq, event) >= limitOf(history, seq, plan, event)) found.push(say('its budget was used up'));
    return found;
  });
  return [...made, ...checkMergedFor(history), ...checkProgram(history)];
}

/** What gates judged before this point. */
const snapshotsOf = (history: readonly Stored[], seq: number) =>
  all(history, 'phase-judged').flatMap(({ seq: at, event }) =>
    at < seq && event.phase === 'monitor' && event.evidence.snapshot !== null ? [event.evidence.snapshot] : [],
  );

/** I2: the program of the resolver is changed only by a task that names the file, or to which a person granted it. */
function checkProgram(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'round-opened').flatMap(({ seq, event }) => {
    const { plan } = versionAt(history, seq);
    const program = plan.resolver?.definitions?.map(({ path }) => path) ?? [];
    const isMerged = all(history, 'merged').some(
      (one) => one.seq > seq && one.event.wave === event.wave && one.event.round === event.round,
    );
    if (program.length === 0 || !isMerged) return [];
    return event.tasks.flatMap(({ task, snapshot }): readonly Violation[] => {
      const planned = plan.waves.flatMap((wave) => wave.tasks).find(({ id }) => id === task);
      const granted = all(history, 'task-granted').filter((one) => one.seq < seq && one.event.task === task);
      const named = [
        ...[...(planned?.owns ?? []), ...(planned?.shares ?? []), ...(planned?.locks ?? []), ...(plan.unprotect ?? [])],
        ...granted.flatMap((one) => one.event.paths),
      ];
      const diff = snapshotsOf(history, seq).findLast(({ commit }) => commit === snapshot)?.diff ?? [];
      const touched = diff.filter(({ path }) => program.includes(path) && !named.some((one) => naiveMatch(one, path)));
      return touched.map(({ path }) => ({ invariant: 'I2', seq, what: `${task}: ${path} is of the resolver` }));
    });
  });
}

function faultsOf(plan: FrozenPlan, { planned, standsFor, wave, granted = [] }: Derived): readonly string[] {
  const wrong: string[] = [];
  const [stands] = (plan.waves[wave]?.tasks ?? []).filter(({ id }) => standsFor.includes(id));
  if (standsFor.length !== 1 || stands === undefined) return ['it stands for no task of its wave'];
  const { agent, command, model } = planned;
  const { definitions: _, ...named } = plan.resolver ?? {};
  if (plan.resolver === undefined || sortedJson({ agent, command, model }) !== sortedJson(named))
    wrong.push('the plan names another agent');
  const names = planned.owns ?? [];
  if (names.length === 0 || planned.shares.length + planned.locks.length > 0) wrong.push('it owns something else');
  wrong.push(...names.filter((path) => !isOf(plan, stands, path, granted)).map((path) => `${path} is not of its task`));
  return wrong;
}

/** Owned, shared, locked or granted; without `owns` all that nobody else has and nothing protects. */
function isOf(plan: FrozenPlan, task: PlannedTask, path: string, granted: readonly string[]): boolean {
  const own = [...(task.owns ?? []), ...task.shares, ...task.locks];
  if (granted.includes(path) || own.some((pattern) => naiveMatch(pattern, path))) return true;
  return task.owns === null && !plan.protect.some((pattern) => naiveMatch(pattern, path));
}

/** Something was done to the task that it stands for. */
const isMoved = (events: readonly Stored[], { standsFor }: Derived): boolean =>
  events.some(
    ({ event }) =>
      ['task-retried', 'task-reworked', 'task-dropped', 'task-edited', 'paths-dropped', 'attempt-intended'].includes(
        event.type,
      ) &&
      'task' in event &&
      standsFor.some((task) => task === event.task),
  );

/** Dollars of all attempts of the task and of what was made for it. */
function spentOn(history: readonly Stored[], seq: number, { standsFor }: Derived): number {
  const group = new Set<string>([
    ...standsFor,
    ...all(history, 'task-derived').flatMap(({ event }) =>
      event.standsFor.some((task) => standsFor.includes(task)) ? [event.task] : [],
    ),
  ]);
  return all(history, 'attempt-ended')
    .filter((one) => one.seq < seq && group.has(one.event.task))
    .reduce((sum, { event }) => sum + (event.agent?.usage.usd ?? 0), 0);
}

const limitOf = (history: readonly Stored[], seq: number, plan: FrozenPlan, { standsFor }: Derived): number =>
  all(history, 'budget-raised')
    .filter((one) => one.seq < seq && standsFor.some((task) => task === one.event.task))
    .reduce((sum, { event }) => sum + event.usd, plan.limits.usd);

/** I3: merged for another task only while that one is held as it was, and after the result was compared with both sides. */
function checkMergedFor(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'merged').flatMap(({ seq, event }) =>
    event.tasks.flatMap(({ task, by }): readonly Violation[] => {
      if (by === undefined) return [];
      const say = (what: string): Violation => ({ invariant: 'I3', seq, what: `${by}: ${what}` });
      const made = all(history, 'task-derived').findLast((one) => one.seq < seq && one.event.task === by);
      if (made === undefined || !made.event.standsFor.includes(task)) return [say('it was not made for this task')];
      const since = history.filter((one) => one.seq > made.seq && one.seq < seq);
      const found = isMoved(since, made.event) ? [say('its task was changed since')] : [];
      const snapshot = all(history, 'round-opened')
        .findLast((one) => one.seq < seq && one.event.wave === event.wave && one.event.round === event.round)
        ?.event.tasks.find((entry) => entry.task === task)?.snapshot;
      const compared = all(since, 'sides-compared').find(
        (one) => one.event.task === by && one.event.snapshot === snapshot,
      );
      if (compared === undefined) found.push(say('its result was not compared'));
      else if (compared.event.markers.length > 0) found.push(say('it left markers of a conflict'));
      found.push(...unnamedIn(since, by, compared?.event.gone ?? []).map((path) => say(`it lost a change in ${path}`)));
      return found;
    }),
  );
}

/** Paths in which a change is gone that neither the handoff names nor a person left out by hand. */
function unnamedIn(events: readonly Stored[], task: string, gone: Found<'sides-compared'>['event']['gone']) {
  const judged = all(events, 'phase-judged').findLast(({ event }) => event.phase === 'monitor' && event.task === task);
  const evidence = judged?.event.phase === 'monitor' ? judged.event.evidence : undefined;
  const dropped = evidence?.handoff.kind === 'given' ? (evidence.handoff.handoff.dropped ?? []) : [];
  const edited = evidence?.acceptance?.edited ?? [];
  return gone
    .filter(({ path, from, to, mode }) => {
      const isNamed = dropped.some((entry) => {
        if (entry.startsWith(`${path} `)) return true;
        const [part = '', ...reason] = entry.startsWith(`${path}:`) ? entry.slice(path.length + 1).split(' ') : [];
        if (reason.join('').trim() === '') return false;
        const [first, last = first] = part.split('-').map(Number);
        return mode === undefined ? (first ?? Infinity) <= from && to <= (last ?? 0) : part === 'mode';
      });
      return !isNamed && !edited.includes(path);
    })
    .map(({ path }) => path);
}
