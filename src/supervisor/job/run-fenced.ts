import {
  type Bind,
  type Fenced,
  type FencedCommand,
  fenceCommand,
  fencedEnvironment,
  type Host,
  launch,
  onOwnTerminal,
  type Readiness,
  startCommand,
  withFixedView,
} from '../../adapters/fence/index.ts';
import { killTagged } from '../../adapters/supervisors/tagged-processes.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { Network } from '../../domain/plan/plan.ts';
import type { Output } from '../output/output.ts';
import { type OutputPipe, openOutputPipe } from '../output/output-pipe.ts';
import { chargeTime, exceeded, type JobClock, type LimitState, type Limits, nextLook, startLimits } from './limits.ts';

export type FencedRun = {
  readonly argv: readonly string[];
  readonly fenced: boolean;
  readonly host: Host;
  readonly workspace: string;
  readonly binds: readonly Bind[];
  readonly network: Network;
  readonly environment: Parameters<typeof fencedEnvironment>[2]['set'];
  readonly pass: readonly string[];
  /** A directory of ours that comes first on the PATH; null for processes that may not talk to us. */
  readonly client: string | null;
  /** Its name inside; empty: what the launch gives it. */
  readonly stdin: string;
  /** It gets a terminal of its own, shown on the one that we were started on; `output` and `ears` hear nothing then. */
  readonly terminal?: true;
  readonly output: Pick<Output, 'write' | 'shown'>;
  /** Listens to stdout and stderr apart, and may talk on stdin instead of the file; null: both are only kept. */
  readonly ears: Ears | null;
  /** Where a pipe can be made for a moment. */
  readonly scratch: string;
  /** Places of the host that the canary tries to write. */
  readonly outside: readonly string[];
  readonly token: string;
  readonly limits: Limits;
  readonly clock: JobClock;
  readonly ours: Readonly<Record<string, string | undefined>>;
  /** Aborted with a Stop. */
  readonly stop: AbortSignal;
  /** Durable notes of the start; the first instruction of argv comes after it returned. */
  onReady(readiness: Readiness, fenced: Fenced): Promise<void>;
};

/** Why a process has to be ended. */
export type Stop = { readonly reason: Ending['reason']; readonly because: Finding };

export type Ears = {
  out(chunk: Uint8Array): void;
  error(chunk: Uint8Array): void;
  /** Everything that was written has been heard. */
  over(): void;
  /** A tool of the agent's runs: a long silence is the tool's then, and only the time limit ends it. */
  isWaiting(): boolean;
  /** Asks the agent to end its turn; false where it cannot be asked. */
  cancel(): boolean;
  /** Null when the agent is not talked to: then stdin is the file. */
  readonly talk: ((line: AgentStdin) => void) | null;
};

/** To the agent's stdin. */
export type AgentStdin = { say(text: string): void; hangUp(): void };

const grace = 3_000;
/** For an agent that ends its turn when it is asked to. */
const courtesy = 2_000;

/** Runs one command in the fence to its end; nothing of it is alive when this resolves (I9). */
export async function runFenced(run: FencedRun): Promise<{ readonly ending: Ending; readonly limits: LimitState }> {
  let heard = false;
  const openPipe = (name: string, listen: ((chunk: Uint8Array) => void) | undefined) =>
    openOutputPipe(`${run.scratch}/${name}`, run.host.tools.mkfifo, run.host.agent.uid, (chunk) => {
      heard = true;
      run.output.write(chunk);
      listen?.(chunk);
    });
  const { ears } = run;
  const pipes =
    run.terminal === true
      ? []
      : [openPipe('pipe', ears?.out), ...(ears === null ? [] : [openPipe('errors', ears.error)])];
  const seen = { ...run, host: withFixedView(run.host) };
  const process = launch({
    command: commandOf(seen),
    environment: variablesOf(seen),
    stdin: run.terminal === true ? 0 : isTalkedTo(run) ? 'open' : null,
    output: pipes[0]?.writeEnd ?? 1,
    errors: (pipes[1] ?? pipes[0])?.writeEnd ?? 2,
    cwd: run.fenced ? '/' : run.workspace,
    canary: run.fenced ? { token: run.token, workspace: run.workspace, outside: run.outside } : null,
  });
  for (const pipe of pipes) pipe.closeWriteEnd();
  const readiness = await process.ready;
  await run.onReady(readiness, process);
  if (readiness.outcome !== 'held' || readiness.missing !== null || run.stop.aborted) {
    process.kill();
    await process.ended;
    await drain(pipes);
    const ending = run.stop.aborted ? stopped(run.stop) : notStarted(readiness, run.output);
    return { ending, limits: startLimits(run.clock) };
  }
  const watch = watchLimits(run, () => {
    const was = heard;
    heard = false;
    return was || ears?.isWaiting() === true;
  });
  process.go();
  const { input } = process;
  if (input !== null) ears?.talk?.({ say: (text) => void input.write(text), hangUp: () => void input.end() });
  const cut = await Promise.race([process.ended.then(() => null), watch.cut]);
  if (cut !== null) await putDown(process, ears?.cancel() === true);
  const exit = await process.ended;
  const limits = watch.end();
  if (!run.fenced) killTagged(run.token);
  await drain(pipes);
  ears?.over();
  if (cut !== null) return { ending: { ...cut, code: exit.code, signal: exit.signal }, limits };
  return { ending: { reason: 'exited', code: exit.code, signal: exit.signal }, limits };
}

const isTalkedTo = ({ ears }: FencedRun): boolean => ears !== null && ears.talk !== null;

function commandOf(run: FencedRun): FencedCommand {
  const network = typeof run.network === 'string' ? run.network : 'relay';
  const inner = startCommand({ ...run, network, stdin: isTalkedTo(run) ? null : run.stdin }, run.host);
  if (run.fenced) {
    const { workspace, binds, terminal = false } = run;
    const command = fenceCommand({ workspace, binds, network, terminal }, run.host, inner);
    return terminal ? onOwnTerminal(command, run.host, run.ours) : command;
  }
  return { file: run.host.tools.setpriv, args: ['--pdeathsig', 'KILL', '--', ...inner], filter: null };
}

function variablesOf(run: FencedRun): Record<string, string> {
  const { network, pass, environment, ours, host, client } = run;
  return fencedEnvironment(ours, host, { network, pass, set: environment, client });
}

/** Resolves with the reason when the process has to be ended. */
function watchLimits(run: FencedRun, heardSince: () => boolean) {
  let state = startLimits(run.clock);
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<Stop>((resolve) => {
    const tick = (): void => {
      state = chargeTime(state, run.clock, heardSince());
      const over = exceeded(state, run.limits);
      if (over !== null) resolve(over);
      else timer = setTimeout(tick, nextLook(state, run.limits));
    };
    timer = setTimeout(tick, nextLook(state, run.limits));
    run.stop.addEventListener('abort', () => resolve(stopOf(run.stop)), { once: true });
  });
  return {
    cut,
    end: (): LimitState => {
      clearTimeout(timer);
      return chargeTime(state, run.clock, true);
    },
  };
}

/** TERM, 3 s, then everything. Whoever was asked to end is given 2 s to do so by itself. */
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

/** In a fence the last writer is dead by now. Without one a stranger may hold the pipe: it is not waited for. */
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
