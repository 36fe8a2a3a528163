import { plannedIn } from '../../../domain/derived/derived-tasks.ts';
import { describeWithFix } from '../../../domain/explain/explain.ts';
import type { Ending } from '../../../domain/gates/evidence.ts';
import { isLive } from '../../../domain/run/schedule.ts';
import { agentOf, attemptOf, snapshotOf } from '../../../domain/run/task.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { refuseAgent } from '../../frame/act.ts';
import { aTask, type Context, command, exitCodes, failure, type Outcome, usageError } from '../../frame/command.ts';
import type { EnterShell } from '../../frame/ports.ts';
import { resolveTask } from '../../frame/subject.ts';

export const shellCommand = command({
  name: 'shell',
  group: 'look',
  summary: "try out the work of a task: your shell, in its agent's fence",
  arguments: {
    task: aTask,
    command: {
      about: 'after --: run this instead of a shell, and exit with its code',
      variadic: true,
      shown: '-- command',
    },
  },
  looks: ({ task, command: argv }, repo, context, { ports }) => enterTask(repo, context, task, argv, ports.enterShell),
});

/** Runs a shell in the fence of the task's agent, on a copy of the snapshot. */
async function enterTask(
  repo: RepositoryHandle,
  context: Context,
  typed: string,
  argv: readonly string[],
  enter: EnterShell,
): Promise<Outcome> {
  const subject = await resolveTask(repo, 'shell', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, task, state } = subject.value;
  const name = `${run}/${task}`;
  const refusal = refuseAgent(repo, `tidegate shell ${name}`);
  if (refusal !== null) return refusal;
  const one = state.tasks[task];
  const planned = plannedIn(state, task);
  if (one === undefined || planned === undefined) return usageError('no-task', `shell: ${run} has no task ${task}`);
  if (isLive(one))
    return failure(
      'agent-at-work',
      `shell: the agent of ${name} is running. Watch it: tidegate attach ${name}. Its files: tidegate open ${name}`,
    );
  const snapshot = snapshotOf(one);
  if (snapshot === null) return failure('nothing-there', `shell: ${name} has no snapshot. See: tidegate why ${name}`);
  if (state.plan.fence.mode === 'none')
    return failure(
      'no-fence',
      `shell: the plan of ${run} has no fence (fence: none). Open the files instead: tidegate open ${name}`,
    );
  const onTerminal = context.terminal.interactive && !context.json;
  if (!onTerminal && argv.length === 0)
    return usageError('no-terminal', `shell: this needs a terminal. Without one: tidegate shell ${name} -- <command>`);
  const agent = attemptOf(one)?.agent ?? agentOf(one);
  const { commit } = snapshot;
  const note = (path: string, isSetUp: boolean): void => {
    context.terminal.problem(
      `tidegate: ${path}: a copy of the snapshot ${commit.slice(0, 8)} of ${name}; it is removed when you leave, and changes in it have no effect`,
    );
    if (!isSetUp) context.terminal.problem(`tidegate: note: setup did not run in it: ${state.plan.setup}`);
  };
  const ending = await enter(repo, context, {
    ...{ state, task: planned, agent, commit, base: one.base ?? commit, argv, onTerminal },
    onMade: note,
  });
  if (!ending.ok) return failure('fence-unavailable', `shell: ${ending.error.problem}\nfix: ${ending.error.fix}`);
  return outcomeOf(ending.value, { run, task, commit });
}

function outcomeOf(ending: Ending, data: Readonly<Record<string, unknown>>): Outcome {
  if (ending.reason === 'launch-failed')
    return failure(
      'launch-failed',
      `shell: ${ending.because === undefined ? ending.reason : describeWithFix(ending.because)}`,
    );
  if (ending.reason !== 'exited') return { exit: exitCodes.interrupted, reason: 'interrupted', data };
  const code = ending.code ?? exitCodes.failed;
  return { exit: code === 0 ? exitCodes.done : exitCodes.failed, reason: 'ended', code, data: { ...data, code } };
}
