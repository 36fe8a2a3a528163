import type { LedgerEvent } from '../domain/events.ts';
import { explain } from '../domain/explain/explain.ts';
import type { TaskId } from '../domain/ids.ts';
import { chooseTasks, hasWhollyLanded, type WithoutTasks } from '../domain/land-some.ts';
import { err, type Result } from '../domain/result.ts';
import type { RunState } from '../domain/run.ts';
import { isUndone } from '../domain/undo.ts';
import type { Desk } from '../ports/desk.ts';
import { eventLine } from '../view/event-line.ts';
import { askOnce } from './ask-coordinator.ts';
import { type Context, done, exitCodes, misused, type Outcome, type Register } from './command.ts';
import { atDesk, failed, type OpenDesk } from './desk.ts';
import { followRun } from './follow.ts';
import { inForeground } from './foreground.ts';
import { peopleOnly } from './people-only.ts';
import { previewUndo } from './preview-undo.ts';
import { type MadeRun, runNamed, wholeRunNamed } from './subject.ts';

/** `tidegate land [run]`: moves the person's branch to what the run has proven, or to some of it, and waits until it is there. */
export const land =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live or the newest one')
      .option('--only <tasks>', 'only these, with commas between; what they make alone is checked first')
      .option('--except <tasks>', 'all but these, and what needs them; they can be landed later')
      .action(
        does((given: string | undefined, options: Choice) =>
          atDesk(open, context, 'ask', (desk) => landNow(desk, context, given, options)),
        ),
      );
  };

type Choice = { readonly only?: string; readonly except?: string };

async function landNow(desk: Desk, context: Context, given: string | undefined, choice: Choice): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'land', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state } = found.value;
  const chosen = chosenBy(state, choice);
  if (!chosen.ok) return misused('bad-choice', `land: ${chosen.error}`);
  const asked = await askToLand(desk, found.value, chosen.value?.tasks);
  if (asked.exit !== exitCodes.done || hasWhollyLanded(state)) return asked;
  for (const { task, needs } of chosen.value?.also ?? [])
    if (!context.json) context.terminal.line(`${task} is left out too: it needs ${needs}.`);
  const how = { yes: false, land: false, warnings: [], fromStart: false, isBrief: true };
  return await inForeground(desk, context, run, how);
}

/** Without tasks: all that is left to land. */
export async function askToLand(desk: Desk, subject: MadeRun, tasks?: readonly TaskId[]): Promise<Outcome> {
  const { run } = subject;
  const refused = peopleOnly(desk, `tidegate land ${run}`);
  if (refused !== null) return refused;
  if (hasWhollyLanded(subject.state))
    return { ...done([`Already landed: ${run}.`], { run }), reason: 'already-landed' };
  const chosen = tasks === undefined ? {} : { tasks };
  const request = { type: 'requested-land', ...chosen, by: desk.caller.by } as const;
  return await askOnce(desk, subject, request, `Landing ${run}.`);
}

/** Null: no choice, all of it. */
function chosenBy(state: RunState, { only, except }: Choice): Result<WithoutTasks | null, string> {
  if (only !== undefined && except !== undefined) return err('--only or --except, not both');
  const list = (names: string) => names.split(',').map((name) => name.trim());
  const chosen = chooseTasks(state, only === undefined ? null : list(only), except === undefined ? null : list(except));
  return chosen.ok ? chosen : err(explain(chosen.error).detail);
}

/** `tidegate undo [run[/task]]`: takes a landing back, exactly where nothing came after it; else by checked reverts. */
export const undo =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[subject]', 'run or run/task; without it the live or the newest run')
      .option('--dry-run', 'show what it would do, and do nothing')
      .option('--yes', 'do not ask first, on a terminal')
      .action(
        does((given: string | undefined, options: UndoOptions) =>
          atDesk(open, context, options.dryRun ? 'look' : 'ask', (desk) => takeBack(desk, context, given, options)),
        ),
      );
  };

type UndoOptions = { readonly dryRun?: true; readonly yes?: true };

async function takeBack(
  desk: Desk,
  context: Context,
  given: string | undefined,
  options: UndoOptions,
): Promise<Outcome> {
  const found = await runNamed(desk, 'undo', given, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const subject = task === null ? run : `${run}/${task}`;
  const refused = options.dryRun ? null : peopleOnly(desk, `tidegate undo ${subject}`);
  if (refused !== null) return refused;
  if (isUndone(state, task)) return { ...done([`Already undone: ${subject}.`], { run }), reason: 'already-undone' };
  const asks = context.terminal.interactive && !context.json && options.yes !== true;
  if (options.dryRun || asks) {
    const preview = await previewUndo(desk, found.value);
    if (!preview.ok) return failed('nothing-to-undo', `undo: ${preview.error}`);
    const { lines, data } = preview.value;
    if (options.dryRun) return done([...lines, `Nothing was done. To do it: tidegate undo ${subject}`], data);
    for (const line of lines) context.terminal.line(line);
    const said = (await context.terminal.ask(`Undo ${subject}? [y/N]`))?.trim().toLowerCase();
    if (said !== 'y' && said !== 'yes')
      return { exit: exitCodes.personNeeded, reason: 'not-confirmed', lines: ['Nothing was done.'], data };
  }
  await using _following = await followRun(desk, run, ({ event }, isNew) => {
    const line = isNew && isOnTheWay(event) ? eventLine(event) : null;
    if (line !== null && !context.json) context.terminal.line(line);
  });
  return await askOnce(desk, found.value, { type: 'requested-undo', task, by: desk.caller.by }, `Undone: ${subject}.`);
}

/** What is waited for; how it ends is the command's own last line. */
const isOnTheWay = (event: LedgerEvent): boolean =>
  event.type === 'undo-prepared' || (event.type === 'check-ended' && event.purpose === 'undo');
