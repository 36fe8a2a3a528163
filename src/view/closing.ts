import type { RecordClock } from '../domain/board/kinds.ts';
import { type Barrier, barriersOfRun, openBarriers } from '../domain/closure/barriers.ts';
import { type RoleView, rolesOf } from '../domain/closure/role-state.ts';
import { dependenciesOf, openDebts } from '../domain/dependencies/blocks.ts';
import { otherRun } from '../domain/dependencies/dependency.ts';
import { barrierAdvice } from '../domain/explain/barrier-advice.ts';
import { dependencyAdvice } from '../domain/explain/dependency-advice.ts';
import { describeFinding } from '../domain/explain/explain.ts';
import { needsOf } from '../domain/explain/needs.ts';
import { overridesIn } from '../domain/explain/overrides.ts';
import { waveName } from '../domain/explain/text.ts';
import { relaunchOf } from '../domain/relaunch/relaunch.ts';
import { currentWave, type RunState, tasksOfWave, type WaveState } from '../domain/run/run.ts';
import { isSettled } from '../domain/run/task.ts';
import type { Span, Text } from '../ports/terminal.ts';
import { overdueIn } from './board-lines.ts';
import { landingNoteLines } from './role-text.ts';
import { needSince, type RunView } from './run-view.ts';
import { age, taskWords } from './task-view.ts';

/** One thing that has to happen before a wave closes. */
export type ClosingAction = {
  /** The id of the barrier, the task, or the kind of the need. */
  readonly id: string;
  readonly kind: string;
  /** A running task or closure role, a run, or `person`. */
  readonly owner: string;
  readonly message: string;
  readonly since: string | null;
  /** Set for a record whose clock has run out. */
  readonly overdue?: { readonly clock: RecordClock; readonly since: string };
  readonly command: string;
  /** The code that Wave Orchestration has for the same gap; absent when there is none. */
  readonly code?: string;
};

/** Returns the least set of actions that would close the wave, in the order in which they are to be taken. */
export function closingActions(view: RunView): readonly ClosingAction[] {
  const { state } = view;
  const wave = currentWave(state);
  const barriers = barriersOfRun(state);
  const codes = new Map(barriers.map((barrier) => [barrier.id, codeIn(barrier)]));
  const ofRecords = new Map(barriers.map(({ record, id }) => [record, id]));
  const needs = needsOf(state).map((need): ClosingAction => {
    const { kind, task, record, barrier, message, command } = need;
    const id = barrier ?? (record === undefined ? (task ?? kind) : (ofRecords.get(record) ?? `question-${record}`));
    const owner = kind === 'requires' ? ownerOf(state, id) : 'person';
    const overdue = overdueIn(state, record, view.now);
    return { id, kind, owner, message, since: needSince(view, need), ...overdue, command, ...codes.get(id) };
  });
  if (state.ended !== null) return needs;
  const named = new Set(needs.map(({ id }) => id));
  const ofWave = wave === undefined ? [] : [...taskActions(view, wave), ...barrierActions(view, wave)];
  const later = [...ofWave, ...debtActions(view)];
  return [...needs, ...later.filter(({ id }) => !named.has(id))];
}

/** Tasks of the wave that work by themselves. */
const taskActions = ({ state, times }: RunView, { index }: WaveState): readonly ClosingAction[] =>
  tasksOfWave(state, index)
    .filter((task) => !isSettled(task))
    .map((task) => {
      const { word, detail } = taskWords(state, task);
      const message = detail === '' ? word : `${word} ${detail}`;
      const since = times.tasks[task.id] ?? null;
      return {
        id: task.id,
        kind: 'task',
        owner: task.id,
        message,
        since,
        command: `tidegate why ${state.run}/${task.id}`,
      };
    });

/** The run that a dependency waits for. */
const ownerOf = (state: RunState, id: string): string => {
  const dependency = dependenciesOf(state).find((one) => one.id === id);
  return (dependency === undefined ? null : otherRun(dependency)) ?? 'person';
};

/** Dependencies of other runs on this one. The run itself owes them. */
const debtActions = ({ state }: RunView): readonly ClosingAction[] =>
  openDebts(state).map((debt) => {
    const { message } = dependencyAdvice(state, debt);
    const command = `tidegate watch ${state.run}`;
    return { id: debt.id, kind: 'dependency', owner: state.run, message, since: null, command };
  });

/** Returns the open barriers of a wave with their owners, ages and commands. */
const barrierActions = (view: RunView, wave: WaveState): readonly ClosingAction[] =>
  openBarriers(view.state, wave).map((barrier) => {
    const { message, command } = barrierAdvice(view.state, barrier);
    return {
      id: barrier.id,
      kind: barrier.kind,
      owner: barrier.owner,
      message,
      since: barrierSince(view, barrier),
      ...overdueIn(view.state, barrier.record, view.now),
      command,
      ...codeIn(barrier),
    };
  });

const codeIn = ({ because }: Barrier): Pick<ClosingAction, 'code'> =>
  'code' in because && typeof because.code === 'string' ? { code: because.code } : {};

/** Null for a role that has not been started yet. */
function barrierSince({ times }: RunView, { record, task }: Barrier): string | null {
  if (record !== undefined) return times.records[record] ?? null;
  return task === undefined ? null : (times.tasks[task] ?? null);
}

/** Everything that is launched next, for programs. */
export const relaunchDocument = (state: RunState) =>
  relaunchOf(state).map(({ task, reason }) => ({ task, rule: reason.rule, reason: describeFinding(reason) }));

/** Shows what is launched next, in order; nothing when a person has to act first. */
function launchLines(state: RunState): readonly Text[] {
  const next = relaunchDocument(state);
  return next.length === 0 ? [] : ['next to start:', ...next.map(({ task, reason }) => `     ${task}: ${reason}`)];
}

/** Shows every action on a line, with its command below, and then what is launched next. */
export function closingLines(view: RunView): readonly Text[] {
  const { state, now } = view;
  const wave = currentWave(state);
  const all = closingActions(view);
  const later = all.filter(isLater);
  const actions = all.filter((action) => !isLater(action));
  if (all.length === 0)
    return [`${state.run} needs nothing${wave === undefined ? '' : ' more to close the wave'}.`, ...launchLines(state)];
  const title =
    wave === undefined ? state.run : `${state.run}, ${waveName(wave.index, state.plan.waves[wave.index]?.name)}`;
  return [
    [{ text: title, tone: 'strong' }, `: ${actions.length === 1 ? '1 thing is' : `${actions.length} things are`} open`],
    ...actions.flatMap((action, at) => actionLines(action, at + 1, now)),
    ...(actions.some(({ kind }) => kind === 'land') ? landingNoteLines(state) : []),
    ...(later.length === 0 ? [] : [`     after that, without you: ${later.map(({ id }) => id).join(', ')}`]),
    ...launchLines(state),
  ];
}

/** A closure role that starts by itself when the things before it are done. */
const isLater = ({ kind, owner, since }: ClosingAction): boolean =>
  kind === 'report' && owner !== 'person' && since === null;

function actionLines(action: ClosingAction, at: number, now: string): readonly Text[] {
  const { id, owner, message, since, overdue, command } = action;
  const elapsed = age(since, now);
  const late = overdue === undefined ? '' : `, overdue for ${age(overdue.since, now)}`;
  const mark: Span = owner === 'person' ? { text: 'you', tone: 'waiting' } : { text: owner, tone: 'dim' };
  return [
    [` ${String(at).padStart(2)}  ${id}: ${message}`],
    ['     owner: ', mark, elapsed === '' ? '' : `, open for ${elapsed}`, late],
    `     ${command}`,
  ];
}

/** The closure roles and barriers of a wave for programs. Absent for a wave without closure roles. */
export function closureDocument(view: RunView, wave: WaveState) {
  const roles = rolesOf(view.state, wave);
  const barriers = barrierActions(view, wave);
  const overrides = overridesIn(view.state, wave).map(({ wave: _, ...override }) => override);
  return {
    ...(roles.length === 0 ? {} : { closure: roles.map(roleDocument) }),
    ...(roles.length + barriers.length === 0 ? {} : { barriers }),
    ...(overrides.length === 0 ? {} : { overrides }),
  };
}

const roleDocument = ({ role, task, state, word, tree, findings }: RoleView) => ({
  role,
  task,
  state,
  word,
  tree,
  findings,
});
