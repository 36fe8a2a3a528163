import type { TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { type RelaunchPhase, relaunchPhases } from '../../domain/relaunch/phases.ts';
import { type Action, forPeople, type Misuse, type Subjects } from './action.ts';

type RelaunchInput = {
  readonly only?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly clear?: readonly string[] | undefined;
};

/** Selects tasks and closure roles of the open wave that run again. Names that the run does not have are refused before anything is asked. */
export const relaunchAction: Action<'run', RelaunchInput> = {
  name: 'relaunch',
  ...forPeople,
  on: 'run',
  request: (subject, { only, from, clear }, by) => {
    const chosen = namesOf(subject, 'only', only);
    const cleared = namesOf(subject, 'clear', clear);
    if (!chosen.ok) return chosen;
    if (!cleared.ok) return cleared;
    if (from !== undefined && !isPhase(from))
      return err({ reason: 'bad-phase', because: { rule: 'relaunch-phase', phases: relaunchPhases }, field: 'from' });
    if (chosen.value.length + cleared.value.length === 0 && from === undefined)
      return err({ reason: 'nothing-chosen', because: { rule: 'relaunch-empty' }, field: 'only' });
    return ok({
      type: 'requested-relaunch',
      ...(chosen.value.length === 0 ? {} : { only: chosen.value }),
      ...(from === undefined ? {} : { from }),
      ...(cleared.value.length === 0 ? {} : { clear: cleared.value }),
      by,
    });
  },
};

const isPhase = (word: string): word is RelaunchPhase => relaunchPhases.some((phase) => phase === word);

/** The tasks of these names, each once. */
function namesOf(
  { run, state }: Subjects['run'],
  field: 'only' | 'clear',
  names: readonly string[] = [],
): Result<readonly TaskId[], Misuse> {
  const found: TaskId[] = [];
  for (const [at, name] of names.entries()) {
    const task = Object.values(state.tasks).find(({ id }) => id === name);
    if (task === undefined) {
      const because = { rule: 'no-such-task', run, task: name, known: Object.keys(state.tasks) } as const;
      return err({ reason: 'no-such-task', because, field: `${field}[${at}]` });
    }
    if (!found.includes(task.id)) found.push(task.id);
  }
  return ok(found);
}
