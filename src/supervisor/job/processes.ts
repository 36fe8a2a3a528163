import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { type Fenced, fencedRuntime, type Readiness } from '../../adapters/fence/index.ts';
import type { Ending, FenceEvidence } from '../../domain/gates/evidence.ts';
import { agentVersion, type PreparedLaunch, prepareLaunch } from '../agent/launch.ts';
import type { ClientChannel } from '../channel/client-channel.ts';
import { isFenced, type PreparedJob } from './context.ts';
import { type FencedRun, type JobCallbacks, launchFailed, runFenced, startLimits } from './run-fenced.ts';
import { CopyFailed, setupProduct } from './setup-product.ts';
import { ownerOf } from './workspace.ts';

/** Runs the setup command. Null when it is done, or its product was there already. */
export async function runSetup(prepared: PreparedJob): Promise<Ending | null> {
  const command = prepared.job.setup;
  if (command === null) return null;
  const product = setupProduct(prepared.job, prepared.files.workspace, ownerOf(prepared.job, prepared.host));
  const restored = await product.restore().catch((error: unknown) => {
    if (error instanceof CopyFailed) return error;
    throw error;
  });
  if (restored instanceof CopyFailed)
    return launchFailed({ rule: 'setup-not-copied', path: restored.path, code: restored.code });
  if (restored) return null;
  const { ending } = await runCommand(prepared, command, { minutes: 30, silence: 30 });
  if (ending.reason === 'exited' && ending.code === 0) {
    await product.keep();
    return null;
  }
  const words = prepared.output.shown().trim().slice(-1000);
  const { reason, code, signal, because } = ending;
  if ((reason === 'timed-out' || reason === 'silent') && because !== undefined)
    return { ...ending, because: { rule: 'setup-limit', command, because, words } };
  if (reason !== 'exited') return ending;
  return { code, signal, reason: 'setup-failed', because: { rule: 'setup-failed', command, code, signal, words } };
}

/** Runs the teardown command, after the snapshot: its changes are no work, and its failure changes nothing. */
export async function runTeardown(prepared: PreparedJob): Promise<void> {
  const { teardown } = prepared.job;
  // a stop of the attempt does not stop it
  const stop = new AbortController().signal;
  if (teardown !== null) await runCommand({ ...prepared, stop }, teardown, { minutes: 5, silence: 5 });
}

/** Runs a command that is no agent: only its output is kept, and it may not talk to us. */
const runCommand = (prepared: PreparedJob, command: string, limits: FencedRun['limits']) =>
  runFenced(prepared, {
    argv: ['/bin/sh', '-c', command],
    variables: { TIDEGATE_NONCE: prepared.job.nonce },
    network: 'on',
    output: prepared.output,
    limits,
    onReady: async (_, fenced) => noteFence(prepared, fenced),
  });

/** Runs the agent, or the command of a check or generator. `variables`: of this launch only. */
export async function runAgent(prepared: PreparedJob, prompt: string, variables: Readonly<Record<string, string>>) {
  const { job, runtime, files, watch } = prepared;
  const start = prepareLaunch(prepared, prompt);
  if ('rule' in start) return { ending: launchFailed(start), limits: startLimits(prepared.clock) };
  const { context, launch, binds } = start;
  const mayTalk = job.kind === 'attempt' || job.kind === 'orchestrator';
  const version = files.started() === null ? await versionOf(prepared, start) : null;
  const inside = isFenced(job)
    ? { brief: `${fencedRuntime}/brief.md`, socket: `${fencedRuntime}/s`, bin: `${fencedRuntime}/bin` }
    : { brief: runtime.brief, socket: runtime.clientSocket, bin: runtime.bin };
  return await runFenced(prepared, {
    argv: launch.argv,
    binds,
    network: isFenced(job) ? job.fence.network : 'on',
    variables: {
      TIDEGATE_NONCE: job.nonce,
      ...launch.environment,
      ...(mayTalk ? { TIDEGATE_BRIEF: inside.brief, TIDEGATE_SOCKET: inside.socket } : {}),
      ...variables,
    },
    pass: [...job.fence.env, ...(job.agent?.credentials ?? []), ...(job.agent?.variables ?? [])],
    client: mayTalk ? inside.bin : null,
    stdin: inside.brief,
    output: watch === null ? heardOutput(prepared) : prepared.output,
    callbacks: watch === null ? null : endMcpWithInput(watch.listen(context, launch), prepared.channel),
    limits: { minutes: job.minutes, silence: job.silence },
    onReady: async (readiness, fenced) => {
      await noteFence(prepared, fenced);
      if (files.started() !== null || readiness.outcome === 'failed') return;
      files.writeStarted({
        workspaceBase: job.from,
        fence: evidenceOf(prepared, readiness),
        argv: launch.argv,
        ...(job.brief === '' ? {} : { prompt: hash('sha256', job.brief, 'hex') }),
        ...(version === null ? {} : { version }),
      });
      prepared.onStarted();
    },
  });
}

/** An agent without a protocol says what it prints. */
const heardOutput = ({ output, words }: PreparedJob): FencedRun['output'] => ({
  shown: output.shown,
  write(chunk) {
    output.write(chunk);
    words.add(chunk);
  },
});

/** Gemini runs for as long as one of its MCP servers does, even when its stdin is closed. */
function endMcpWithInput(callbacks: JobCallbacks, { endMcp }: ClientChannel): JobCallbacks {
  const { onInput } = callbacks;
  if (onInput === null) return callbacks;
  return {
    ...callbacks,
    onInput: (input) =>
      onInput({
        ...input,
        end() {
          input.end();
          endMcp();
        },
      }),
  };
}

/** Null for programs that are no agent of ours, and for agents that print no version. */
async function versionOf(prepared: PreparedJob, { context, launch, binds }: PreparedLaunch): Promise<string | null> {
  const { job } = prepared;
  if (job.agent === null) return null;
  return await agentVersion(context.program, `${dirname(job.cache)}/versions`, (argv, write) =>
    runFenced(prepared, {
      argv,
      binds,
      variables: { TIDEGATE_NONCE: job.nonce, ...launch.environment },
      network: 'off',
      output: { write, shown: () => '' },
      limits: { minutes: 0.5, silence: 0.5 },
      onReady: async (_, fenced) => noteFence(prepared, fenced),
    }),
  );
}

async function noteFence({ job, files }: PreparedJob, fenced: Fenced): Promise<void> {
  if (!isFenced(job)) return;
  const first = await fenced.init;
  if (first !== null) files.writeFenceProcess(first);
}

function evidenceOf({ job, host }: PreparedJob, readiness: Readiness): FenceEvidence {
  if (!isFenced(job)) return { mode: 'none', canary: 'waived', uid: host.uid, network: 'on' };
  const fence = { mode: 'bwrap', uid: host.agent.uid, network: job.fence.network } as const;
  if (readiness.outcome !== 'breached') return { ...fence, canary: 'held' };
  return { ...fence, canary: 'breached', breaches: readiness.breaches };
}
