import { chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bind, fencedRuntime, fencedWorkspace, type Host } from '../../adapters/fence/index.ts';
import { isTooLong } from '../../adapters/files/agent-files.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { findLogin } from '../../agents/common/login.ts';
import { findProgram } from '../../agents/common/program.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Executor, Launch, LaunchContext } from '../../ports/executor.ts';
import type { Job } from '../../ports/supervisor.ts';
import type { RuntimeDirectory } from '../job/runtime-directory.ts';

export type PreparedLaunch = { readonly seat: LaunchContext; readonly launch: Launch; readonly binds: readonly Bind[] };

type SeatOrder = {
  readonly job: Job;
  readonly files: JobDirectory;
  readonly runtime: RuntimeDirectory;
  readonly host: Host;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly prompt: string;
  /** A session to go on with: that of the launch before, or of an earlier attempt. */
  readonly session: LaunchContext['session'];
};

/** Everything around one launch of an agent, or why there can be none. */
export function prepareLaunch(executor: Executor, order: SeatOrder): PreparedLaunch | Finding {
  const { job, files, runtime, host } = order;
  const isFenced = job.fence.mode !== 'none';
  const workspace = isFenced ? fencedWorkspace : files.workspace;
  const client = isFenced ? `${fencedRuntime}/bin/tidegate` : join(runtime.bin, 'tidegate');
  const variables = Object.fromEntries(
    (job.agent?.variables ?? []).flatMap((name) => {
      const value = order.environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const { prompt, session } = order;
  const blank = { job, workspace, client, variables, prompt, session, program: '', drives: null, home: '' };
  if (job.agent === null) return { seat: blank, launch: executor.prepare(blank), binds: [] };

  const found = findProgram(job.agent.program, order.environment, executor.resolve ?? ((path) => path));
  if (found === null) return { rule: 'program-not-found', program: job.agent.program };
  const driven =
    job.agent.drives === undefined ? null : findProgram(job.agent.drives, order.environment, (path) => path);
  const roots = [...new Set([found.root, driven?.root ?? found.root])];
  const closed = [job.checkout, dirname(job.repository)];
  if (closed.some((path) => roots.some((root) => `${path}/`.startsWith(`${root}/`))))
    return { rule: 'program-not-shown', program: found.path };
  const login = isFenced ? loginOf(order) : null;
  const kept = agentHome(files, job);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  const home = isFenced ? `${fencedRuntime}/home` : kept;
  const seat = { ...blank, program: found.path, drives: driven?.path ?? null, home };
  const launch = executor.prepare(seat);
  const settings = Object.entries(launch.files).map(([name, text]) => {
    const source = join(runtime.settings, name.replaceAll('/', '_'));
    writeFileSync(source, text, { mode: 0o644 });
    const place = placeFor(kept, name);
    if (!isFenced) writeFileSync(place, text);
    return { source, target: join(home, name), access: 'read' as const };
  });
  const mounted = [...settings, ...(login === null ? [] : [mountLogin(login, kept, home)])];
  if (host.uid === 0 && isFenced) giveTo(kept, host.agent.uid);
  return {
    seat,
    launch,
    binds: [
      ...roots.map((root) => ({ source: root, target: root, access: 'read' as const })),
      { source: kept, target: home, access: 'write' },
      ...mounted,
    ],
  };
}

/** The person's own file, when that is how the agent is logged in. */
function loginOf({ job, environment, host }: SeatOrder): { readonly path: string; readonly inside: string } | null {
  if (job.agent?.login === undefined) return null;
  const found = findLogin(job.agent, environment, host.agent);
  return found.by === 'file' ? { path: found.path, inside: job.agent.login.inside } : null;
}

/** Writable: what the agent renews must reach the person. */
function mountLogin({ path, inside }: { path: string; inside: string }, kept: string, home: string): Bind {
  placeFor(kept, inside);
  return { source: path, target: join(home, inside), access: 'write' };
}

/**
 * An empty file to mount over: bubblewrap binds only what is there. What an earlier agent put in the way is removed, never walked
 * through: as root we would write wherever its link leads.
 */
function placeFor(kept: string, name: string): string {
  const steps = name.split('/');
  const paths = steps.map((_, index) => join(kept, ...steps.slice(0, index + 1)));
  for (const path of paths) {
    const wanted = path === paths.at(-1) ? 'file' : 'directory';
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (wanted === 'file' ? found?.isFile() : found?.isDirectory()) continue;
    if (found !== undefined) removeTreeSync(path);
    if (wanted === 'file') writeFileSync(path, '', { mode: 0o600 });
    else mkdirSync(path, { mode: 0o700 });
  }
  return join(kept, name);
}

/** Of the attempt that began the session: what the agent remembers of it is there. */
export function agentHome(files: JobDirectory, job: Job): string {
  const session = job.agent?.session;
  const owner = session === null || session === undefined ? files.path : join(dirname(files.path), session.job);
  return join(owner, 'home');
}

/** Links are not followed: the agent of an earlier attempt made what lies here. What lies too deep to be named is not given. */
function giveTo(path: string, uid: number): void {
  if (isTooLong(path)) return;
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  if (stats.nlink > 1 && !stats.isDirectory()) return;
  chownSync(path, uid, uid);
  if (stats.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), uid);
}
