import { chooseTasks, hasWhollyLanded, type WithoutTasks } from '../../../domain/landing/land-some.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { landingNoteLines } from '../../../view/role-text.ts';
import { inForeground } from '../../follow/foreground.ts';
import { actOn } from '../../frame/act.ts';
import { aRun, command, exitCodes } from '../../frame/command.ts';
import { resolveWholeRun } from '../../frame/subject.ts';

export const landCommand = command({
  name: 'land',
  group: 'decide',
  summary: 'move your branch to the proven work of a run, or to part of it',
  arguments: {
    run: { ...aRun, about: 'a run, or the first letters of its name (default: the live or newest run)' },
  },
  options: {
    only: { value: 'tasks', about: 'land only these tasks (comma-separated); the result is checked first' },
    except: { value: 'tasks', about: 'leave out these tasks and those that need them; land them later' },
  },
  changes: async ({ run: typed, only, except }, repo, context) => {
    const subject = await resolveWholeRun(repo, 'land', typed, 'newest');
    if (!subject.ok) return subject.error;
    const { run, state } = subject.value;
    const input = { only: listOf(only), except: listOf(except) };
    if (!context.json) for (const line of landingNoteLines(state)) context.terminal.line(line);
    const outcome = await actOn(repo, { action: 'land', subject: subject.value, input });
    if (outcome.exit !== exitCodes.done || hasWhollyLanded(state)) return outcome;
    for (const { task, needs } of alsoLeftOut(state, input.except))
      if (!context.json) context.terminal.line(`${task} is left out too: it needs ${needs}.`);
    const options = { yes: false, land: false, warnings: [], fromStart: false, isBrief: true };
    return await inForeground(repo, context, run, options);
  },
});

const listOf = (names: string | undefined): readonly string[] | undefined =>
  names?.split(',').map((name) => name.trim());

function alsoLeftOut(state: RunState, except: readonly string[] | undefined): WithoutTasks['also'] {
  const choice = chooseTasks(state, null, except ?? null);
  return choice.ok ? (choice.value?.also ?? []) : [];
}
