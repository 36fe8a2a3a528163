import { describeWithFix } from '../../domain/explain/explain.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { isLive } from '../../domain/run/schedule.ts';
import { agentOf, attemptOf, snapshotOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { peopleOnly } from '../frame/people-only.ts';
import type { EnterShell } from '../frame/ports.ts';
import { taskNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';

/** `tidegate shell <run/task> [-- command]`: a person in the fence of a task's agent, on a copy of what that made. */
export const enterTask = (
  { task, command }: { readonly task: string; readonly command: readonly string[] },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'look', (repo) => look(repo, context, task, command, ports.enterShell));

async function look(
  repo: RepositoryHandle,
  context: Context,
  given: string,
  argv: readonly string[],
  enter: EnterShell,
): Promise<Outcome> {
  const found = await taskNamed(repo, 'shell', given, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const subject = `${run}/${task}`;
  const refused = peopleOnly(repo, `tidegate shell ${subject}`);
  if (refused !== null) return refused;
  const one = state.tasks[task];
  const planned = plannedById(state.plan, task);
  if (one === undefined || planned === undefined) return misused('no-task', `shell: ${run} has no task ${task}`);
  if (isLive(one))
    return failed(
      'agent-at-work',
      `shell: the agent of ${subject} is at work; watch it: tidegate attach ${subject}; its files: tidegate open ${subject}`,
    );
  const snapshot = snapshotOf(one);
  if (snapshot === null)
    return failed('nothing-there', `shell: ${subject} has no snapshot; what is with it: tidegate why ${subject}`);
  if (state.plan.fence.mode === 'none')
    return failed(
      'no-fence',
      `shell: the plan of ${run} says fence: none, so there is no fence to be in; the files: tidegate open ${subject}`,
    );
  const onTerminal = context.terminal.interactive && !context.json;
  if (!onTerminal && argv.length === 0)
    return misused('no-terminal', `shell: needs a terminal; without one: tidegate shell ${subject} -- <command>`);
  const agent = attemptOf(one)?.agent ?? agentOf(one);
  const { commit } = snapshot;
  const note = (path: string, isSetUp: boolean): void => {
    context.terminal.problem(
      `tidegate: ${path}: a copy of the snapshot ${commit.slice(0, 8)} of ${subject}, removed at the end: what is done in it goes nowhere`,
    );
    if (!isSetUp) context.terminal.problem(`tidegate: note: setup has not been run in it: ${state.plan.setup}`);
  };
  const ended = await enter(repo, context, {
    ...{ state, task: planned, agent, commit, base: one.base ?? commit, argv, onTerminal },
    onMade: note,
  });
  if (!ended.ok) return failed('fence-unavailable', `shell: ${ended.error.problem}\nfix: ${ended.error.fix}`);
  return outcomeOf(ended.value, { run, task, commit });
}

function outcomeOf(ending: Ending, data: Readonly<Record<string, unknown>>): Outcome {
  if (ending.reason === 'launch-failed')
    return failed(
      'launch-failed',
      `shell: ${ending.because === undefined ? ending.reason : describeWithFix(ending.because)}`,
    );
  if (ending.reason !== 'exited') return { exit: exitCodes.interrupted, reason: 'interrupted', data };
  const code = ending.code ?? exitCodes.failed;
  return { exit: code === 0 ? exitCodes.done : exitCodes.failed, reason: 'ended', code, data: { ...data, code } };
}
