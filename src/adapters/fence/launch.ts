import { type ChildProcess, spawn } from 'node:child_process';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Breach, breachKinds } from '../../domain/gates/evidence.ts';
import { openWay } from '../files/agent-files.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { type FencedCommand, filterFd, goFd, reportFd, statusFd } from './fence.ts';
import { canaryFile } from './launch-script.ts';

export type FenceLaunch = {
  readonly command: FencedCommand;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Null: nothing; the file that the start names is opened inside. `open`: a pipe, written by `input`. A number: that
   * descriptor of this process.
   */
  readonly stdin: 'open' | number | null;
  readonly output: number;
  /** Usually the same as `output`. */
  readonly errors: number;
  readonly cwd: string;
  /** Null when the fence was waived: there is nothing to prove. */
  readonly canary: { readonly token: string; readonly workspace: string; readonly outside: readonly string[] } | null;
};

export type Readiness =
  | { readonly outcome: 'held'; readonly missing: string | null }
  | { readonly outcome: 'breached'; readonly breaches: readonly Breach[] }
  /** The agent has not run. `failure`: the system's error when the first program could not be started. */
  | {
      readonly outcome: 'failed';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly failure: string | null;
    };

export type Fenced = {
  /** Set when stdin is `open`. Writing to a process that has ended does not fail. */
  readonly input: Writable | null;
  /** Resolves with the canary's report. The agent's first instruction waits for `go`. */
  readonly ready: Promise<Readiness>;
  go(): void;
  /** Sends TERM to the agent and its process group. */
  terminate(): void;
  /** Sends KILL to everything in the fence. */
  kill(): void;
  /** Resolves when none of its processes is alive (I9). `code` is 128+n after a signal. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The first process of the fence's pid namespace; null without one. */
  readonly init: Promise<ProcessIdentity | null>;
};

export function launch(options: FenceLaunch): Fenced {
  const fenced = options.canary !== null;
  const stdin = options.stdin === 'open' ? 'pipe' : (options.stdin ?? 'ignore');
  const forBubblewrap = fenced ? 'pipe' : 'ignore';
  const stdio = [stdin, options.output, options.errors, 'pipe', 'pipe', forBubblewrap, forBubblewrap] as const;
  const child = spawn(options.command.file, options.command.args, {
    cwd: options.cwd,
    env: options.environment,
    stdio: [...stdio],
    detached: !fenced,
  });
  const go = child.stdio[goFd] as Writable;
  go.on('error', ignoreClosedPipe);
  if (fenced) writeFilter(child, options.command);
  child.stdin?.on('error', ignoreClosedPipe);
  const exit = exitOf(child);
  const init = fenced ? firstProcess(child, exit) : Promise.resolve(null);
  const ready = readiness(options, child, exit);
  return {
    input: child.stdin,
    ready,
    init,
    go: () => void go.end('go\n'),
    terminate: () => signalAgent(child, 'SIGTERM', fenced),
    kill: () => signalAll(child, fenced),
    ended: exit.then(async (status) => {
      const first = await init;
      if (first !== null) await untilDead(first);
      return status;
    }),
  };
}

/** Ends the pipe after writing: bubblewrap reads to its end. */
function writeFilter(child: ChildProcess, { filter }: FencedCommand): void {
  const pipe = (child.stdio as readonly unknown[])[filterFd] as Writable;
  pipe.on('error', ignoreClosedPipe);
  pipe.end(filter ?? '');
}

type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly failure: Error | null };

/** A missing program emits `error` and never `exit`, so the first event wins. */
const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('error', (failure) => resolve({ code: null, signal: null, failure }));
    child.once('exit', (code, signal) => resolve({ code, signal, failure: null }));
  });

const pipeOf = (child: ChildProcess, descriptor: number): Readable =>
  (child.stdio as readonly unknown[])[descriptor] as Readable;

async function readiness(options: FenceLaunch, child: ChildProcess, exit: Promise<Exit>): Promise<Readiness> {
  const lines = await linesUntil(pipeOf(child, reportFd), 'ready');
  const reported = lines
    .filter((line) => line.startsWith('breach '))
    .map((line) => breachIn(line.slice('breach '.length)));
  const breaches =
    options.canary === null ? reported : [...reported, ...canaryEscapes(options.canary, lines.includes('ready'))];
  if (breaches.length > 0) return { outcome: 'breached', breaches };
  if (!lines.includes('ready')) {
    const { code, signal, failure } = await exit;
    return { outcome: 'failed', code, signal, failure: failure?.message ?? null };
  }
  const missing = lines.find((line) => line.startsWith('missing '))?.slice('missing '.length) ?? null;
  return { outcome: 'held', missing };
}

/** Parses `<kind> <where>`, as the launch script prints it. An unknown kind is a breach as well. */
function breachIn(report: string): Breach {
  const [, word = '', at = ''] = /^(\S+) ?(.*)$/.exec(report) ?? [];
  const breach = breachKinds.find((kind) => kind === word);
  if (breach === undefined) return { breach: 'unknown', at: report.slice(0, 200) };
  return at === '' ? { breach } : { breach, at: at.slice(0, 200) };
}

/** Returns the files that the canary wrote on the host. The one in the workspace must exist: it shows that the canary could write at all. */
function canaryEscapes(canary: NonNullable<FenceLaunch['canary']>, ran: boolean): readonly Breach[] {
  const name = canaryFile(canary.token);
  const breaches = canary.outside
    .map((directory) => join(directory, name))
    .filter(remove)
    .map((at): Breach => ({ breach: 'wrote-outside', at }));
  return remove(join(canary.workspace, name)) || !ran ? breaches : [...breaches, { breach: 'workspace-unwritten' }];
}

/** Removes the canary file that a killed supervisor left in a workspace. Anything but a plain file is not the canary's. */
export function removeCanary(workspace: string, token: string): void {
  openWay(workspace, canaryFile(token));
  const path = join(workspace, canaryFile(token));
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
}

/** False when there is no such file. */
function remove(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

function linesUntil(stream: Readable, last: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    let text = '';
    const finish = () => resolve(text.split('\n').filter((line) => line !== ''));
    stream.on('error', finish);
    stream.on('end', finish);
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith(`${last}\n`)) finish();
    });
  });
}

/** Reads bubblewrap's status, which names the namespace's first process before it runs anything. */
async function firstProcess(child: ChildProcess, exit: Promise<Exit>): Promise<ProcessIdentity | null> {
  const reported = new Promise<ProcessIdentity | null>((resolve) => {
    let text = '';
    pipeOf(child, statusFd)
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        const pid = /"child-pid": (\d+)/.exec(text)?.[1];
        if (pid !== undefined) resolve(identityOf(Number(pid)));
      });
    pipeOf(child, statusFd)
      .on('end', () => resolve(null))
      .on('error', () => resolve(null));
  });
  return await Promise.race([reported, exit.then(() => reported)]);
}

function signalAgent(child: ChildProcess, signal: NodeJS.Signals, fenced: boolean): void {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // Fenced: bubblewrap, its first process in the namespace, then the agent. The kernel shields the first process, usually
  // the leader of the agent's group, from TERM.
  const groups = fenced ? childrenOf(pid).flatMap(childrenOf).map(groupOf) : [pid];
  for (const group of new Set(groups)) if (group > 1) sendTo(-group, signal);
}

function signalAll(child: ChildProcess, fenced: boolean): void {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const first = fenced ? childrenOf(pid) : [-pid];
  for (const process of first) sendTo(process, 'SIGKILL');
  if (first.length === 0) sendTo(pid, 'SIGKILL');
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid: number): readonly number[] {
  const text = readProcess(`${pid}/task/${pid}/children`).trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Returns 0 when the process has ended. */
function groupOf(pid: number): number {
  const stat = readProcess(`${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] ?? 0);
}

/** Returns '' when the process has ended. */
function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}

/** Waits for the first process of a pid namespace, which the kernel lets end only after all others. */
async function untilDead(first: ProcessIdentity): Promise<void> {
  while (isAlive(first)) {
    sendTo(first.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
}
