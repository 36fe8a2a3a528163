import { join } from 'node:path';
import { owesDeliveries } from '../../adapters/outbox/index.ts';
import { personsName } from '../../adapters/process/caller.ts';
import { serverState } from '../../adapters/server-state/index.ts';
import {
  findRepository,
  knownRepositories,
  placeInputs,
  repositoryName,
  stateRoot,
} from '../../adapters/state-directory/index.ts';
import { refuseAgent } from '../../cli/frame/act.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { ServePorts } from '../../cli/frame/ports.ts';
import { ok, type Result } from '../../domain/base/result.ts';
import type { Examined } from '../../ports/repository-handle.ts';
import { NotOpened, type ProtocolHandler } from '../../server/site.ts';
import { startServer } from '../../server/start.ts';
import { callerAt, openRepository } from './open-repository.ts';

export const servePorts: ServePorts = {
  state: (context) => serverState(stateRoot(placeInputs(context)).path),
  start: async (context, listen) => {
    const { path: root } = stateRoot(placeInputs(context));
    return await startServer(listen, {
      files: await serverState(root),
      repositories: {
        list: () => knownRepositories(root),
        openRepository: async ({ checkout }) => {
          const repo = await openRepository({ ...context, cwd: checkout }, 'act');
          if (!repo.ok) throw new NotOpened(repo.error);
          return repo.value;
        },
      },
      home: () => homeRepository(context),
      owesDeliveries: (id) => owesDeliveries(join(root, id)),
      loadMcp: (checkout, fault) => loadMcp({ ...context, cwd: checkout }, fault),
      examine: () => examineAll(context),
      version: context.version,
      person: personsName(process.env),
      mayLink: refuseAgent({ caller: await callerAt(context) }, 'tidegate serve') === null,
      problem: (text) => context.terminal.problem(text),
    });
  },
};

/** Creates the state of the repository around us, so that it is listed from the start. Null outside a repository. */
async function homeRepository(context: Context): Promise<Result<string | null, string>> {
  const found = await findRepository(context.cwd);
  if (!found.ok) return ok(null);
  const repo = await openRepository(context, 'act');
  if (!repo.ok) return repo;
  await repo.value[Symbol.asyncDispose]();
  return ok(repositoryName(found.value));
}

async function loadMcp(context: Context, fault: (error: unknown) => void): Promise<ProtocolHandler> {
  const [{ assistantHandler }, { commandList }, { ports }] = await Promise.all([
    import('../../cli/commands/serve/mcp-server.ts'),
    import('../../cli/commands/list.ts'),
    import('../ports.ts'),
  ]);
  return assistantHandler({ commands: commandList, ports }, context, fault);
}

async function examineAll(context: Context): Promise<readonly Examined[]> {
  const { examinations } = await import('../../doctor/machine.ts');
  const examined: Examined[] = [];
  for (const examine of examinations) examined.push(await examine(context));
  return examined;
}
