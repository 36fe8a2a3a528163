import { spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { safeText } from '../../domain/base/safe-text.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import { pathToRead } from '../../domain/toolchains/fence-advice.ts';
import type { Visible } from '../../domain/toolchains/visible.ts';
import { fencedEnvironment } from './environment.ts';
import { fenceCommand, filterFd } from './fence.ts';
import { callFilter } from './filter.ts';
import { type Bind, closedNamespaces, FenceUnavailable, findHost, type Host, withFixedView } from './host.ts';
import { isUselessIn } from './toolchain-mounts.ts';

/** The fence of this machine, or the reason why there is none. */
export type FenceProbe =
  | { readonly works: true; readonly version: string; readonly uid: number }
  | { readonly works: false; readonly version: string | null; readonly because: Finding };

export function probeFence(environment: Readonly<Record<string, string | undefined>>): FenceProbe {
  const host = hostOrProblem(environment);
  if (host instanceof FenceUnavailable) return unusable(null, host.finding);
  const version = spawnSync(host.tools.bwrap, ['--version'], { encoding: 'utf8', env: {} }).stdout?.trim() ?? '';
  const run = runInFence(host, {}, [], ['/bin/sh', '-c', 'exit 0'], 10_000);
  if (run.status === 0) return { works: true, version, uid: host.agent.uid };
  const words = boundedWords(run.error?.message ?? run.stderr);
  return unusable(version, { rule: 'no-namespaces', closed: closedNamespaces(), words });
}

const unusable = (version: string | null, because: Finding): FenceProbe => ({ works: false, version, because });

/** The settings of the repository that a probe is made for. */
export type ProbePlace = {
  /** The checkout and the state directory. */
  readonly closed: readonly string[];
  /** `fence.read`. */
  readonly read: readonly string[];
};

/** Returns the person's programs that a fence shows here; null when no fence can be made. */
export function probeVisible(
  environment: Readonly<Record<string, string | undefined>>,
  { closed }: Pick<ProbePlace, 'closed'>,
): (Visible & { readonly useless: readonly string[] }) | null {
  const host = hostOrProblem(environment, closed);
  if (host instanceof FenceUnavailable) return null;
  const visible = host.visible();
  return { ...visible, useless: visible.shown.map(({ path }) => path).filter(isUselessIn(host, visible)) };
}

/** Runs a program with `--version` in a fence. */
export function probeProgram(
  environment: Readonly<Record<string, string | undefined>>,
  program: { readonly path: string; readonly root: string | null },
  { closed, read }: ProbePlace,
): ProgramProbe {
  const host = hostOrProblem(environment, closed);
  if (host instanceof FenceUnavailable) return { version: null, problem: host.message, missing: null, lines: [] };
  const variables = fencedEnvironment(environment, host, { network: 'off', pass: [], set: {}, client: null });
  const roots = [...(program.root === null ? [] : [program.root]), ...read.filter((path) => existsSync(path))];
  const binds = roots.map((path): Bind => ({ source: path, target: path, access: 'read' }));
  const run = runInFence(host, variables, binds, [program.path, '--version'], 30_000);
  const output = `${run.stdout ?? ''}${run.stderr ?? ''}`.trim();
  const version = output.split('\n').find((line) => /\d+\.\d+/.test(line)) ?? null;
  if (run.status === 0 && version !== null)
    return { version: version.trim().slice(0, 100), problem: '', missing: null, lines: [] };
  const ending = run.status === 0 ? 'it printed no version' : `it ended with ${run.status ?? run.signal}`;
  const isHidden = run.status === 126 || run.status === 127 || /No such file|not found|Cannot find/i.test(output);
  const failed = { program: program.path, words: output, visible: host.visible(), isThere: existsSync };
  return {
    version: null,
    problem: run.error?.message ?? ending,
    missing: isHidden ? pathToRead(failed) : null,
    lines: lastLines(output),
  };
}

/** `missing`: a path that the program seems to need and the fence does not show. `lines`: its last lines of output. */
type ProgramProbe = {
  readonly version: string | null;
  readonly problem: string;
  readonly missing: string | null;
  readonly lines: readonly string[];
};

const lastLines = (output: string): readonly string[] =>
  safeText(output)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5)
    .map((line) => line.slice(0, 200));

function runInFence(
  host: Host,
  env: Readonly<Record<string, string>>,
  binds: readonly Bind[],
  argv: readonly string[],
  timeout: number,
) {
  const workspace = mkdtempSync(join(tmpdir(), 'tidegate-probe-'));
  try {
    if (host.uid === 0) chownSync(workspace, host.agent.uid, host.agent.gid);
    const command = fenceCommand({ workspace, binds, network: 'off' }, host, argv);
    const filter = `${workspace}/.filter`;
    writeFileSync(filter, command.filter ?? '');
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', openSync(filter, 'r')] as const;
    const run = spawnSync(command.file, command.args, { encoding: 'utf8', env, stdio: [...stdio], timeout });
    closeSync(stdio[filterFd]);
    return run;
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function hostOrProblem(
  environment: Readonly<Record<string, string | undefined>>,
  closed: readonly string[] = [],
): Host | FenceUnavailable {
  try {
    callFilter();
    return withFixedView(findHost(environment, closed));
  } catch (error) {
    if (error instanceof FenceUnavailable) return error;
    throw error;
  }
}
