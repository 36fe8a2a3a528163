import { type ChildProcess, spawn } from 'node:child_process';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Breach, breachKinds } from '../../domain/gates/evidence.ts';
import { openWay } from '../files/open-mode.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { type FencedCommand, filterFd, goFd, reportFd, statusFd } from './fence.ts';
import { canaryFile } from './launch-script.ts';

export type FenceLaunch = {
  readonly command: FencedCommand;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Null: nothing; the file that the start names is opened inside. `open`: a line of its own, by `input`. A number: that
   * descriptor of ours.
   */
  readonly stdin: 'open' | number | null;
  readonly output: number;
  /** Usually the same as `output`. */
  readonly errors: number;
  readonly cwd: string;
  /** null: nothing to prove, the fence was waived. */
  readonly canary: { readonly token: string; readonly workspace: string; readonly outside: readonly string[] } | null;
};

export type Readiness =
  | { readonly outcome: 'held'; readonly missing: string | null }
  | { readonly outcome: 'breached'; readonly breaches: readonly Breach[] }
  /** Nothing of the agent's has run. `failure`: why its first program could not be started, in the system's words. */
  | {
      readonly outcome: 'failed';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly failure: string | null;
    };

export type Fenced = {
  /** Set when stdin is `open`. Writing to a process that is gone is no failure. */
  readonly input: Writable | null;
  /** What the canary found. The agent's first instruction waits for `go`. */
  readonly ready: Promise<Readiness>;
  go(): void;
  /** TERM to the agent and its process group. */
  terminate(): void;
  /** KILL to everything in the fence. */
  kill(): void;
  /** Resolves when nothing of it is alive any more (I9). `code` is 128+n after a signal. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The first process of the fence's pid namespace, when there is one. */
  readonly init: Promise<ProcessIdentity | null>;
};

export function launch(wanted: FenceLaunch): Fenced {
  const fenced = wanted.canary !== null;
  const stdin = wanted.stdin === 'open' ? 'pipe' : (wanted.stdin ?? 'ignore');
  const forBubblewrap = fenced ? 'pipe' : 'ignore';
  const stdio = [stdin, wanted.output, wanted.errors, 'pipe', 'pipe', forBubblewrap, forBubblewrap] as const;
  const child = spawn(wanted.command.file, wanted.command.args, {
    cwd: wanted.cwd,
    env: wanted.environment,
    stdio: [...stdio],
    detached: !fenced,
  });
  const go = child.stdio[goFd] as Writable;
  go.on('error', ignoreClosedPipe);
  if (fenced) giveFilter(child, wanted.command);
  child.stdin?.on('error', ignoreClosedPipe);
  const over = exitOf(child);
  const init = fenced ? firstProcess(child, over) : Promise.resolve(null);
  const ready = readiness(wanted, child, over);
  return {
    input: child.stdin,
    ready,
    init,
    go: () => void go.end('go\n'),
    terminate: () => signalAgent(child, 'SIGTERM', fenced),
    kill: () => signalAll(child, fenced),
    ended: over.then(async (exit) => {
      const first = await init;
      if (first !== null) await untilDead(first);
      return exit;
    }),
  };
}

/** Without its end bubblewrap would wait for more. */
function giveFilter(child: ChildProcess, { filter }: FencedCommand): void {
  const pipe = (child.stdio as readonly unknown[])[filterFd] as Writable;
  pipe.on('error', ignoreClosedPipe);
  pipe.end(filter ?? '');
}

type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly failure: Error | null };

/** A missing program is `error` and never `exit`: the first event wins. */
const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('error', (failure) => resolve({ code: null, signal: null, failure }));
    child.once('exit', (code, signal) => resolve({ code, signal, failure: null }));
  });

const pipeOf = (child: ChildProcess, descriptor: number): Readable =>
  (child.stdio as readonly unknown[])[descriptor] as Readable;

async function readiness(wanted: FenceLaunch, child: ChildProcess, over: Promise<Exit>): Promise<Readiness> {
  const lines = await linesUntil(pipeOf(child, reportFd), 'ready');
  const said = lines.filter((line) => line.startsWith('breach ')).map((line) => breachIn(line.slice('breach '.length)));
  const breaches = wanted.canary === null ? said : [...said, ...escaped(wanted.canary, lines.includes('ready'))];
  if (breaches.length > 0) return { outcome: 'breached', breaches };
  if (!lines.includes('ready')) {
    const { code, signal, failure } = await over;
    return { outcome: 'failed', code, signal, failure: failure?.message ?? null };
  }
  const missing = lines.find((line) => line.startsWith('missing '))?.slice('missing '.length) ?? null;
  return { outcome: 'held', missing };
}

/** `<kind> <where>`, as the launch script prints it. What we do not understand is a breach as well. */
function breachIn(report: string): Breach {
  const [, word = '', at = ''] = /^(\S+) ?(.*)$/.exec(report) ?? [];
  const breach = breachKinds.find((kind) => kind === word);
  if (breach === undefined) return { breach: 'unknown', at: report.slice(0, 200) };
  return at === '' ? { breach } : { breach, at: at.slice(0, 200) };
}

/** What the canary wrote on the host. The one in the workspace must be there: it shows that the canary could write at all. */
function escaped(canary: NonNullable<FenceLaunch['canary']>, ran: boolean): readonly Breach[] {
  const name = canaryFile(canary.token);
  const wrote = canary.outside
    .map((directory) => join(directory, name))
    .filter(removed)
    .map((at): Breach => ({ breach: 'wrote-outside', at }));
  return removed(join(canary.workspace, name)) || !ran ? wrote : [...wrote, { breach: 'workspace-unwritten' }];
}

/** One that a supervisor left which died meanwhile: it is no work. What is not a plain file is not the canary's. */
export function removeCanary(workspace: string, token: string): void {
  openWay(workspace, canaryFile(token));
  const path = join(workspace, canaryFile(token));
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
}

function removed(path: string): boolean {
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

/** bubblewrap names the namespace's first process before that runs anything of ours. */
async function firstProcess(child: ChildProcess, over: Promise<Exit>): Promise<ProcessIdentity | null> {
  const told = new Promise<ProcessIdentity | null>((resolve) => {
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
  return await Promise.race([told, over.then(() => told)]);
}

function signalAgent(child: ChildProcess, signal: NodeJS.Signals, fenced: boolean): void {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // Fenced: bubblewrap, its first process in the namespace, then the agent. The first process, usually the leader of the
  // agent's group, is not moved by TERM: the kernel shields it.
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

/** 0 when the process is gone. */
function groupOf(pid: number): number {
  const stat = readProcess(`${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] ?? 0);
}

/** Empty when the process is gone. */
function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}

/** The first process of a pid namespace is gone only after every other: the kernel ends them before it lets it go. */
async function untilDead(first: ProcessIdentity): Promise<void> {
  while (isAlive(first)) {
    sendTo(first.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
}
