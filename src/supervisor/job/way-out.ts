import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import { openTranscript } from '../agent/transcript.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import type { JobOrder } from './carry-out.ts';
import type { Notes } from './notes.ts';

/** The relay of a fence with a list of hosts; null for the others. What it refuses is noted as any other denial is. */
export async function openWayOut(
  order: JobOrder & { readonly notes: Notes },
  watch: { tell(event: AgentEvent): void } | null,
  secrets: KnownSecrets,
): Promise<AsyncDisposable | null> {
  const { job, files, runtime, around } = order;
  const hosts = job.fence.network;
  if (typeof hosts === 'string' || job.fence.mode === 'none') return null;
  const now = (): string => new Date(around.clock.wall()).toISOString();
  const own = watch === null ? openTranscript(files.path, secrets, { now, note: order.notes.add, usd: 0 }) : null;
  const tell = own?.tell ?? watch?.tell;
  // Loaded only where it is used: every other supervisor does without Node's HTTP.
  const { openRelay } = await import('../../adapters/relay/index.ts');
  const relay = await openRelay(runtime.relaySocket, {
    hosts,
    environment: around.environment,
    onDenied: (target, because) => tell?.({ type: 'denied', call: callTo(target), because }),
  });
  return {
    async [Symbol.asyncDispose]() {
      await relay[Symbol.asyncDispose]();
      own?.close();
    },
  };
}

const callTo = (target: string) =>
  ({ id: '', tool: 'network', kind: 'fetch', paths: [], command: null, lines: null, input: target }) as const;
