import { snapshotOf } from '../../../domain/run/task.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { aTask, type Context, command, exitCodes, failure, type Outcome, usageError } from '../../frame/command.ts';
import { resolveTask } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';
import { diffHead } from '../look/diff.ts';

export const acceptCommand = command({
  name: 'accept',
  group: 'decide',
  summary: 'accept the work of a task although its agent did not finish',
  arguments: { task: aTask },
  options: {
    snapshot: { value: 'id', about: 'accept this snapshot (at least 8 characters of its id) without asking' },
  },
  help: 'Shows the changes and asks. This replaces only the exit and handoff gates: scope, secrets and checks still apply.',
  changes: ({ task, snapshot }, repo, context) => accept(repo, context, task, snapshot),
});

/** Takes exactly the snapshot that it showed. */
async function accept(
  repo: RepositoryHandle,
  context: Context,
  typed: string,
  id: string | undefined,
): Promise<Outcome> {
  const subject = await resolveTask(repo, 'accept', typed);
  if (!subject.ok) return subject.error;
  const { state, task } = subject.value;
  const name = partName(subject.value);
  const refusal = refuseAgentAction(repo, 'accept', `accept ${name}`);
  if (refusal !== null) return refusal;
  if (id !== undefined && !/^[0-9a-f]{8,64}$/.test(id))
    return usageError(
      'bad-snapshot',
      `accept: ${JSON.stringify(id)} is not a snapshot id; use at least its first 8 characters`,
    );
  const one = state.tasks[task];
  const latest = one === undefined ? null : snapshotOf(one);
  if (one === undefined || latest === null)
    return failure('nothing-there', `accept: ${name} has no snapshot; see tidegate why ${name}`);
  const act = (snapshot: string) => actOn(repo, { action: 'accept', subject: subject.value, input: { snapshot } });
  if (id !== undefined) return await act(id);

  const lines = await diffHead(repo, state, one, latest);
  const command = `tidegate accept ${name} --snapshot ${latest.commit.slice(0, 12)}`;
  const data = { run: state.run, task, snapshot: latest.commit };
  if (!context.terminal.interactive || context.json)
    return {
      exit: exitCodes.personNeeded,
      reason: 'not-confirmed',
      lines,
      needs: [{ kind: 'accept', task, message: 'read the diff, then accept it', command }],
      problems: [`tidegate: nothing was accepted. Read the diff: tidegate diff ${name}. Then: ${command}`],
      data,
    };
  for (const line of lines) context.terminal.line(line);
  const answer = (await context.terminal.ask(`Accept ${name} as it is? [y/N]`))?.trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes')
    return { exit: exitCodes.personNeeded, reason: 'not-confirmed', lines: ['Nothing was accepted.'], data };
  return await act(latest.commit);
}
