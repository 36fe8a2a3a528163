import { join } from 'node:path';
import type { Bind, Host } from '../../adapters/fence/index.ts';
import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { Executor } from '../../ports/executor.ts';
import type { Job, ShellJob } from '../../ports/supervisor.ts';
import type { AgentWatch } from '../agent/agent-watch.ts';
import type { ClientChannel } from '../channel/client-channel.ts';
import type { LiveSteering } from '../channel/steering.ts';
import type { AgentWords } from '../output/agent-words.ts';
import type { Output } from '../output/output.ts';
import type { JobClock } from './run-fenced.ts';
import type { RuntimeDirectory } from './runtime-directory.ts';

/** Everything that main/ knows and the rest of the supervisor must not look up by itself. */
export type SupervisorHost = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: JobClock;
  readonly node: string;
  /** The in-fence client, one file. */
  readonly client: string;
  /** The attempt is ended after so long without a coordinator. */
  readonly abandonAfterMs: number;
  /** Aborted by SIGTERM. */
  readonly terminated: AbortSignal;
};

/** One job of a supervisor. Each stage takes what it needs of it, and the next stage gets more. */
export type JobContext = SupervisorHost & {
  readonly job: Job;
  readonly files: JobDirectory;
  readonly runtime: RuntimeDirectory;
  /** Aborted with a Stop. */
  readonly stop: AbortSignal;
  readonly steering: LiveSteering;
  end(reason: Ending['reason'], because: Finding): void;
  onStarted(): void;
  /** Called after an entry was added to `notes.jsonl`. */
  onNoted(): void;
};

/** Why a process has to be ended. */
export type Stop = { readonly reason: Ending['reason']; readonly because: Finding };

/** The fence around every process of one job, or around a person's shell. */
export type JobFence = Pick<JobContext, 'environment' | 'clock' | 'files' | 'runtime' | 'stop'> & {
  readonly job: Job | ShellJob;
  readonly host: Host;
  /** Paths of the workspace that are read-only. */
  readonly readOnly: readonly Bind[];
};

/** A job whose workspace is there: its processes can be started. */
export type PreparedJob = JobContext &
  JobFence & {
    readonly job: Job;
    readonly output: Output;
    readonly channel: ClientChannel;
    readonly executor: Executor;
    /** Null for programs that speak no protocol. */
    readonly watch: AgentWatch | null;
    /** The end of what the agent itself printed or said, without the output of setup. */
    readonly words: AgentWords;
  };

export const isFenced = ({ fence }: Pick<Job, 'fence'>): boolean => fence.mode !== 'none';

/** False for the orchestrator, whose folder is empty. */
export const hasRepository = (job: Job | ShellJob): boolean => !('kind' in job) || job.kind !== 'orchestrator';

/** Resolves `~/` to the home of the current user. The plan keeps it as written, so that its hash is the same for everybody. */
export function atHome<J extends Pick<Job, 'fence'>>(job: J, home: string): J {
  const { read, write } = job.fence;
  return { ...job, fence: { ...job.fence, read: pathsAtHome(read, home), write: pathsAtHome(write, home) } };
}

export const pathsAtHome = (paths: readonly string[], home: string): readonly string[] =>
  paths.map((path) => (path.startsWith('~/') ? join(home, path.slice(2)) : path));
