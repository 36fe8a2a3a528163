import type { LedgerEvent } from '../domain/events.ts';
import { isUndone } from '../domain/undo.ts';
import { askOnce } from './ask-coordinator.ts';
import { type Context, done, exitCodes, type Outcome, type Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';
import { followRun } from './follow.ts';
import { inForeground } from './foreground.ts';
import { peopleOnly } from './people-only.ts';
import { eventLine } from './render/event-line.ts';
import { type MadeRun, runNamed, wholeRunNamed } from './subject.ts';

/** `tidegate land [run]`: moves the person's branch to what the run has proven, and waits until it is there. */
export const land =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live or the newest one')
      .action(
        does((given: string | undefined) => atDesk(open, context, 'ask', (desk) => landNow(desk, context, given))),
      );
  };

async function landNow(desk: Desk, context: Context, given: string | undefined): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'land', given, 'newest');
  if (!found.ok) return found.error;
  const asked = await askToLand(desk, found.value);
  if (asked.exit !== exitCodes.done) return asked;
  const how = { yes: false, land: false, warnings: [], fromStart: false, isBrief: true };
  return await inForeground(desk, context, found.value.run, how);
}

export async function askToLand(desk: Desk, subject: MadeRun): Promise<Outcome> {
  const { run } = subject;
  const refused = peopleOnly(desk, `tidegate land ${run}`);
  if (refused !== null) return refused;
  const request = { type: 'requested-land', by: desk.caller.by } as const;
  return await askOnce(desk, subject, request, `Landing ${run}.`);
}

/** `tidegate undo [run[/task]]`: takes a landing back, exactly where nothing came after it; else by checked reverts. */
export const undo =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[subject]', 'run or run/task; without it the live or the newest run')
      .action(
        does((given: string | undefined) => atDesk(open, context, 'ask', (desk) => takeBack(desk, context, given))),
      );
  };

async function takeBack(desk: Desk, context: Context, given: string | undefined): Promise<Outcome> {
  const found = await runNamed(desk, 'undo', given, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const subject = task === null ? run : `${run}/${task}`;
  const refused = peopleOnly(desk, `tidegate undo ${subject}`);
  if (refused !== null) return refused;
  if (isUndone(state, task)) return { ...done([`Already undone: ${subject}.`], { run }), reason: 'already-undone' };
  await using _following = await followRun(desk, run, ({ event }, isNew) => {
    const line = isNew && isOnTheWay(event) ? eventLine(event) : null;
    if (line !== null && !context.json) context.terminal.line(line);
  });
  return await askOnce(desk, found.value, { type: 'requested-undo', task, by: desk.caller.by }, `Undone: ${subject}.`);
}

/** What is waited for; how it ends is the command's own last line. */
const isOnTheWay = (event: LedgerEvent): boolean =>
  event.type === 'undo-prepared' || (event.type === 'check-ended' && event.purpose === 'undo');
