import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentName, installed } from './installed.ts';
import { type Ask, invocations } from './invocation.ts';

/** A home, a temporary directory and a repository for one real agent that runs alone; removed with the scope. */
export interface AgentRoom extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  readonly work: string;
  write(path: string, content: string): void;
  start(ask: Omit<Ask, 'home'>): RunningAgent;
}

export interface RunningAgent {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly ended: Promise<Ended>;
  signal(signal: NodeJS.Signals): void;
}

export interface Ended {
  readonly argv: readonly string[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function agentRoom(name: AgentName): AgentRoom {
  const { program } = installed(name);
  if (program === null) throw new Error(`${name} is not installed`);
  const root = realpathSync(mkdtempSync(join(tmpdir(), `tidegate-${name}-`)));
  const [home, work, tmp] = ['home', 'work', 'tmp'].map((part) => join(root, part)) as [string, string, string];
  for (const directory of [home, work, tmp]) mkdirSync(directory);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: work });
  const running = new Set<RunningAgent>();
  return {
    root,
    home,
    work,
    write: (path, content) => put(join(work, path), content),
    start(ask) {
      const { args, env, files } = invocations[name]({ ...ask, home });
      for (const [path, content] of Object.entries(files)) put(join(home, path), content);
      const path = process.env['PATH'] ?? '/usr/bin:/bin';
      const started = launch([program, ...args], work, {
        PATH: path,
        HOME: home,
        TMPDIR: tmp,
        LC_ALL: 'C.UTF-8',
        ...env,
        ...ask.env,
      });
      running.add(started);
      void started.ended.finally(() => running.delete(started));
      return started;
    },
    async [Symbol.asyncDispose]() {
      for (const agent of running) agent.signal('SIGKILL');
      await Promise.all([...running].map(({ ended }) => ended));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** In a process group of its own, so that a signal reaches what a wrapper started too. */
function launch(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>): RunningAgent {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} did not start`);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ argv, code, signal, stdout, stderr }));
  });
  return { pid, argv, ended, signal: (signal) => void process.kill(-pid, signal) };
}

function put(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
