import { snapshotOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { actOn, refusedToAgent } from '../frame/act.ts';
import { type Context, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { taskNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';
import { partName } from '../frame/wording.ts';
import { diffHead } from '../look/diff.ts';

/** `tidegate accept <run/task>`: shows what changed, asks, and takes exactly the snapshot that it showed. */
export const acceptTask = (
  { task, snapshot }: { readonly task: string; readonly snapshot: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'ask', (repo) => accept(repo, context, task, snapshot));

async function accept(
  repo: RepositoryHandle,
  context: Context,
  given: string,
  named: string | undefined,
): Promise<Outcome> {
  const found = await taskNamed(repo, 'accept', given);
  if (!found.ok) return found.error;
  const { state, task } = found.value;
  const name = partName(found.value);
  const refused = refusedToAgent(repo, 'accept', `accept ${name}`);
  if (refused !== null) return refused;
  if (named !== undefined && !/^[0-9a-f]{8,64}$/.test(named))
    return misused('bad-snapshot', `accept: ${JSON.stringify(named)} is no snapshot: at least 8 characters of its id`);
  const one = state.tasks[task];
  const shown = one === undefined ? null : snapshotOf(one);
  if (one === undefined || shown === null)
    return failed('nothing-there', `accept: ${name} has no snapshot; see tidegate why ${name}`);
  const act = (snapshot: string) => actOn(repo, { action: 'accept', subject: found.value, input: { snapshot } });
  if (named !== undefined) return await act(named);

  const lines = await diffHead(repo, state, one, shown);
  const command = `tidegate accept ${name} --snapshot ${shown.commit.slice(0, 12)}`;
  const data = { run: state.run, task, snapshot: shown.commit };
  if (!context.terminal.interactive || context.json)
    return {
      exit: exitCodes.personNeeded,
      reason: 'not-confirmed',
      lines,
      needs: [{ kind: 'accept', task, message: 'read the diff, then take it', command }],
      problems: [`tidegate: nothing was taken. Read it: tidegate diff ${name}. Then: ${command}`],
      data,
    };
  for (const line of lines) context.terminal.line(line);
  const said = (await context.terminal.ask(`Take ${name} as it is? [y/N]`))?.trim().toLowerCase();
  if (said !== 'y' && said !== 'yes')
    return { exit: exitCodes.personNeeded, reason: 'not-confirmed', lines: ['Nothing was taken.'], data };
  return await act(shown.commit);
}
