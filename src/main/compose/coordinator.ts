import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateDisk } from '../../adapters/disk/index.ts';
import { watchPresence } from '../../adapters/files/state-file.ts';
import { gitReader } from '../../adapters/git/read/index.ts';
import { takeMarkers, watchMarkers } from '../../adapters/markers/index.ts';
import { mergerProcess } from '../../adapters/merger-process/index.ts';
import { personsNotices, webhookNotices, webThreads } from '../../adapters/outbox/index.ts';
import { draftReader } from '../../adapters/plan-files/draft-process.ts';
import { planPlace, readDiskLimits, readSettings } from '../../adapters/plan-files/repository-plan.ts';
import { personsHome } from '../../adapters/process/caller.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import { identify, isAlive } from '../../adapters/process/process-identity.ts';
import { processSupervisors } from '../../adapters/supervisors/index.ts';
import { storedTokens, tokensFile } from '../../agents/common/login.ts';
import type { StateDir } from '../../domain/ledger/state-dir.ts';
import { coordinate } from '../../engine/coordinator.ts';
import { recordInRepo } from '../../engine/run-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine.ts';
import type { Holder, Ledger } from '../../ports/ledger.ts';
import { entry, ownProcesses } from '../entry.ts';

/** The places of a repository, and the environment of its coordinator. */
export type HostSetting = {
  readonly checkout: string;
  readonly state: StateDir;
  readonly runDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Null when nobody would hear it. */
  readonly bell: (() => void) | null;
};

type Hosted =
  | { readonly outcome: 'hosting'; readonly engine: Engine; readonly epoch: number; stop(): Promise<void> }
  /** Another process coordinates this repository. Requests reach it through the ledger. */
  | { readonly outcome: 'held'; readonly by: Holder };

/** Becomes the coordinator of a repository, unless another one is alive. */
export async function hostCoordinator(setting: HostSetting, ledger: Ledger): Promise<Hosted> {
  const { state, checkout, runDirectory, env } = setting;
  const taken = await ledger.takeEpoch({ ...identify(), socket: '' }, isAlive);
  if (taken.outcome === 'held') return { outcome: 'held', by: taken.by };
  const { epoch } = taken;
  failpoint('coordinator-epoch-taken');
  await recordInRepo(ledger, epoch, {
    type: 'coordinator-started',
    epoch,
    pid: process.pid,
    tidegate: setting.version,
  });

  const { node, env: environment, ...programs } = ownProcesses(env);
  const merger = mergerProcess({ command: [node, programs.merger], stateDir: state.root, checkout, env: environment });
  const supervisors = processSupervisors({ jobs: state.jobs, node, program: programs.supervisor, environment });
  const git = gitReader({ checkout, repository: state.repository });
  const places = { state, checkout, runDirectory };
  const place = planPlace(checkout, state.root, env);
  const disk = stateDisk(state, () => readDiskLimits(place));
  const secret = secretsOf(env);
  const sender = {
    stateDirectory: state.root,
    repository: checkout,
    setting: async () => (await readSettings(place)).notify,
  };
  const notices = personsNotices({ ...sender, env, bell: setting.bell });
  const webhooks = await webhookNotices({ ...sender, secret });
  const threads = webThreads({ stateDirectory: state.root, secret });
  await disk.tidy();
  const drafts = draftReader({ checkout, state, env, program: entry('cli') });
  const agentsAtOnce = async () => (await readSettings(place)).machine.agents;
  const world = { merger, supervisors, git, places, disk, notices, webhooks, threads, drafts, agentsAtOnce, epoch };
  // answers that came while no coordinator was running count from their own time
  await takeMarkers(state, ledger);
  const engine = await coordinate(ledger, world, clock);
  const presence = watchPresence(checkout, () => engine.leave());
  const markers = watchMarkers(state, ledger);
  return {
    outcome: 'hosting',
    engine,
    epoch,
    stop: async () => {
      presence[Symbol.dispose]();
      await markers[Symbol.asyncDispose]();
      try {
        await engine.stop();
      } finally {
        // a merger that is left keeps this process from ending
        await merger[Symbol.asyncDispose]();
      }
      await recordInRepo(ledger, epoch, { type: 'coordinator-stopped', epoch });
      await ledger.releaseEpoch(epoch);
    },
  };
}

/** Starts a coordinator that outlives this process and its terminal. */
export function startBackground(setting: HostSetting): ChildProcess {
  const log = openSync(`${setting.state.root}/coordinator.log`, 'a', 0o600);
  const argv = [entry('cli'), '-C', setting.checkout, '--state-dir', dirname(setting.state.root), 'coordinate'];
  const child = spawn(process.execPath, argv, {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: ownProcesses(setting.env).env,
  });
  closeSync(log);
  child.unref();
  return child;
}

/** Returns a secret that the configuration names: from the environment, or from `tidegate auth secret`. */
const secretsOf =
  (env: HostSetting['env']) =>
  (variable: string): string | null =>
    env[variable] || storedTokens(tokensFile(env, personsHome()))[variable] || null;

const clock: Clock = {
  now: () => new Date().toISOString(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal, ref: false }).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
    });
  },
  nonce: () => randomBytes(16).toString('hex'),
};
