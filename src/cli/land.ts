import { ask, askOnce, outcomeOf } from './ask-coordinator.ts';
import type { Context, Outcome, Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';
import { inForeground } from './foreground.ts';
import { peopleOnly } from './people-only.ts';
import { runNamed, wholeRunNamed } from './subject.ts';

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
  const { run } = found.value;
  const refused = peopleOnly(desk, `tidegate land ${run}`);
  if (refused !== null) return refused;
  const answered = await ask(desk, found.value, { type: 'requested-land', by: desk.caller.by });
  if (answered.outcome !== 'accepted') return outcomeOf(run, answered, '');
  return await inForeground(desk, context, run, { yes: false, land: false, warnings: [], fromStart: false });
}

/** `tidegate undo [run[/task]]`: takes a landing back, exactly where nothing came after it. */
export const undo =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command.argument('[subject]', 'run or run/task; without it the live or the newest run').action(
      does((given: string | undefined) =>
        atDesk(open, context, 'ask', async (desk) => {
          const found = await runNamed(desk, 'undo', given, 'newest');
          if (!found.ok) return found.error;
          const { run, task } = found.value;
          const subject = task === null ? run : `${run}/${task}`;
          const refused = peopleOnly(desk, `tidegate undo ${subject}`);
          if (refused !== null) return refused;
          return await askOnce(
            desk,
            found.value,
            { type: 'requested-undo', task, by: desk.caller.by },
            `Undone: ${subject}.`,
          );
        }),
      ),
    );
  };
