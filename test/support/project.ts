import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { removeTreeSync } from '../../src/adapters/files/remove-tree.ts';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { isAlive } from '../../src/adapters/process/process-identity.ts';
import { type StateDir, stateDir } from '../../src/domain/ledger/state-dir.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { LedgerDamaged, type Stored } from '../../src/ports/ledger.ts';
import { processesWith } from './processes.ts';
import { runOnly } from './run-only.ts';

export const program = fileURLToPath(new URL('../../dist/main/cli.js', import.meta.url));

/** Where Node keeps what it compiled, for tests that are many; absent elsewhere. */
const { NODE_COMPILE_CACHE: cache } = process.env;
const compiled = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A person's repository with a plan, a state directory of its own, and the real program. Removed with the scope. */
export async function project(options: {
  readonly files?: Readonly<Record<string, string>>;
  readonly plan: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Where it lies; by default where temporary files do. */
  readonly place?: string;
  /** The user that it is run as; by default the one who runs the test. */
  readonly as?: { readonly uid: number; readonly gid: number } | undefined;
}) {
  const as = options.as ?? {};
  const root = mkdtempSync(join(options.place ?? tmpdir(), 'tg-'));
  const checkout = join(root, 'repo');
  const stateRoot = join(root, 'state');
  mkdirSync(checkout);
  mkdirSync(join(root, 'home'));
  const own = (...paths: string[]): void => {
    if (options.as !== undefined) for (const path of paths) chownSync(path, options.as.uid, options.as.gid);
  };
  own(root, checkout, join(root, 'home'));
  const git = (...args: string[]): string => runOnly('git', args, checkout, {}, as).trim();
  const write = (path: string, text: string, mode?: number): void => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
    if (mode !== undefined) chmodSync(join(checkout, path), mode);
  };
  git('init', '-q', '-b', 'main');
  appendFileSync(join(checkout, '.git/config'), '[user]\n\tname = Ada\n\temail = ada@example.com\n');
  for (const [path, text] of Object.entries({ 'readme.md': 'hello\n', ...options.files })) write(path, text);
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  const planFile = join(root, 'plan.yaml');
  writeFileSync(join(checkout, 'plan.yaml'), stringify(options.plan));
  git('add', '-A');
  git('commit', '-q', '-m', 'the plan');

  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(root, 'home'),
    ...compiled,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    TIDEGATE_STATE_DIR: stateRoot,
    // How full the disk of this machine is must not matter.
    TIDEGATE_DISK_FREE: '0MB',
    ...options.env,
  };
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [program, ...args], {
      cwd: checkout,
      env: { ...environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...as,
    });
  const cli = async (...args: string[]): Promise<Ended> => ended(start(args));
  return {
    root,
    checkout,
    planFile,
    git,
    write,
    /** Gives what a test made to the user of the project. */
    own,
    start,
    cli,
    environment,
    /** The one state directory that the program made. */
    state: (): StateDir => stateDir(join(stateRoot, readdirSync(stateRoot)[0] ?? '')),
    async events(): Promise<readonly Stored[]> {
      const [name] = readdirSync(stateRoot);
      await using ledger = await openSqliteLedger(stateDir(join(stateRoot, name ?? '')).ledger);
      return await ledger.readAll();
    },
    [Symbol.asyncDispose]: async () => {
      for (const run of await openRuns(stateRoot)) await cli('stop', run, '--json');
      await endCoordinators(stateRoot);
      await endWorkers(stateRoot);
      removeTreeSync(root);
    },
  };
}

export type Project = Awaited<ReturnType<typeof project>>;

/** A run that has not ended may have agents at work. A ledger that a test has damaged has none that we could stop. */
async function openRuns(stateRoot: string): Promise<readonly string[]> {
  const open: string[] = [];
  for (const file of ledgersBelow(stateRoot)) {
    try {
      await using ledger = await openSqliteLedger(file, { check: 'head' });
      for (const stream of await ledger.streams())
        if (stream !== 'repo' && foldRun(await ledger.read(stream))?.ended === null) open.push(stream);
    } catch (error) {
      if (!(error instanceof LedgerDamaged)) throw error;
    }
  }
  return open;
}

function ledgersBelow(stateRoot: string): readonly string[] {
  if (!existsSync(stateRoot)) return [];
  return readdirSync(stateRoot)
    .map((name) => stateDir(join(stateRoot, name)).ledger)
    .filter((path) => existsSync(path));
}

/** Those in the background outlive the command that started them; a test's must not outlive the test. */
async function endCoordinators(stateRoot: string): Promise<void> {
  for (const file of ledgersBelow(stateRoot)) {
    await using ledger = await openSqliteLedger(file, { check: 'head' });
    const held = await ledger.holder();
    if (held === null || held.holder.pid === process.pid || !isAlive(held.holder)) continue;
    process.kill(held.holder.pid, 'SIGTERM');
    while (isAlive(held.holder)) await nextLook(20);
  }
}

/** A supervisor whose coordinator is gone waits for the next one, which no test brings. */
async function endWorkers(stateRoot: string): Promise<void> {
  for (let left = processesWith(stateRoot); left.length > 0; left = processesWith(stateRoot)) {
    for (const pid of left) killIfThere(Number(pid));
    await nextLook(20);
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves when the program has ended. */
export function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A task whose agent is a shell script. */
export const scripted = (script: string, more: object = {}) => ({
  do: 'Do what the script does.',
  agent: 'command',
  command: ['/bin/sh', '-ec', script],
  ...more,
});

export const handoff = 'tidegate handoff done -m "did it"';
