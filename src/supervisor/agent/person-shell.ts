import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { ShellJob } from '../../ports/supervisor.ts';
import type { JobFence } from '../job/context.ts';
import { protectPaths } from '../job/read-only-paths.ts';
import { type JobCallbacks, openJobRelay, runFenced } from '../job/run-fenced.ts';
import { makeRuntimeDirectory } from '../job/runtime-directory.ts';
import { CopyFailed, setupProduct } from '../job/setup-product.ts';
import { makeJobWorkspace, ownerOf } from '../job/workspace.ts';

type PersonShell = {
  readonly job: ShellJob;
  /** A directory of its own, which the caller removes. */
  readonly files: JobDirectory;
  /** Empty: an interactive shell. */
  readonly argv: readonly string[];
  /** Gets the output; null: the shell runs on our own terminal. */
  readonly output: { out(chunk: Uint8Array): void; error(chunk: Uint8Array): void } | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  /** The in-fence client, one file. */
  readonly client: string;
  readonly stop: AbortSignal;
  /** Called when the copy is there and nothing has run in it. `isSetUp`: setup's product is there, or there is no setup. */
  onMade(isSetUp: boolean): void;
};

/**
 * Runs a person's shell on a copy of a snapshot: in the same fence as the agent's, without its socket and its login. Nothing of it is
 * alive when this resolves. Rejects with FenceUnavailable.
 */
export async function runPersonShell(shell: PersonShell): Promise<Ending> {
  // the walls of an agent, even where the plan has none
  const job: ShellJob = { ...shell.job, fence: { ...shell.job.fence, mode: 'auto' } };
  const { files, environment, output, stop } = shell;
  mkdirSync(files.path, { recursive: true, mode: 0o700 });
  const { host } = await makeJobWorkspace({ job, files, environment }, { withIncluded: true });
  // The product of setup for the commit that the agent began at: nothing is proven in a person's shell.
  const product = setupProduct({ ...job, from: job.base }, files.workspace, ownerOf(job, host));
  const isSetUp = job.setup === null || (await restored(product));
  // A missing path needs no stand-in here: no snapshot is taken, and the person sees the tree as it was made.
  const present = job.readOnly.filter((path) => existsSync(join(files.workspace, path)));
  const readOnly = protectPaths(files, present, host.agent.uid).binds;
  const runtime = makeRuntimeDirectory(job, shell);
  const clock = { monotonic: () => performance.now(), wall: () => Date.now() };
  const fence: JobFence = { job, files, runtime, environment, clock, stop, host, readOnly };
  try {
    // a refused host is reported to the program that requested it, and to nobody else
    await using _ = await openJobRelay(fence, () => undefined);
    if (stop.aborted) return stopped;
    shell.onMade(isSetUp);
    let tail = '';
    const { ending } = await runFenced(fence, {
      argv: argvOf(shell),
      variables: { PS1: prompt(job) },
      network: job.fence.network,
      pass: job.fence.env,
      output: {
        write(chunk) {
          tail = `${tail}${Buffer.from(chunk).toString('utf8')}`.slice(-500);
        },
        shown: () => tail,
      },
      ...(output === null ? { terminal: true, stdin: '' } : { callbacks: callbacksOf(output) }),
      limits: { minutes: Number.POSITIVE_INFINITY, silence: Number.POSITIVE_INFINITY },
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
function argvOf({ argv, output }: PersonShell): readonly string[] {
  const hasBash = existsSync('/bin/bash');
  if (argv.length === 0) return [hasBash ? '/bin/bash' : '/bin/sh', '-i'];
  return output === null && hasBash ? ['/bin/bash', '-ic', '"$@"; (exit $?)', 'bash', ...argv] : argv;
}

const stopped: Ending = {
  reason: 'stopped',
  code: null,
  signal: null,
  because: { rule: 'not-begun', because: { rule: 'stop-requested' } },
};

/** A copy without the product is good enough to look at. */
async function restored(product: ReturnType<typeof setupProduct>): Promise<boolean> {
  try {
    return await product.restore();
  } catch (error) {
    if (error instanceof CopyFailed) return false;
    throw error;
  }
}

const callbacksOf = (output: NonNullable<PersonShell['output']>): JobCallbacks => ({
  ...output,
  over: () => undefined,
  isWaiting: () => true,
  cancel: () => false,
  onInput: null,
});

/** Every shell expands $PWD in it. */
const prompt = ({ environment }: ShellJob): string => `[copy of ${environment['TIDEGATE_TASK']}] $PWD $ `;
