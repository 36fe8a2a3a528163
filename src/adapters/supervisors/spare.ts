import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { JobDirectory } from './job-directory.ts';

export type SupervisorProgram = {
  /** The state directory's `jobs`. */
  readonly jobs: string;
  readonly node: string;
  /** dist/main/supervisor.js */
  readonly program: string;
  /** Inherited by supervisors: variables that plans pass on by name come from here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** File descriptor from which a waiting supervisor reads its job. */
const orderFd = 3;

/**
 * Keeps one supervisor loaded and waiting while agents work, so that the next task does not wait for a program to load.
 * It holds no job and no file. When this process ends, its pipe closes and it ends too.
 */
export function keepSpare(program: SupervisorProgram) {
  const log = `${dirname(program.jobs)}/supervisor.next.log`;
  let spare: ChildProcess | null = null;
  return {
    prepare(): void {
      if (spare !== null && spare.exitCode === null && spare.signalCode === null) return;
      rmSync(log, { force: true });
      spare = spawnSupervisor(program, log, ['--wait', program.jobs], 'pipe');
      spare.once('error', () => undefined);
      const order = orderOf(spare);
      order?.on('error', () => undefined);
      order?.unref();
    },
    /** Gives the job to the waiting supervisor; null when there is none. A job's second supervisor is always a new one. */
    take(files: JobDirectory): ChildProcess | null {
      const taken = spare;
      spare = null;
      if (taken === null || taken.exitCode !== null || taken.signalCode !== null) return null;
      if (!existsSync(log) || existsSync(logOf(files))) {
        orderOf(taken)?.end();
        return null;
      }
      renameSync(log, logOf(files));
      orderOf(taken)?.end(files.path);
      return taken;
    },
    drop(): void {
      if (spare === null) return;
      orderOf(spare)?.end();
      spare = null;
      rmSync(log, { force: true });
    },
  };
}

export type Spare = ReturnType<typeof keepSpare>;

export const logOf = (files: JobDirectory): string => `${files.path}/supervisor.log`;

/** Starts it in a session of its own, so that a signal to the coordinator's terminal does not reach it. */
export function spawnSupervisor(
  program: SupervisorProgram,
  log: string,
  args: readonly string[],
  order: 'pipe' | 'ignore' = 'ignore',
): ChildProcess {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(program.node, ['--max-semi-space-size=1', program.program, ...args], {
    cwd: '/',
    env: program.environment,
    stdio: ['ignore', output, output, ...(order === 'pipe' ? (['pipe'] as const) : [])],
    detached: true,
  });
  closeSync(output);
  child.unref();
  return child;
}

const orderOf = (child: ChildProcess): Socket | undefined => child.stdio[orderFd] as Socket | undefined;
