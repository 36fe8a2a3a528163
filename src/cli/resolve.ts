import { patternFaultText } from '../domain/explain/faults.ts';
import { parsePattern } from '../domain/pattern.ts';
import { ok, type Result } from '../domain/result.ts';
import { safeLine } from '../domain/safe-text.ts';
import { isLive } from '../domain/schedule.ts';
import { shellPath } from '../domain/shell-word.ts';
import type { TaskState } from '../domain/task.ts';
import type { Desk } from '../ports/desk.ts';
import { askOnce } from './ask-coordinator.ts';
import { type Context, misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
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
          atDesk(open, context, 'ask', (desk) => grantPaths(desk, given, paths)),
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
          atDesk(open, context, 'ask', (desk) => dropTask(desk, given, paths)),
        ),
      );
  };

/** `tidegate retry <run/task>`: begins again from the base; with another agent, a task that only waits keeps what it has. */
export const retry =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('<task>', 'run/task, or a task of the live run')
      .option('--agent <name>', 'let this agent do it from now on')
      .action(
        does((given: string, { agent }: { agent?: string }) =>
          atDesk(open, context, 'ask', (desk) =>
            withTask(desk, agent === undefined ? 'retry' : 'switch', given, [], ({ run, task, state }, by) => ({
              request: { type: 'requested-retry', task, ...(agent === undefined ? {} : { agent }), by },
              said: retrySaid(`${run}/${task}`, agent, state.tasks[task]?.progress.status === 'waiting'),
            })),
          ),
        ),
      );
  };

/** What a person wrote in a file, or on standard input (`-`). */
export type ReadComments = (context: Context, file: string) => Promise<Result<string, string>>;

/** `tidegate rework <run/task> -m <text> -f <file>`: another attempt on top of what is there, told what to mend. */
export const rework =
  (open: OpenDesk, read: ReadComments): Register =>
  (command, does, context) => {
    command
      .argument('<task>', 'run/task, or a task of the live run')
      .option('-m, --message <text>', 'what the agent is to mend; each one more is a paragraph', collect)
      .option('-f, --file <file>', 'the same from a file, or - for standard input')
      .action(
        does(async (given: string, options: { message?: readonly string[]; file?: string }) => {
          const comments = options.file === undefined ? ok('') : await read(context, options.file);
          if (!comments.ok) return misused('bad-file', `rework: ${comments.error}`);
          const parts = [...(options.message ?? []), comments.value].map((part) => part.trim());
          const message = parts.filter((part) => part !== '').join('\n\n');
          if (message === '') return misused('no-message', 'rework: say what to mend, by -m or -f');
          return atDesk(open, context, 'ask', (desk) => reworkTask(desk, given, message));
        }),
      );
  };

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const grantPaths = (desk: Desk, given: string, paths: readonly string[]): Promise<Outcome> =>
  withTask(desk, 'grant', given, paths, ({ run, task, state }, by) => ({
    request: { type: 'requested-grant', task, paths, by },
    said: `Granted ${paths.join(' ')} to ${run}/${task}; ${grantSaid(state.tasks[task])}`,
  }));

export const dropTask = (desk: Desk, given: string, paths: readonly string[]): Promise<Outcome> =>
  withTask(desk, 'drop', given, paths, ({ run, task }, by) => ({
    request: { type: 'requested-drop', task, paths, by },
    said:
      paths.length === 0
        ? `Dropped ${run}/${task}. Its work is kept: tidegate rescue ${run}/${task}`
        : `Taken out of ${run}/${task}: ${paths.join(' ')}; what is left is judged again.`,
  }));

export const reworkTask = (desk: Desk, given: string, message: string): Promise<Outcome> =>
  withTask(desk, 'rework', given, [], ({ run, task }, by) => ({
    request: { type: 'requested-rework', task, message, by },
    said: `${run}/${task} goes on from its snapshot: ${cut(safeLine(message))}`,
  }));

const cut = (line: string): string => (line.length <= 200 ? line : `${line.slice(0, 199)}…`);

const grantSaid = (task: TaskState | undefined): string =>
  task !== undefined && isLive(task) ? 'its agent may change them from now on.' : 'its snapshot is judged again.';

function retrySaid(subject: string, agent: string | undefined, waits: boolean): string {
  const by = agent === undefined ? '' : `, by ${agent}`;
  return waits && agent !== undefined ? `${subject} goes on${by}.` : `${subject} begins again from its base${by}.`;
}

type Making = (
  subject: MadeTask,
  by: Desk['caller']['by'],
) => {
  readonly request: Parameters<typeof askOnce>[2];
  readonly said: string;
};

async function withTask(
  desk: Desk,
  name: 'grant' | 'drop' | 'retry' | 'switch' | 'rework',
  given: string,
  paths: readonly string[],
  make: Making,
): Promise<Outcome> {
  for (const path of paths) {
    const parsed = parsePattern(path);
    if (!parsed.ok) return misused('bad-path', `${name}: ${JSON.stringify(path)}: ${patternFaultText(parsed.error)}`);
  }
  const typed = name === 'switch' ? 'retry' : name;
  const found = await taskNamed(desk, typed, given);
  if (!found.ok) return found.error;
  const { run, task } = found.value;
  // which agent does it was approved, so it is a person's to change
  if (name === 'grant' || name === 'drop' || name === 'switch') {
    const refused = peopleOnly(desk, ['tidegate', typed, `${run}/${task}`, ...paths.map(shellPath)].join(' '));
    if (refused !== null) return refused;
  }
  const { request, said } = make(found.value, desk.caller.by);
  return await askOnce(desk, found.value, request, said);
}
