import { parsePattern } from '../domain/pattern.ts';
import { safeLine } from '../domain/safe-text.ts';
import { askOnce } from './ask-coordinator.ts';
import { misused, type Outcome, type Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';
import { peopleOnly } from './people-only.ts';
import { type MadeTask, taskNamed } from './subject.ts';

/** Ways to bring on a task that is held, failed or unwanted. */

/** `tidegate grant <run/task> <path…>`: the task may change these too; its snapshot is judged again. */
export const grant =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('<task>', 'run/task, or a task of the live run')
      .argument('<path...>', 'paths or patterns inside the repository')
      .action(
        does((given: string, paths: readonly string[]) =>
          atDesk(open, context, 'ask', (desk) =>
            withTask(desk, 'grant', given, paths, ({ run, task }, by) => ({
              request: { type: 'requested-grant', task, paths, by },
              said: `Granted ${paths.join(' ')} to ${run}/${task}; its snapshot is judged again.`,
            })),
          ),
        ),
      );
  };

/** `tidegate drop <run/task> [path…]`: gives the task up by name, or takes changes to paths out of its snapshot. */
export const drop =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('<task>', 'run/task, or a task of the live run')
      .argument('[path...]', 'only these changes, out of a held snapshot')
      .action(
        does((given: string, paths: readonly string[]) =>
          atDesk(open, context, 'ask', (desk) =>
            withTask(desk, 'drop', given, paths, ({ run, task }, by) => ({
              request: { type: 'requested-drop', task, paths, by },
              said:
                paths.length === 0
                  ? `Dropped ${run}/${task}. Its work is kept: tidegate rescue ${run}/${task}`
                  : `Taken out of ${run}/${task}: ${paths.join(' ')}; what is left is judged again.`,
            })),
          ),
        ),
      );
  };

/** `tidegate retry <run/task>`: begins again from the base. */
export const retry =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command.argument('<task>', 'run/task, or a task of the live run').action(
      does((given: string) =>
        atDesk(open, context, 'ask', (desk) =>
          withTask(desk, 'retry', given, [], ({ run, task }, by) => ({
            request: { type: 'requested-retry', task, by },
            said: `${run}/${task} begins again from its base.`,
          })),
        ),
      ),
    );
  };

/** `tidegate rework <run/task> -m <text>`: another attempt on top of what is there, told what to mend. */
export const rework =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('<task>', 'run/task, or a task of the live run')
      .requiredOption('-m, --message <text>', 'what the agent is to mend')
      .action(
        does((given: string, { message }: { message: string }) => {
          if (message.trim() === '') return misused('no-message', 'rework: the message is empty; say what to mend');
          return atDesk(open, context, 'ask', (desk) =>
            withTask(desk, 'rework', given, [], ({ run, task }, by) => ({
              request: { type: 'requested-rework', task, message, by },
              said: `${run}/${task} goes on from its snapshot: ${safeLine(message)}`,
            })),
          );
        }),
      );
  };

type Making = (
  subject: MadeTask,
  by: Desk['caller']['by'],
) => {
  readonly request: Parameters<typeof askOnce>[2];
  readonly said: string;
};

async function withTask(
  desk: Desk,
  name: 'grant' | 'drop' | 'retry' | 'rework',
  given: string,
  paths: readonly string[],
  make: Making,
): Promise<Outcome> {
  for (const path of paths) {
    const parsed = parsePattern(path);
    if (!parsed.ok) return misused('bad-path', `${name}: ${JSON.stringify(path)}: ${parsed.error.detail}`);
  }
  const found = await taskNamed(desk, name, given);
  if (!found.ok) return found.error;
  const { run, task } = found.value;
  if (name === 'grant' || name === 'drop') {
    const refused = peopleOnly(desk, ['tidegate', name, `${run}/${task}`, ...paths].join(' '));
    if (refused !== null) return refused;
  }
  const { request, said } = make(found.value, desk.caller.by);
  return await askOnce(desk, found.value, request, said);
}
