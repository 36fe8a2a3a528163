import type { Finding } from '../../domain/findings/finding.ts';
import { isFenced, type JobFence } from './context.ts';

/** Opens the relay of a fence with a list of hosts; null for other fences. */
export async function openJobRelay(
  { job, runtime, environment }: Pick<JobFence, 'job' | 'runtime' | 'environment'>,
  onDenied: (target: string, because: Finding) => void,
): Promise<AsyncDisposable | null> {
  const hosts = job.fence.network;
  if (typeof hosts === 'string' || !isFenced(job)) return null;
  // Loaded only where it is used: every other supervisor does without Node's HTTP.
  const { openRelay } = await import('../../adapters/relay/index.ts');
  return await openRelay(runtime.relaySocket, { hosts, environment, onDenied });
}
