import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { objectIdPattern } from '../../../domain/base/ids.ts';
import { oldestGit } from '../../../domain/explain/commands.ts';
import { explain } from '../../../domain/explain/explain.ts';
import type { Finding, FindingOf } from '../../../domain/findings/finding.ts';
import { boundedWords } from '../../../domain/findings/words.ts';
import { EnvironmentFailed } from '../../../ports/failures.ts';
import { syncDirectory } from '../../files/durable-file.ts';
import { hasCode } from '../../files/state-file.ts';

export type GitCall = {
  /** The repository, named outright: nothing is ever discovered upwards from a directory that an agent wrote. */
  readonly gitDir?: string;
  readonly workTree?: string;
  /** Runs there, and finds the repository from there when `gitDir` is absent. For a person's checkout only. */
  readonly cwd?: string;
  readonly args: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Added to the clean environment; may replace it knowingly (the landing keeps the person's global configuration). */
  readonly env?: Readonly<Record<string, string>>;
  /** `key=value`, after ours, so that the last word is the caller's. */
  readonly config?: readonly string[];
  /** Bytes of stdout; beyond it git is ended and the call fails. */
  readonly maxOutput?: number;
  readonly signal?: AbortSignal;
  /** Gets the text of stderr while git runs, piece by piece. */
  onStderr?(text: string): void;
  /**
   * Ends git together with this process, even if this process is killed. For calls that write: none of them may still run when
   * another process takes over. Linux only; elsewhere it has no effect.
   */
  readonly tied?: boolean;
};

export type GitOutput = { readonly exitCode: number; readonly stdout: Buffer; readonly stderr: string };

/** Runs one hardened git to its end. Resolves with any exit code; rejects when git could not run or was killed. */
export function runGit(call: GitCall): Promise<GitOutput> {
  const limit = call.maxOutput ?? 1 << 30;
  return new Promise((resolve, reject) => {
    const child = spawnGit(call);
    const out: Buffer[] = [];
    const stderr = keepStart(child);
    if (call.onStderr !== undefined) child.stderr?.on('data', call.onStderr);
    let size = 0;
    let tooMuch = false;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) out.push(chunk);
      else if (!tooMuch) {
        tooMuch = true;
        child.kill('SIGKILL');
      }
    });
    child.once('error', (error) => reject(launchError(call, error)));
    child.once('close', (code) => {
      if (tooMuch) reject(new GitFailed(call.args, null, { rule: 'git-output', args: boundedArgs(call.args), limit }));
      else if (code === null) reject(gitFailure(call, null, stderr()));
      else resolve({ exitCode: code, stdout: Buffer.concat(out), stderr: stderr() });
    });
    // Git may end before it has read everything; its exit code tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.stdin ?? '');
  });
}

/** Like `runGit`, but anything except exit 0 is a `GitFailed`. */
export async function git(call: GitCall): Promise<Buffer> {
  const done = await runGit(call);
  if (done.exitCode !== 0) throw gitFailure(call, done.exitCode, done.stderr);
  return done.stdout;
}

/** One line of output, without its newline. */
export async function gitLine(call: GitCall): Promise<string> {
  return (await git(call)).toString('utf8').replace(/\n$/, '');
}

/** A running hardened git with open pipes, for the long-lived commands. The caller waits for `close`. */
export function spawnGit(call: GitCall): ChildProcess {
  const [program, ...before] = call.tied === true && canTie() ? [tie, '--pdeathsig', 'KILL', '--', 'git'] : ['git'];
  return spawn(program ?? 'git', [...before, ...argv(call)], {
    cwd: call.cwd ?? '/',
    env: { ...cleanEnvironment, ...call.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    ...(call.signal === undefined ? {} : { signal: call.signal, killSignal: 'SIGKILL' as const }),
  });
}

/** Resolves when a git of `spawnGit` ends with 0; else rejects with its failure. */
export function endOf(child: ChildProcess, call: GitCall): Promise<void> {
  const stderr = keepStart(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(launchError(call, error)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(gitFailure(call, code, stderr()))));
  });
}

/** Refuses anything but a full object id: nothing else may stand where git expects a revision. */
export function objectId<Id extends string>(id: Id): Id {
  if (!objectIdPattern.test(id)) throw new BadGitArgument(`not an object id: ${JSON.stringify(id)}`);
  return id;
}

/** Refuses anything but a plain full ref name. */
export function refName(name: string): string {
  const plain = /^refs\/[A-Za-z0-9][\w./-]*$/.test(name);
  if (!plain || /\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(name))
    throw new BadGitArgument(`not a ref name: ${JSON.stringify(name)}`);
  return name;
}

/** Git flushes a ref's content but not its new name; without this a power cut may take the ref back. */
export function syncRef(gitDir: string, ref: string): void {
  for (let folder = dirname(refName(ref)); folder !== '.'; folder = dirname(folder))
    syncDirectory(`${gitDir}/${folder}`);
}

/** Turns the error of a git that did not start into one that says what to do. */
export function launchError(call: GitCall, error: Error): Error {
  if (!hasCode(error, 'ENOENT')) return new GitFailed(call.args, null, error.message, error);
  const { cwd: repository = '/' } = call;
  return existsSync(repository)
    ? new GitUnusable({ rule: 'git-missing' }, error)
    : new GitFailed(call.args, null, { rule: 'repository-gone', repository }, error);
}

/** Says what a git that ended badly means. That the disk is full, git tells by its words alone; they are in English (`LC_ALL`). */
export function gitFailure(call: GitCall, exitCode: number | null, stderr: string): GitFailed {
  const directory = call.env?.['GIT_OBJECT_DIRECTORY'] ?? call.gitDir ?? call.cwd;
  return directory !== undefined && noSpace.test(stderr)
    ? new GitFailed(call.args, exitCode, { rule: 'disk-full', directory })
    : new GitFailed(call.args, exitCode, stderr);
}

const noSpace = /: (?:No space left on device|Disk quota exceeded)$/m;

/** Collects the first 64 KB of stderr. */
export function keepStart(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 65_536) text += chunk;
  });
  return () => text;
}

const tie = '/usr/bin/setpriv';
const canTie = (): boolean => process.platform === 'linux' && existsSync(tie);

const argv = (call: GitCall): string[] => [
  ...[...hardenedConfig, ...(call.config ?? [])].flatMap((setting) => ['-c', setting]),
  ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
  ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
  '--no-pager',
  '--literal-pathspecs',
  ...call.args,
];

/**
 * The start of every git call of ours: an environment made from nothing, and settings that override whatever the
 * repository's own configuration says. No hook, filter, monitor, replacement, lazy fetch or prompt can take part.
 */
const cleanEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
};

const hardenedConfig: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'safe.bareRepository=explicit',
  // Ownership is no protection here: everything that a foreign configuration could run is switched off above.
  'safe.directory=*',
  'protocol.allow=never',
  'protocol.file.allow=always',
  'diff.ignoreSubmodules=all',
  'submodule.recurse=false',
  'transfer.fsckObjects=true',
  'advice.graftFileDeprecated=false',
  'gc.auto=0',
  'maintenance.auto=false',
];

const oldest = oldestGit.split('.').map(Number);

/** The version of the git on our path, such as `2.39.5`. Rejects with `GitUnusable` when there is none. */
async function gitVersion(): Promise<string> {
  const text = await gitLine({ args: ['version'] });
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0] ?? text;
}

/** Resolves with the version when git is there and new enough; rejects with `GitUnusable` otherwise. */
export async function checkGit(): Promise<string> {
  const version = await gitVersion();
  if (!isNewEnough(version)) throw new GitUnusable({ rule: 'git-too-old', version });
  return version;
}

export function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Git refused, was killed, or printed more than allowed. The environment failed, not a decision of ours. */
export class GitFailed extends EnvironmentFailed {
  override readonly name = 'GitFailed';
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;
  /** `problem`: git's own words, or a finding of ours about what it did. */
  constructor(args: readonly string[], exitCode: number | null, problem: string | Finding, cause?: unknown) {
    const words = typeof problem === 'string' ? boundedWords(problem) : '';
    super(typeof problem === 'string' ? { rule: 'git-failed', args: boundedArgs(args), exitCode, words } : problem, {
      cause,
    });
    this.args = args;
    this.exitCode = exitCode;
    this.stderr = typeof problem === 'string' ? problem : '';
  }
}

/** There is no git that we can use. */
export class GitUnusable extends Error {
  override readonly name = 'GitUnusable';
  readonly finding: FindingOf<'git-missing' | 'git-too-old'>;
  constructor(finding: FindingOf<'git-missing' | 'git-too-old'>, cause?: unknown) {
    super(explain(finding).detail, { cause });
    this.finding = finding;
  }
}

/** Something that is not a full object id or a ref of ours was about to become an argument of git. */
export class BadGitArgument extends Error {
  override readonly name = 'BadGitArgument';
}

/** A command may name thousands of paths and ids; the first dozen identify it. */
export function boundedArgs(args: readonly string[]): readonly string[] {
  const first = args.slice(0, 12).map((argument) => boundedWords(argument, 200));
  return args.length > first.length ? [...first, '…'] : first;
}
