import { inLineBehind } from './ask-coordinator.ts';
import { done, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
import { whyRun, whyTask } from './render/why.ts';
import { viewOf } from './status.ts';
import { runNamed } from './subject.ts';

/** `tidegate why [run[/task]]`: one sentence, the one fact in the way, the next command. */
export const why =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command.argument('[subject]', 'run or run/task; without it the live run').action(
      does((given: string | undefined) =>
        atDesk(open, context, 'look', async (desk) => {
          const found = await runNamed(desk, 'why', given, 'newest');
          if (!found.ok) return found.error;
          const view = viewOf(desk, found.value);
          if (view === null) throw new Error('a made run has a view');
          const { run, task } = found.value;
          const behind = await inLineBehind(desk, run);
          const { sentence, command } = task === null ? whyRun(view, behind) : whyTask(view, task, behind);
          return done([sentence, ...(command === null ? [] : [`  ${command}`])], { run, task, sentence, command });
        }),
      ),
    );
  };
