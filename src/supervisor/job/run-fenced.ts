import {
  type Bind,
  certificateBinds,
  type Fenced,
  type FencedCommand,
  fenceCommand,
  fencedEnvironment,
  fencedWorkspace,
  launch,
  onOwnTerminal,
  type Readiness,
  startCommand,
  withFixedView,
} from '../../adapters/fence/index.ts';
import { objectsBeside } from '../../adapters/git/stores/index.ts';
import { killTagged } from '../../adapters/supervisors/orphans.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { Network } from '../../domain/plan/plan.ts';
import { type Output, type OutputPipe, openOutputPipe } from '../output/output.ts';
import { hasRepository, isFenced, type JobFence, type Stop } from './context.ts';

/** One process in the fence of a job. */
export type FencedRun = {
  readonly argv: readonly string[];
  /** Mounts and variables in addition to those of every process of the job. */
  readonly binds?: readonly Bind[];
  readonly variables?: Parameters<typeof fencedEnvironment>[2]['set'];
  readonly network: Network;
  /** Names of our own variables that are passed on. */
  readonly pass?: readonly string[];
  /** A directory of ours that comes first on the PATH; null for processes that may not talk to us. */
  readonly client?: string | null;
  /** Path of stdin inside the fence; empty: the stdin of the launch. */
  readonly stdin?: string;
  /** It gets a terminal of its own, shown on ours; `output` and `callbacks` then get nothing. */
  readonly terminal?: true;
  readonly output: Pick<Output, 'write' | 'shown'>;
  /** Listens to stdout and stderr apart, and may write to stdin instead of the file; null: both are only kept. */
  readonly callbacks?: JobCallbacks | null;
  readonly limits: Limits;
  /** Durable notes of the start; the first instruction of argv comes after it returned. */
  onReady?(readiness: Readiness, fenced: Fenced): Promise<void>;
};

export type JobCallbacks = {
  out(chunk: Uint8Array): void;
  error(chunk: Uint8Array): void;
  /** Called when everything that was written has been passed on. */
  over(): void;
  /** True while a tool of the agent runs: a long silence is the tool's then, and only the time limit ends it. */
  isWaiting(): boolean;
  /** Asks the agent to end its turn. False when it takes no such request. */
  cancel(): boolean;
  /** Gets the agent's stdin; null when nothing is written to it: then stdin is the file. */
  readonly onInput: ((input: AgentStdin) => void) | null;
};

export type AgentStdin = { write(text: string): void; end(): void };

/** Time for a process to end after TERM. */
const grace = 3_000;
/** Time for an agent to end its turn on request. */
const courtesy = 2_000;

/** Runs one command in the fence to its end; nothing of it is alive when this resolves (I9). */
export async function runFenced(
  fence: JobFence,
  run: FencedRun,
): Promise<{ readonly ending: Ending; readonly limits: LimitState }> {
  const { host, files, job, stop } = fence;
  let hasPrinted = false;
  const openPipe = (name: string, pass: ((chunk: Uint8Array) => void) | undefined) =>
    openOutputPipe(`${fence.runtime.path}/${name}`, host.tools.mkfifo, host.agent.uid, (chunk) => {
      hasPrinted = true;
      run.output.write(chunk);
      pass?.(chunk);
    });
  const { callbacks = null } = run;
  const pipes =
    run.terminal === true
      ? []
      : [openPipe('pipe', callbacks?.out), ...(callbacks === null ? [] : [openPipe('errors', callbacks.error)])];
  const fixed = { ...fence, host: withFixedView(host) };
  const process = launch({
    command: commandOf(fixed, run),
    environment: variablesOf(fixed, run),
    stdin: run.terminal === true ? 0 : takesInput(run) ? 'open' : null,
    output: pipes[0]?.writeEnd ?? 1,
    errors: (pipes[1] ?? pipes[0])?.writeEnd ?? 2,
    cwd: isFenced(job) ? '/' : files.workspace,
    canary: isFenced(job) ? { token: job.nonce, workspace: files.workspace, outside: placesOutside(fence) } : null,
  });
  for (const pipe of pipes) pipe.closeWriteEnd();
  const readiness = await process.ready;
  await run.onReady?.(readiness, process);
  if (readiness.outcome !== 'held' || readiness.missing !== null || stop.aborted) {
    process.kill();
    await process.ended;
    await drain(pipes);
    const ending = stop.aborted ? stopped(stop) : notStarted(readiness, run.output);
    return { ending, limits: startLimits(fence.clock) };
  }
  const watch = watchLimits(fence, run.limits, () => {
    const isActive = hasPrinted || callbacks?.isWaiting() === true;
    hasPrinted = false;
    return isActive;
  });
  process.go();
  const { input } = process;
  if (input !== null) callbacks?.onInput?.({ write: (text) => void input.write(text), end: () => void input.end() });
  const cut = await Promise.race([process.ended.then(() => null), watch.cut]);
  if (cut !== null) await putDown(process, callbacks?.cancel() === true);
  const exit = await process.ended;
  const limits = watch.end();
  if (!isFenced(job)) killTagged(job.nonce);
  await drain(pipes);
  callbacks?.over();
  if (cut !== null) return { ending: { ...cut, code: exit.code, signal: exit.signal }, limits };
  return { ending: { reason: 'exited', code: exit.code, signal: exit.signal }, limits };
}

const takesInput = ({ callbacks = null }: FencedRun): boolean => callbacks !== null && callbacks.onInput !== null;

/** Places of the host that the canary tries to write. */
const placesOutside = ({ files, job, host }: JobFence): readonly string[] => [
  ...new Set([files.path, job.repository, job.checkout, host.home, '/tmp']),
];

function commandOf(fence: JobFence, run: FencedRun): FencedCommand {
  const { host, job, files } = fence;
  const network = typeof run.network === 'string' ? run.network : 'relay';
  const { argv, terminal = false, stdin = '/dev/null' } = run;
  const inner = startCommand(
    {
      argv,
      network,
      stdin: takesInput(run) ? null : stdin,
      fenced: isFenced(job),
      token: job.nonce,
      outside: placesOutside(fence),
    },
    host,
  );
  if (!isFenced(job)) return { file: host.tools.setpriv, args: ['--pdeathsig', 'KILL', '--', ...inner], filter: null };
  const binds = [...bindsOf(fence), ...(run.binds ?? [])];
  const command = fenceCommand({ workspace: files.workspace, binds, network, terminal }, host, inner);
  return terminal ? onOwnTerminal(command, host, fence.environment) : command;
}

/** Everything that each process of a job may reach besides its workspace. */
const bindsOf = ({ job, files, runtime, environment, readOnly }: JobFence): readonly Bind[] => {
  const objects = objectsBeside(files.workspace);
  return [
    ...runtime.binds,
    ...(hasRepository(job) ? [{ source: objects, target: objects, access: 'read' } as const] : []),
    ...certificateBinds(environment),
    ...job.fence.read.map((path): Bind => ({ source: path, target: path, access: 'read' })),
    ...job.fence.write.map((path): Bind => ({ source: path, target: path, access: 'write' })),
    ...readOnly,
  ];
};

function variablesOf({ job, files, host, environment }: JobFence, run: FencedRun): Record<string, string> {
  const workspace = isFenced(job) ? fencedWorkspace : files.workspace;
  const { network, pass = [], client = null } = run;
  const set = { ...job.environment, TIDEGATE_WORKSPACE: workspace, ...run.variables };
  return fencedEnvironment(environment, host, { network, pass, set, client });
}

/** Resolves with the reason when the process has to be ended. */
function watchLimits({ clock, stop }: JobFence, limits: Limits, isActive: () => boolean) {
  let state = startLimits(clock);
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<Stop>((resolve) => {
    const tick = (): void => {
      state = chargeTime(state, clock, isActive());
      const over = exceeded(state, limits);
      if (over !== null) resolve(over);
      else timer = setTimeout(tick, nextLook(state, limits));
    };
    timer = setTimeout(tick, nextLook(state, limits));
    stop.addEventListener('abort', () => resolve(stopOf(stop)), { once: true });
  });
  return {
    cut,
    end: (): LimitState => {
      clearTimeout(timer);
      return chargeTime(state, clock, true);
    },
  };
}

/** Sends TERM, and after 3 s KILL to everything. An agent that was asked to end its turn first has 2 s to exit by itself. */
async function putDown(process: Fenced, isAsked: boolean): Promise<void> {
  if (isAsked && (await hasEnded(process, courtesy))) return process.kill();
  process.terminate();
  await hasEnded(process, grace);
  process.kill();
}

async function hasEnded(process: Fenced, within: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), within);
  });
  const ended = await Promise.race([process.ended.then(() => true), late]);
  clearTimeout(timer);
  return ended;
}

/** In a fence the last writer is dead by now. Without one a stranger may hold the pipe, and nothing waits for it. */
async function drain(pipes: readonly OutputPipe[]): Promise<void> {
  const timer = setTimeout(() => {
    for (const pipe of pipes) pipe.abandon();
  }, 1_000);
  await Promise.all(pipes.map((pipe) => pipe.drained));
  clearTimeout(timer);
}

const stopOf = (signal: AbortSignal): Stop => signal.reason as Stop;

function stopped(signal: AbortSignal): Ending {
  const { reason, because } = stopOf(signal);
  return { reason, code: null, signal: null, because: { rule: 'not-begun', because } };
}

function notStarted(readiness: Readiness, output: FencedRun['output']): Ending {
  switch (readiness.outcome) {
    case 'breached':
      return launchFailed({ rule: 'fence-breached', breaches: readiness.breaches });
    case 'failed': {
      const words = output.shown().trim().slice(-500);
      const { code, signal, failure } = readiness;
      if (failure !== null) return launchFailed({ rule: 'fence-not-started', words: [failure, words] });
      return launchFailed({ rule: 'fence-ended', code, signal, words });
    }
    case 'held':
      return launchFailed({ rule: 'program-missing', program: readiness.missing ?? '' });
  }
}

export const launchFailed = (because: Finding): Ending => ({
  reason: 'launch-failed',
  code: null,
  signal: null,
  because,
});

/** Milliseconds. `monotonic` may stand still while the host sleeps; `wall` never does, and may be set by people. */
export type JobClock = { monotonic(): number; wall(): number };

export type Limits = { readonly minutes: number; readonly silence: number };

export type LimitState = {
  readonly chargedMs: number;
  readonly silentMs: number;
  readonly sleptMs: number;
  readonly at: { readonly monotonic: number; readonly wall: number };
};

/** A longer step than this between two looks means that we did not run: the host slept or was paused. */
const longestStep = 15_000;
/** The wall clock may run ahead by this much before we call it sleep. */
const drift = 5_000;

export const startLimits = (clock: JobClock): LimitState => ({ chargedMs: 0, silentMs: 0, sleptMs: 0, at: now(clock) });

/** Charges the time since the last look, but not what the host slept; after a sleep silence begins anew. */
export function chargeTime(state: LimitState, clock: JobClock, isActive: boolean): LimitState {
  const at = now(clock);
  const monotonic = Math.max(0, at.monotonic - state.at.monotonic);
  const ahead = at.wall - state.at.wall - monotonic;
  const charged = Math.min(monotonic, longestStep);
  const slept = (ahead > drift ? ahead : 0) + (monotonic - charged);
  return {
    chargedMs: state.chargedMs + charged,
    silentMs: isActive || slept > 0 ? 0 : state.silentMs + charged,
    sleptMs: state.sleptMs + slept,
    at,
  };
}

type Exceeded = { readonly reason: 'timed-out' | 'silent'; readonly because: Finding };

export function exceeded(state: LimitState, { minutes, silence }: Limits): Exceeded | null {
  if (state.chargedMs >= minutes * 60_000) return { reason: 'timed-out', because: { rule: 'time-limit', minutes } };
  if (state.silentMs < silence * 60_000) return null;
  return { reason: 'silent', because: { rule: 'silence-limit', minutes: silence } };
}

/** Returns when to look again: at the next limit, at least once a second so that a sleep is seen. */
export function nextLook(state: LimitState, limits: Limits): number {
  const left = Math.min(limits.minutes * 60_000 - state.chargedMs, limits.silence * 60_000 - state.silentMs);
  return Math.max(1, Math.min(1_000, left));
}

const now = (clock: JobClock) => ({ monotonic: clock.monotonic(), wall: clock.wall() });

/** Opens the relay of a fence with a list of hosts; null for other fences. */
export async function openJobRelay(
  { job, runtime, environment }: Pick<JobFence, 'job' | 'runtime' | 'environment'>,
  onDenied: (target: string, because: Finding) => void,
): Promise<AsyncDisposable | null> {
  const hosts = job.fence.network;
  if (typeof hosts === 'string' || !isFenced(job)) return null;
  // Loaded only where it is used: every other supervisor does without Node's HTTP.
  const { openRelay } = await import('../../adapters/relay/index.ts');
  return await openRelay(runtime.relaySocket, { hosts, environment, onDenied });
}
