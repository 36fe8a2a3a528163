import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bind, fencedRuntime, fencedWorkspace } from '../../adapters/fence/index.ts';
import { isTooLong } from '../../adapters/files/agent-files.ts';
import { removeTreeSync } from '../../adapters/files/remove-tree.ts';
import { findProgram } from '../../adapters/process/program.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { findLogin } from '../../agents/common/login.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { Launch, LaunchContext } from '../../ports/executor.ts';
import type { Job } from '../../ports/supervisor.ts';
import { isFenced, type PreparedJob } from '../job/context.ts';

export type PreparedLaunch = {
  readonly context: LaunchContext;
  readonly launch: Launch;
  readonly binds: readonly Bind[];
};

/** Prepares one launch of an agent, or says why there can be none. */
export function prepareLaunch(prepared: PreparedJob, prompt: string): PreparedLaunch | Finding {
  const { job, files, runtime, host, environment, executor } = prepared;
  const fenced = isFenced(job);
  const variables = Object.fromEntries(
    (job.agent?.variables ?? []).flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const blank: LaunchContext = {
    job,
    workspace: fenced ? fencedWorkspace : files.workspace,
    client: fenced ? `${fencedRuntime}/bin/tidegate` : join(runtime.bin, 'tidegate'),
    variables,
    prompt,
    session: prepared.watch?.session() ?? null,
    program: '',
    drives: null,
    home: '',
  };
  if (job.agent === null) return { context: blank, launch: executor.prepare(blank), binds: [] };

  const program = findProgram(job.agent.program, environment, executor.resolve ?? ((path) => path));
  if (program === null) return { rule: 'program-not-found', program: job.agent.program };
  const driven = job.agent.drives === undefined ? null : findProgram(job.agent.drives, environment, (path) => path);
  const roots = [...new Set([program.root, driven?.root ?? program.root])];
  const closed = [job.checkout, dirname(job.repository)];
  if (closed.some((path) => roots.some((root) => `${path}/`.startsWith(`${root}/`))))
    return { rule: 'program-not-shown', program: program.path };
  const login = fenced ? loginOf(prepared) : null;
  const kept = agentHome(files, job);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  const home = fenced ? `${fencedRuntime}/home` : kept;
  const context = { ...blank, program: program.path, drives: driven?.path ?? null, home };
  const launch = executor.prepare(context);
  const settings = Object.entries(launch.files).map(([name, text]) => {
    const source = join(runtime.settings, name.replaceAll('/', '_'));
    writeFileSync(source, text, { mode: 0o644 });
    const place = placeFor(kept, name);
    if (!fenced) writeFileSync(place, text);
    return { source, target: join(home, name), access: 'read' as const };
  });
  const mounted = [...settings, ...(login === null ? [] : [mountLogin(login, kept, home)])];
  if (host.uid === 0 && fenced) giveTo(kept, host.agent.uid);
  return {
    context,
    launch,
    binds: [
      ...roots.map((root) => ({ source: root, target: root, access: 'read' as const })),
      { source: kept, target: home, access: 'write' },
      ...mounted,
    ],
  };
}

/** Returns the person's own login file, when the agent is logged in by it. */
function loginOf({ job, environment, host }: PreparedJob): { readonly path: string; readonly inside: string } | null {
  if (job.agent?.login === undefined) return null;
  const found = findLogin(job.agent, environment, host.agent);
  return found.by === 'file' ? { path: found.path, inside: job.agent.login.inside } : null;
}

/** Writable, because a token that the agent renews must reach the person. */
function mountLogin({ path, inside }: { path: string; inside: string }, kept: string, home: string): Bind {
  placeFor(kept, inside);
  return { source: path, target: join(home, inside), access: 'write' };
}

/**
 * Makes an empty file to mount over, because bubblewrap binds only to what exists. Anything that an earlier agent put there is removed
 * and never followed: as root we would write wherever its link leads.
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

/** The home of the attempt that began the session, which holds the agent's memory of it. */
export function agentHome(files: JobDirectory, job: Job): string {
  const session = job.agent?.session;
  const owner = session === null || session === undefined ? files.path : join(dirname(files.path), session.job);
  return join(owner, 'home');
}

/** Does not follow links, because the agent of an earlier attempt made them. Skips files whose path is too long. */
function giveTo(path: string, uid: number): void {
  if (isTooLong(path)) return;
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  if (stats.nlink > 1 && !stats.isDirectory()) return;
  chownSync(path, uid, uid);
  if (stats.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), uid);
}

/** Runs a program in the fence and passes on everything that it prints. */
type RunProgram = (argv: readonly string[], write: (chunk: Uint8Array) => void) => Promise<{ readonly ending: Ending }>;

/**
 * Returns the answer of a program to `--version`; null when it gives none. Some programs take seconds for it, so the answer is kept in
 * `memory` for as long as the program's file stays the same.
 */
export async function agentVersion(program: string, memory: string, run: RunProgram): Promise<string | null> {
  const { mtimeMs, size } = statSync(program);
  const key = createHash('sha256').update(`${program}\0${mtimeMs}\0${size}`).digest('hex').slice(0, 16);
  const file = join(memory, key);
  if (existsSync(file)) return versionIn(readFileSync(file, 'utf8'));
  const output: Uint8Array[] = [];
  const { ending } = await run([program, '--version'], (chunk) => output.push(chunk));
  const version = ending.code === 0 ? versionIn(Buffer.concat(output).toString('utf8')) : null;
  if (version === null) return null;
  mkdirSync(memory, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${version}\n`, { mode: 0o600 });
  return version;
}

/** The first line that has a version in it, such as `2.1.325 (Claude Code)`. */
const versionIn = (text: string): string | null =>
  text
    .split('\n')
    .map((line) => line.trim().slice(0, 100))
    .find((line) => /\d+\.\d+/.test(line)) ?? null;
