import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { hasCode } from '../../adapters/files/state-file.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite/index.ts';
import { mergerProcess } from '../../adapters/merger-process/index.ts';
import { identify, isAlive, type ProcessIdentity } from '../../adapters/process/process-identity.ts';
import {
  locateStateDirectory,
  type PlaceInputs,
  type Repository,
  type StateDirectory,
} from '../../adapters/state-directory/index.ts';
import { processSupervisors } from '../../adapters/supervisors/index.ts';
import { jobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { untilDead } from '../../adapters/supervisors/orphans.ts';
import type { Context } from '../../cli/frame/command.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import type { Scratch } from '../../engine/jobs/try-checks.ts';
import { entry } from '../entry.ts';
import { forOurs } from './coordinator.ts';
import { makePlaces } from './open-repository.ts';

/**
 * Makes a temporary state directory beside that of the repository, on the same disk. Its name holds the process, so that the next
 * rehearsal removes the directory of a dead one.
 */
export async function openScratch(
  context: Context,
  repository: Repository,
  kept: StateDirectory,
  inputs: PlaceInputs,
): Promise<Result<Scratch & AsyncDisposable, string>> {
  await sweep(kept.path);
  const root = nameOf(kept.path, identify());
  const located = await locateStateDirectory(repository, { ...inputs, flag: root });
  if (!located.ok) return located;
  const state = stateDir(located.value.path);
  const runDirectory = await makePlaces(repository, located.value, inputs, state);
  if (!runDirectory.ok) return runDirectory;
  const env = forOurs(context.env);
  const checkout = repository.toplevel;
  const ledger = await openSqliteLedger(state.ledger, { check: 'chain' });
  const taken = await ledger.takeEpoch({ ...identify(), socket: '' }, isAlive);
  if (taken.outcome === 'held') return err(`${root} is in use`);
  const merger = mergerProcess({ command: [process.execPath, entry('merger')], stateDir: state.root, checkout, env });
  const supervisors = processSupervisors({
    jobs: state.jobs,
    node: process.execPath,
    program: entry('supervisor'),
    // no coordinator comes back for them
    environment: { ...env, TIDEGATE_ABANDON_SECONDS: '5' },
  });
  return ok({
    ledger,
    epoch: taken.epoch,
    merger,
    supervisors,
    places: { state, checkout, runDirectory: runDirectory.value },
    [Symbol.asyncDispose]: async () => {
      await supervisors.detach();
      await merger[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
      await remove(root);
    },
  });
}

const nameOf = (path: string, { pid, startTime, bootId }: ProcessIdentity): string =>
  `${path}.rehearsal-${pid}-${startTime}-${bootId}`;

/** Removes the directories of killed processes. */
async function sweep(path: string): Promise<void> {
  for (const name of await namesIn(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.rehearsal-`)) continue;
    const [, pid, startTime, bootId] = /\.rehearsal-(\d+)-(\d+)-(.+)$/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || bootId === undefined) continue;
    if (!isAlive({ pid: Number(pid), startTime, bootId })) await remove(join(dirname(path), name));
  }
}

/** Waits for the supervisors, which end by themselves, before it removes their directory. */
async function remove(root: string): Promise<void> {
  for (const inside of await namesIn(root)) {
    const { jobs } = stateDir(join(root, inside));
    for (const job of await namesIn(jobs)) {
      const record = jobDirectory(join(jobs, job)).supervisor();
      if (record !== null) await untilDead(record);
    }
  }
  removeTreeSync(root);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}
