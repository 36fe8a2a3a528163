import { basename, dirname, join } from 'node:path';
import { removeTreeSync } from '../adapters/files/remove-tree.ts';
import { directoryNames } from '../adapters/files/state-file.ts';
import { openSqliteLedger } from '../adapters/ledger/sqlite/index.ts';
import { mergerProcess } from '../adapters/merger-process/index.ts';
import { identify, isAlive, type ProcessIdentity } from '../adapters/process/process-identity.ts';
import {
  locateStateDirectory,
  makePlaces,
  type PlaceInputs,
  type Repository,
  type StateDirectory,
} from '../adapters/state-directory/index.ts';
import { processSupervisors } from '../adapters/supervisors/index.ts';
import { jobDirectory } from '../adapters/supervisors/job-directory.ts';
import { untilDead } from '../adapters/supervisors/orphans.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import { stateDir } from '../domain/ledger/state-dir.ts';
import type { Scratch } from '../engine/jobs/try-checks.ts';

/** The programs of our own processes, and the environment that they get. */
export type OwnProcesses = {
  readonly node: string;
  readonly merger: string;
  readonly supervisor: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Makes a temporary state directory beside that of the repository, on the same disk. Its name holds the process, so that the next
 * rehearsal removes the directory of a dead one.
 */
export async function openScratch(
  processes: OwnProcesses,
  repository: Repository,
  kept: StateDirectory,
  inputs: PlaceInputs,
): Promise<Result<Scratch & AsyncDisposable, string>> {
  await sweep(kept.path);
  const root = nameOf(kept.path, identify());
  const located = await locateStateDirectory(repository, { ...inputs, flag: root });
  if (!located.ok) return located;
  const state = stateDir(located.value.path);
  const runDirectory = await makePlaces(repository, located.value, inputs);
  if (!runDirectory.ok) return runDirectory;
  const { node, env } = processes;
  const checkout = repository.toplevel;
  const ledger = await openSqliteLedger(state.ledger, { check: 'chain' });
  const taken = await ledger.takeEpoch({ ...identify(), socket: '' }, isAlive);
  if (taken.outcome === 'held') return err(`${root} is in use`);
  const merger = mergerProcess({ command: [node, processes.merger], stateDir: state.root, checkout, env });
  const supervisors = processSupervisors({
    jobs: state.jobs,
    node,
    program: processes.supervisor,
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
  for (const name of await directoryNames(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.rehearsal-`)) continue;
    const [, pid, startTime, bootId] = /\.rehearsal-(\d+)-(\d+)-(.+)$/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || bootId === undefined) continue;
    if (!isAlive({ pid: Number(pid), startTime, bootId })) await remove(join(dirname(path), name));
  }
}

/** Waits for the supervisors, which end by themselves, before it removes their directory. */
async function remove(root: string): Promise<void> {
  for (const inside of await directoryNames(root)) {
    const { jobs } = stateDir(join(root, inside));
    for (const job of await directoryNames(jobs)) {
      const record = jobDirectory(join(jobs, job)).supervisor();
      if (record !== null) await untilDead(record);
    }
  }
  removeTreeSync(root);
}
