import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { callFilter, fencedWorkspace, findHost } from '../../adapters/fence/index.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import { makeWorkspace } from '../../adapters/workspace/index.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { ShellJob } from '../../ports/supervisor.ts';
import { jobBinds } from '../job/job-binds.ts';
import { lfsStores } from '../job/lfs-stores.ts';
import { protectPaths } from '../job/read-only-paths.ts';
import { type Ears, runFenced } from '../job/run-fenced.ts';
import { makeRuntimeDirectory, type RuntimeDirectory } from '../job/runtime-directory.ts';
import { CopyFailed, setupProduct } from '../job/setup-product.ts';

type PersonShell = {
  readonly job: ShellJob;
  /** A directory of its own; whoever made it removes it. */
  readonly files: JobDirectory;
  /** Empty: an interactive shell. */
  readonly argv: readonly string[];
  /** Null: on the terminal that we were started on. */
  readonly hear: { out(chunk: Uint8Array): void; error(chunk: Uint8Array): void } | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  /** The in-fence client, one file. */
  readonly client: string;
  readonly stop: AbortSignal;
  /** The copy is there, and nothing has run in it. `isSetUp`: with what setup makes, or there is no setup. */
  onMade(isSetUp: boolean): void;
};

/**
 * A copy of a snapshot in the fence of its task, for a person: the same walls as the agent's, no way to speak for it, and nothing
 * that logs it in. Nothing of it is alive when this resolves. Rejects with FenceUnavailable.
 */
export async function runPersonShell(shell: PersonShell): Promise<Ending> {
  const { job, files, environment, hear } = shell;
  const host = findHost(environment, [job.checkout, dirname(job.repository)], job.id);
  // Throws where no fence can be made, before any work is done for it.
  callFilter();
  const owner = host.uid === 0 ? host.agent : null;
  mkdirSync(files.path, { recursive: true, mode: 0o700 });
  await makeWorkspace({
    repository: job.repository,
    directory: files.workspace,
    commit: job.from,
    base: job.base,
    ...(existsSync(job.checkout) ? { modules: job.checkout } : {}),
    lfs: { attributes: job.base, stores: lfsStores(job, environment).stores },
    ...(owner ?? {}),
    ...(existsSync(job.checkout) ? { checkout: job.checkout } : {}),
  });
  // what was made for the commit that the agent began at: nothing is proven in a person's shell
  const product = setupProduct({ ...job, from: job.base }, files.workspace, owner);
  const isSetUp = job.setup === null || (await restored(product));
  // What is missing needs no stand-in here: no snapshot is taken of it, and the person sees the tree as it was made.
  const present = job.readOnly.filter((path) => existsSync(join(files.workspace, path)));
  const readOnly = protectPaths(files, present, host.agent.uid).binds;
  const runtime = makeRuntimeDirectory(job, shell);
  try {
    await using _ = await openRelayOf(job, runtime, environment);
    if (shell.stop.aborted) return stopped;
    shell.onMade(isSetUp);
    let said = '';
    const tail = (chunk: Uint8Array): void => {
      said = `${said}${Buffer.from(chunk).toString('utf8')}`.slice(-500);
    };
    const { ending } = await runFenced({
      argv: argvOf(shell),
      fenced: true,
      host,
      workspace: files.workspace,
      binds: jobBinds(job, files.workspace, runtime, environment, readOnly),
      network: job.fence.network,
      environment: { ...job.environment, TIDEGATE_WORKSPACE: fencedWorkspace, PS1: prompt(job) },
      pass: job.fence.env,
      client: null,
      output: { write: tail, shown: () => said },
      ...(hear === null ? { terminal: true, stdin: '', ears: null } : { stdin: '/dev/null', ears: earsOf(hear) }),
      scratch: runtime.path,
      outside: [...new Set([files.path, job.repository, job.checkout, host.home, '/tmp'])],
      token: job.nonce,
      limits: { minutes: Number.POSITIVE_INFINITY, silence: Number.POSITIVE_INFINITY },
      clock: { monotonic: () => performance.now(), wall: () => Date.now() },
      ours: environment,
      stop: shell.stop,
      onReady: async () => undefined,
    });
    return ending;
  } finally {
    runtime.remove();
  }
}

/**
 * On a terminal a command is a job of its own: Ctrl-C is for the command alone, which may want to clean up, or not to end by it.
 * Without job control the signal goes to bubblewrap as well, and ends everything at once. Smaller shells fail to give the terminal
 * back to a group that is not in their namespace.
 */
function argvOf({ argv, hear }: PersonShell): readonly string[] {
  const hasBash = existsSync('/bin/bash');
  if (argv.length === 0) return [hasBash ? '/bin/bash' : '/bin/sh', '-i'];
  return hear === null && hasBash ? ['/bin/bash', '-ic', '"$@"; (exit $?)', 'bash', ...argv] : argv;
}

const stopped: Ending = {
  reason: 'stopped',
  code: null,
  signal: null,
  because: { rule: 'not-begun', because: { rule: 'stop-requested' } },
};

/** A copy without it is as good to look at. */
async function restored(product: ReturnType<typeof setupProduct>): Promise<boolean> {
  try {
    return await product.restore();
  } catch (error) {
    if (error instanceof CopyFailed) return false;
    throw error;
  }
}

/** What it refuses is told to the program that asked. */
async function openRelayOf(
  { fence }: ShellJob,
  runtime: RuntimeDirectory,
  ours: PersonShell['environment'],
): Promise<AsyncDisposable | null> {
  if (typeof fence.network === 'string') return null;
  const { openRelay } = await import('../../adapters/relay/index.ts');
  return await openRelay(runtime.relaySocket, { hosts: fence.network, environment: ours, onDenied: () => undefined });
}

const earsOf = (hear: NonNullable<PersonShell['hear']>): Ears => ({
  ...hear,
  over: () => undefined,
  isWaiting: () => true,
  cancel: () => false,
  talk: null,
});

/** Every shell shows the directory by this. */
const prompt = ({ environment }: ShellJob): string => `[copy of ${environment['TIDEGATE_TASK']}] $PWD $ `;
