import { type Barrier, openBarriers } from '../domain/closure/barriers.ts';
import { type RoleView, rolesOf } from '../domain/closure/role-state.ts';
import { barrierAdvice } from '../domain/explain/barrier-advice.ts';
import { describeFinding } from '../domain/explain/explain.ts';
import { needsOf } from '../domain/explain/needs.ts';
import { waveName } from '../domain/explain/text.ts';
import { relaunchOf } from '../domain/relaunch/relaunch.ts';
import { currentWave, type RunState, tasksOfWave, type WaveState } from '../domain/run/run.ts';
import { isSettled } from '../domain/run/task.ts';
import type { Span, Text } from '../ports/terminal.ts';
import { needSince, type RunView } from './run-view.ts';
import { age, taskWords } from './task-view.ts';

/** One thing that has to happen before a wave closes. */
export type ClosingAction = {
  /** The id of the barrier, the task, or the kind of the need. */
  readonly id: string;
  readonly kind: string;
  /** A running task or closure role, or `person`. */
  readonly owner: string;
  readonly message: string;
  readonly since: string | null;
  readonly command: string;
};

/** Returns the least set of actions that would close the wave, in the order in which they are to be taken. */
export function closingActions(view: RunView): readonly ClosingAction[] {
  const { state } = view;
  const wave = currentWave(state);
  const needs = needsOf(state).map((need): ClosingAction => {
    const { kind, task, record, barrier, message, command } = need;
    const id = barrier ?? (record === undefined ? (task ?? kind) : `question-${record}`);
    return { id, kind, owner: 'person', message, since: needSince(view, need), command };
  });
  if (wave === undefined || state.ended !== null) return needs;
  const named = new Set(needs.map(({ id }) => id));
  const later = [...taskActions(view, wave), ...barrierActions(view, wave)];
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
      command,
    };
  });

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
  const actions = closingActions(view);
  if (actions.length === 0)
    return [`${state.run} needs nothing${wave === undefined ? '' : ' more to close the wave'}.`, ...launchLines(state)];
  const title =
    wave === undefined ? state.run : `${state.run}, ${waveName(wave.index, state.plan.waves[wave.index]?.name)}`;
  return [
    [{ text: title, tone: 'strong' }, `: ${actions.length === 1 ? '1 thing is' : `${actions.length} things are`} open`],
    ...actions.flatMap((action, at) => actionLines(action, at + 1, now)),
    ...launchLines(state),
  ];
}

function actionLines({ id, owner, message, since, command }: ClosingAction, at: number, now: string): readonly Text[] {
  const elapsed = age(since, now);
  const mark: Span = owner === 'person' ? { text: 'you', tone: 'waiting' } : { text: owner, tone: 'dim' };
  return [
    [` ${String(at).padStart(2)}  ${id}: ${message}`],
    ['     owner: ', mark, elapsed === '' ? '' : `, open for ${elapsed}`],
    `     ${command}`,
  ];
}

/** The closure roles and barriers of a wave for programs. Absent for a wave without closure roles. */
export function closureDocument(view: RunView, wave: WaveState) {
  const roles = rolesOf(view.state, wave);
  const barriers = wave.closed ? [] : barrierActions(view, wave);
  return {
    ...(roles.length === 0 ? {} : { closure: roles.map(roleDocument) }),
    ...(roles.length + barriers.length === 0 ? {} : { barriers }),
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
