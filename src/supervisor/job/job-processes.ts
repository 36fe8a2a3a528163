import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import {
  type Bind,
  type Fenced,
  fencedRuntime,
  fencedWorkspace,
  type Host,
  type Readiness,
} from '../../adapters/fence/index.ts';
import type { Ending, FenceEvidence } from '../../domain/gates/evidence.ts';
import type { Executor } from '../../ports/executor.ts';
import type { Job } from '../../ports/supervisor.ts';
import { type PreparedLaunch, prepareLaunch } from '../agent/agent-seat.ts';
import { agentVersion } from '../agent/agent-version.ts';
import type { AgentWatch } from '../agent/agent-watch.ts';
import type { ClientChannel } from '../channel/client-channel.ts';
import type { Output } from '../output/output.ts';
import type { JobOrder } from './carry-out.ts';
import { jobBinds } from './job-binds.ts';
import { startLimits } from './limits.ts';
import { type AgentStdin, type Ears, type FencedRun, launchFailed, runFenced } from './run-fenced.ts';
import type { RuntimeDirectory } from './runtime-directory.ts';
import { CopyFailed, setupProduct } from './setup-product.ts';

/** A job whose workspace is made: what all its processes are started with. */
export type PreparedJob = JobOrder & {
  readonly host: Host;
  readonly readOnly: readonly Bind[];
  readonly output: Output;
  readonly channel: ClientChannel;
  readonly executor: Executor;
  /** Null for what speaks no protocol. */
  readonly watch: AgentWatch | null;
};

/** Null: it is done, or what it makes was there already. */
export async function runSetup(running: PreparedJob): Promise<Ending | null> {
  const command = running.job.setup;
  if (command === null) return null;
  const product = setupProduct(running.job, running.files.workspace, ownerOf(running.job, running.host));
  const restored = await product.restore().catch((error: unknown) => {
    if (error instanceof CopyFailed) return error;
    throw error;
  });
  if (restored instanceof CopyFailed)
    return launchFailed({ rule: 'setup-not-copied', path: restored.path, code: restored.code });
  if (restored) return null;
  const { ending } = await runFenced({
    ...unheard(running),
    argv: ['/bin/sh', '-c', command],
    network: 'on',
    limits: { minutes: 30, silence: 30 },
  });
  if (ending.reason === 'exited' && ending.code === 0) {
    await product.keep();
    return null;
  }
  const words = running.output.shown().trim().slice(-1000);
  const { reason, code, signal, because } = ending;
  if ((reason === 'timed-out' || reason === 'silent') && because !== undefined)
    return { ...ending, because: { rule: 'setup-limit', command, because, words } };
  if (reason !== 'exited') return ending;
  return { code, signal, reason: 'setup-failed', because: { rule: 'setup-failed', command, code, signal, words } };
}

/** After the snapshot: what it does to the workspace is no work, and its failure changes nothing. */
export async function runTeardown(running: PreparedJob): Promise<void> {
  if (running.job.teardown === null) return;
  await runFenced({
    ...unheard(running),
    argv: ['/bin/sh', '-c', running.job.teardown],
    network: 'on',
    limits: { minutes: 5, silence: 5 },
    stop: new AbortController().signal,
  });
}

/** The agent, or the command of a check or generator. `environment`: what this launch has besides. */
export async function runAgent(running: PreparedJob, prompt: string, environment: Readonly<Record<string, string>>) {
  const { job, runtime, files, watch, executor } = running;
  const session = watch?.session() ?? null;
  const seated = prepareLaunch(executor, { ...running, environment: running.around.environment, prompt, session });
  if ('rule' in seated) return { ending: launchFailed(seated), limits: startLimits(running.around.clock) };
  const { seat, launch } = seated;
  const isFenced = job.fence.mode !== 'none';
  const talks = job.kind === 'attempt';
  const client = isFenced ? `${fencedRuntime}/bin` : runtime.bin;
  const shared = common(running);
  const version = files.started() === null ? await versionOf(running, seated) : null;
  return await runFenced({
    ...shared,
    argv: launch.argv,
    binds: [...shared.binds, ...seated.binds],
    network: isFenced ? job.fence.network : 'on',
    environment: {
      ...shared.environment,
      ...launch.environment,
      ...(talks ? talking(runtime, isFenced) : {}),
      ...environment,
    },
    pass: [...job.fence.env, ...(job.agent?.credentials ?? []), ...(job.agent?.variables ?? [])],
    client: talks ? client : null,
    stdin: briefOf(runtime, isFenced),
    ears: watch === null ? null : endingMcp(watch.listen(seat, launch), running.channel),
    limits: { minutes: job.minutes, silence: job.silence },
    onReady: async (readiness, fenced) => {
      await noteFence(running, fenced);
      if (files.started() !== null || readiness.outcome === 'failed') return;
      files.writeStarted({
        workspaceBase: job.from,
        fence: evidenceOf(running, readiness),
        argv: launch.argv,
        ...(job.brief === '' ? {} : { prompt: hash('sha256', job.brief, 'hex') }),
        ...(version === null ? {} : { version }),
      });
      running.onStarted();
    },
  });
}

/** Gemini goes on for as long as one of its MCP servers does, also when we have hung up. */
function endingMcp(ears: Ears, { endMcp }: ClientChannel): Ears {
  const { talk } = ears;
  if (talk === null) return ears;
  const hangUp = (line: AgentStdin) => (): void => {
    line.hangUp();
    endMcp();
  };
  return { ...ears, talk: (line) => talk({ ...line, hangUp: hangUp(line) }) };
}

/** Null for what is no agent of ours, and for agents that do not say. */
async function versionOf(running: PreparedJob, { seat, launch, binds }: PreparedLaunch): Promise<string | null> {
  const { job } = running;
  if (job.agent === null) return null;
  const shared = unheard(running);
  return await agentVersion(seat.program, `${dirname(job.cache)}/versions`, (argv, hear) =>
    runFenced({
      ...shared,
      argv,
      binds: [...shared.binds, ...binds],
      environment: { ...shared.environment, ...launch.environment },
      network: 'off',
      output: { write: hear, shown: () => '' },
      limits: { minutes: 0.5, silence: 0.5 },
    }),
  );
}

/** What every process of a job has in common. */
function common(
  running: PreparedJob,
): Omit<FencedRun, 'argv' | 'network' | 'client' | 'stdin' | 'ears' | 'limits' | 'onReady'> {
  const { job, files, runtime, around, host, output, stop } = running;
  const isFenced = job.fence.mode !== 'none';
  return {
    fenced: isFenced,
    host,
    workspace: files.workspace,
    binds: jobBinds(job, files.workspace, runtime, around.environment, running.readOnly),
    environment: {
      ...job.environment,
      TIDEGATE_NONCE: job.nonce,
      TIDEGATE_WORKSPACE: isFenced ? fencedWorkspace : files.workspace,
    },
    pass: [],
    output,
    scratch: runtime.path,
    outside: [...new Set([files.path, job.repository, job.checkout, host.home, '/tmp'])],
    token: job.nonce,
    clock: around.clock,
    ours: around.environment,
    stop,
  };
}

/** A process that is no agent: nobody listens to it, and it may not talk to us. */
const unheard = (running: PreparedJob) => ({
  ...common(running),
  client: null,
  stdin: '/dev/null',
  ears: null,
  onReady: async (_readiness: Readiness, fenced: Fenced) => noteFence(running, fenced),
});

/** Whom root gives the workspace to; null when everything is ours anyway. */
export const ownerOf = (job: Job, host: Host): Host['agent'] | null =>
  host.uid === 0 && job.fence.mode !== 'none' ? host.agent : null;

/** Its name for whoever runs in the fence, or in none. */
const briefOf = (runtime: RuntimeDirectory, isFenced: boolean): string =>
  isFenced ? `${fencedRuntime}/brief.md` : runtime.brief;

const talking = (runtime: RuntimeDirectory, isFenced: boolean): Record<string, string> => ({
  TIDEGATE_BRIEF: briefOf(runtime, isFenced),
  TIDEGATE_SOCKET: isFenced ? `${fencedRuntime}/s` : runtime.clientSocket,
});

async function noteFence(running: PreparedJob, fenced: Fenced): Promise<void> {
  if (running.job.fence.mode === 'none') return;
  const first = await fenced.init;
  if (first !== null) running.files.writeFenceProcess(first);
}

function evidenceOf({ job, host }: PreparedJob, readiness: Readiness): FenceEvidence {
  if (job.fence.mode === 'none') return { mode: 'none', canary: 'waived', uid: host.uid, network: 'on' };
  const fence = { mode: 'bwrap', uid: host.agent.uid, network: job.fence.network } as const;
  if (readiness.outcome !== 'breached') return { ...fence, canary: 'held' };
  return { ...fence, canary: 'breached', breaches: readiness.breaches };
}
