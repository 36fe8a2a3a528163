import { join } from 'node:path';
import { FenceUnavailable } from '../../adapters/fence/index.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { directoryNames } from '../../adapters/files/state-file.ts';
import { personsHome } from '../../adapters/process/caller.ts';
import { closeInherited, isOfLiving, ownName } from '../../adapters/process/process-identity.ts';
import { findRepository, makeRunDirectory } from '../../adapters/state-directory/index.ts';
import { jobDirectory } from '../../adapters/supervisors/job-directory.ts';
import type { EnterShell } from '../../cli/frame/ports.ts';
import { err, ok } from '../../domain/base/result.ts';
import { shellJob } from '../../engine/jobs/jobs.ts';
import { runPersonShell } from '../../supervisor/agent/person-shell.ts';
import { atHome, type Stop } from '../../supervisor/job/context.ts';
import { entry } from '../entry.ts';

/** Makes the copy in the state directory. Its name holds the process, so that the next shell removes the copy of a dead one. */
export const enterShell: EnterShell = async (repo, context, order) => {
  const { state, task, argv, onTerminal } = order;
  const { env } = context;
  closeInherited();
  await sweep(repo.state.shells);
  const runDirectory = await runDirectoryOf(repo.checkout, env);
  const places = { state: repo.state, checkout: repo.checkout, runDirectory };
  const files = jobDirectory(join(repo.state.shells, ownName()));
  const stop = new AbortController();
  using _ = context.onSignal(() =>
    stop.abort({ reason: 'stopped', because: { rule: 'stop-requested' } } satisfies Stop),
  );
  const out = context.json ? process.stderr : process.stdout;
  try {
    const ending = await runPersonShell({
      job: atHome(shellJob(places, state, task, { ...order, nonce: repo.clock.nonce() }), personsHome()),
      files,
      argv,
      // the chunk is a view of a buffer that is reused
      output: onTerminal
        ? null
        : {
            out: (chunk) => void out.write(Buffer.from(chunk)),
            error: (chunk) => void process.stderr.write(Buffer.from(chunk)),
          },
      environment: env,
      node: process.execPath,
      client: entry('fence-client'),
      stop: stop.signal,
      onMade: (isSetUp) => order.onMade(files.workspace, isSetUp),
    });
    return ok(ending);
  } catch (error) {
    if (error instanceof FenceUnavailable) return err({ problem: error.message, fix: error.fix });
    throw error;
  } finally {
    removeTreeSync(files.path);
  }
};

async function runDirectoryOf(checkout: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const repository = await findRepository(checkout);
  const made = repository.ok
    ? await makeRunDirectory(repository.value, { env, uid: process.getuid?.() ?? -1 })
    : repository;
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

/** Removes the copies of killed processes. */
async function sweep(shells: string): Promise<void> {
  for (const name of await directoryNames(shells)) if (!isOfLiving(name)) removeTreeSync(join(shells, name));
}
