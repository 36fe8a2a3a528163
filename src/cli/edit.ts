import { describeRefusal } from '../domain/explain/explain.ts';
import type { TaskId } from '../domain/ids.ts';
import { unfitToEdit } from '../domain/take-work.ts';
import { snapshotOf } from '../domain/task.ts';
import { actions } from '../engine/actions/actions.ts';
import { performAction } from '../engine/actions/perform.ts';
import type { Desk } from '../ports/desk.ts';
import { outcomeOfAction, refusedToAgent } from './act.ts';
import { type Context, done, exitCodes, misused, type Outcome } from './command.ts';
import type { Program } from './definition.ts';
import { atDesk, failed } from './desk.ts';
import type { EditCopy, EditPrograms } from './ports.ts';
import { type MadeRun, taskNamed } from './subject.ts';
import { partName, wordings } from './wording.ts';

/** `tidegate edit <run/task>`: a person changes a snapshot by hand, and what they leave is taken as the next one. */
export const editTask = ({ task }: { readonly task: string }, context: Context, { ports }: Program): Promise<Outcome> =>
  atDesk(ports.openDesk, context, 'ask', async (desk) => edit(desk, context, task, await ports.editPrograms()));

type Subject = MadeRun & { readonly task: TaskId };

async function edit(desk: Desk, context: Context, given: string, programs: EditPrograms): Promise<Outcome> {
  const found = await taskNamed(desk, 'edit', given);
  if (!found.ok) return found.error;
  const { state, task } = found.value;
  const name = partName(found.value);
  const refused = refusedToAgent(desk, 'edit', `edit ${name}`);
  if (refused !== null) return refused;
  const one = state.tasks[task];
  const snapshot = one === undefined ? null : snapshotOf(one);
  if (one === undefined || snapshot === null)
    return failed('nothing-there', `edit: ${name} has no snapshot; see tidegate why ${name}`);
  const { commit: from, base } = snapshot;
  const unfit = unfitToEdit(one, from);
  if (unfit !== null) return failed('refused', `edit: ${describeRefusal(unfit)}; see tidegate why ${name}`);

  const copy = await programs.copy(desk, context, { commit: from, base });
  context.terminal.problem(`tidegate: ${copy.path}: a copy of the snapshot ${from.slice(0, 8)} of ${name}`);
  const edited = await waitForPerson(context, copy, programs);
  if (edited !== 'edited') return givenUp(edited, copy, programs);
  return await take(desk, found.value, { copy, programs, from });
}

type Waited = 'edited' | 'given-up' | 'no-editor';

/** Resolves when the person is through: their editor has ended, or they say so where it has a window of its own. */
async function waitForPerson(context: Context, { path }: EditCopy, programs: EditPrograms): Promise<Waited> {
  const opened = await programs.editor(context, path);
  if (opened === 'closed') return 'edited';
  if (opened === 'failed') return 'given-up';
  if (!context.terminal.interactive) return 'no-editor';
  using _ = context.onSignal(() => undefined);
  const said = await context.terminal.ask(
    'Change what you like there, save it, then press enter. Ctrl-C takes nothing.',
  );
  return said === null ? 'given-up' : 'edited';
}

function givenUp(waited: Exclude<Waited, 'edited'>, copy: EditCopy, programs: EditPrograms): Outcome {
  if (waited === 'no-editor') {
    programs.remove(copy);
    return misused('no-editor', 'edit: set VISUAL or EDITOR to a program that lives in the terminal, or use one');
  }
  return {
    exit: exitCodes.interrupted,
    reason: 'given-up',
    problems: [`tidegate: nothing was taken. The copy is still in ${copy.path}; remove it when you do not need it`],
    data: { path: copy.path },
  };
}

async function take(
  desk: Desk,
  subject: Subject,
  of: { readonly copy: EditCopy; readonly programs: EditPrograms; readonly from: Subject['state']['target']['commit'] },
): Promise<Outcome> {
  const { copy, programs, from } = of;
  const input = { from, copy: copy.name };
  const performed = await performAction(desk, { action: actions.edit, subject, input });
  if (performed.outcome === 'refused' && performed.because.rule === 'edit-unchanged') {
    programs.remove(copy);
    return { ...done(['You changed nothing, so nothing was taken.'], { run: subject.run }), reason: 'unchanged' };
  }
  const said = await wordings.edit.accepted(subject, input, desk);
  const outcome = outcomeOfAction(desk, { action: 'edit', subject, input }, performed, said);
  if (performed.outcome === 'accepted') {
    programs.remove(copy);
    return outcome;
  }
  return { ...outcome, problems: [...(outcome.problems ?? []), `tidegate: your changes are kept in ${copy.path}`] };
}
