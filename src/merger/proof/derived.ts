import { isDeepStrictEqual } from 'node:util';
import type { TaskId } from '../../domain/base/ids.ts';
import { areModified, areWithin, inheritedGrants, isBoundToSnapshot } from '../../domain/derived/derive-resolver.ts';
import type { DerivedGap, ProofGap } from '../../domain/findings/merger-rules.ts';
import type { RoundEntry, SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { passes } from '../../domain/gates/verdict.ts';
import type { RepairInputs, RepairSubject } from '../../domain/ledger/derived-task-events.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import {
  eventsOf,
  type History,
  isVoidedBy,
  judgedPhases,
  lastSnapshot,
  planInForce,
  planned,
  type RecordedEvent,
  readySnapshot,
  waveInHistory,
} from './history.ts';

type Relied = Pick<Stored, 'position' | 'hash'>;
type Derived = Extract<RunEvent, { type: 'task-derived' }>;
type DerivedRecord = RecordedEvent<Derived>;

/** The decision that made a task, under the plan in force; undefined for a task of the plan. */
export function derivedIn(history: History, task: TaskId): DerivedRecord | undefined {
  const { since } = planInForce(history);
  return eventsOf(history, 'task-derived').findLast(({ position, event }) => position > since && event.task === task);
}

/** The derived task whose result replaces that of a held task. Undefined when none has passed its gates, or when the task was begun anew. */
export function standInOf(history: History, task: TaskId): DerivedRecord | undefined {
  const { since } = planInForce(history);
  return eventsOf(history, 'task-derived').findLast(({ position, event }) => {
    if (position < since || !event.standsFor.includes(task)) return false;
    const isVoid = history.some((later) => later.position > position && isVoidedBy(task, later.event));
    return !isVoid && readySnapshot(history, event.task) !== undefined;
  });
}

/**
 * Proves that the work of a derived task may be merged for another: it was made once, for exactly the snapshot that is held and the
 * work that it was put on, within the scope of that task, by the agent that the plan names; and its result was compared with both
 * sides. Returns the records relied on, or the gap. The chain of both tasks is proven apart.
 */
export function proveDerived(history: History, { task, by }: RoundEntry, opened: number): readonly Relied[] | ProofGap {
  if (by === undefined) return [];
  const gap = (why: DerivedGap): ProofGap => ({ gap: why, task: by });
  const { plan, since } = planInForce(history);
  const made = eventsOf(history, 'task-derived').filter(({ position }) => position > since);
  const derived = made.find(({ event }) => event.task === by);
  const stands = planned(plan, task);
  if (derived === undefined || stands === undefined || derived.position > opened) return gap('derived-unmade');
  const { inputs, standsFor, wave } = derived.event;
  const twins = made.filter(({ event }) => event.task === by || isSamePair(event.inputs, inputs));
  if (twins.length !== 1) return gap('derived-twice');
  if (!isDeepStrictEqual(standsFor, [task]) || wave !== waveInHistory(plan, task)) return gap('derived-for-other');
  const before = history.filter(({ position }) => position < derived.position);
  const granted = grantsBefore(before, since);
  const isWithin = areWithin(plan, stands, inputs.paths, granted);
  if (plan.resolver === undefined || !isWithin || isBoundToSnapshot(stands)) return gap('derived-scope');
  if (!isResolverOf(plan, stands, derived.event)) return gap('derived-scope');
  const { granted: inherited } = inheritedGrants(task, inputs.paths, granted);
  if (!isDeepStrictEqual(derived.event.granted, inherited)) return gap('derived-scope');
  const held = provePair(before, task, inputs);
  if (held === null) return gap('derived-pair');
  const compared = proveCompared(history, by);
  return compared === null ? gap('derived-uncompared') : [derived, ...held, ...compared];
}

/**
 * Tells whether a task is the resolver of the plan for these paths, without any words or claims of its own. A later version that adds a
 * key which is empty by default can still prove what this one made.
 */
function isResolverOf(
  { resolver }: FrozenPlan,
  stands: PlannedTask,
  { task, planned: made, inputs }: Derived,
): boolean {
  const { id, agent, command, model, owns, purpose, repo, directive, role: _, priority: _order, ...rest } = made;
  if (resolver === undefined || directive.text !== '' || directive.file !== null || !isEmpty(rest)) return false;
  const named = { agent: resolver.agent, command: resolver.command, model: resolver.model };
  return isDeepStrictEqual(
    { id, agent, command, model, owns, purpose, repo },
    { id: task, ...named, owns: inputs.paths, purpose: 'resolver', repo: stands.repo },
  );
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isEmpty) : !value;

const isSamePair = (a: RepairInputs, b: RepairInputs): boolean =>
  a.snapshot === b.snapshot && a.onto === b.onto && a.failing === b.failing;

const grantsBefore = (history: History, since: number) =>
  eventsOf(history, 'task-granted')
    .filter(({ position }) => position > since)
    .map(({ event: { task, paths } }) => ({ task, paths }));

/** The hold that the task was made for, and the round that caused it. */
function provePair(history: History, task: TaskId, inputs: RepairInputs): readonly Relied[] | null {
  const held = eventsOf(history, 'task-held').findLast(({ event }) => event.task === task);
  const hold = held?.event.hold;
  if (held === undefined || (hold?.because !== 'conflict' && hold?.because !== 'check')) return null;
  const { snapshot, base, check, ...subject } = inputs;
  const taken = judgedSnapshot(history, task);
  if (!isDeepStrictEqual(hold.repair, subject) || taken?.commit !== snapshot || taken.base !== base) return null;
  if (hold.because === 'conflict' && !areModified(taken, inputs.paths)) return null;
  const built = eventsOf(history, 'candidate-built').findLast(({ position }) => position < held.position);
  if (built === undefined) return null;
  if (hold.because === 'conflict') {
    const met = built.event.conflicts.find((conflict) => conflict.task === task)?.repair;
    return check === undefined && isDeepStrictEqual(met, subject satisfies RepairSubject) ? [built, held] : null;
  }
  const blamed = eventsOf(history, 'culprit-found').findLast(({ position }) => position < held.position);
  const at = built.event.steps.findIndex((step) => step.task === task);
  const onto = built.event.steps[at - 1]?.commit ?? built.event.base;
  const isThis = blamed?.event.task === task && blamed.event.check === check && hold.check === check;
  return isThis && hold.defined === undefined && at >= 0 && onto === inputs.onto ? [built, blamed, held] : null;
}

const judgedSnapshot = (history: History, task: TaskId): SnapshotEvidence | null | undefined =>
  judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task)?.event.evidence.snapshot;

/** The comparison of its newest snapshot, which its gates have read. */
function proveCompared(history: History, task: TaskId): readonly Relied[] | null {
  const monitor = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task);
  const snapshot = lastSnapshot(history, task)?.commit;
  const compared = eventsOf(history, 'sides-compared').findLast(
    ({ event }) => event.task === task && event.snapshot === snapshot,
  );
  if (monitor === undefined || compared === undefined || compared.position > monitor.position) return null;
  const { markers, gone } = compared.event;
  const isRead = isDeepStrictEqual(monitor.event.evidence.sides, { markers, gone });
  const isJudged = monitor.event.verdicts.some(({ gate, outcome }) => gate === 'sides' && outcome === 'pass');
  return isRead && isJudged && passes(monitor.event.verdicts) ? [compared] : null;
}

/**
 * The work of a derived task as it is integrated for another: everything since the work that it was put on, under the paths that both
 * were judged for. Undefined when one of them has no snapshot.
 */
export function repairedSnapshot(history: History, task: TaskId, by: TaskId): SnapshotEvidence | undefined {
  const inputs = derivedIn(history, by)?.event.inputs;
  const [held, made] = [judgedSnapshot(history, task), judgedSnapshot(history, by)];
  if (inputs === undefined || !held || !made) return undefined;
  const repaired = new Set(made.diff.map(({ path }) => path));
  return { ...made, base: inputs.onto, diff: [...held.diff.filter(({ path }) => !repaired.has(path)), ...made.diff] };
}
