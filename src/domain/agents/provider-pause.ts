import { agentKinds } from '../../agents/agents.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { PlannedTask } from '../plan/plan.ts';
import { pausesProvider } from '../run/recovery.ts';
import { agentOf, type ProviderTrouble, type TaskState } from '../run/task.ts';
import { policy } from '../settings/policy.ts';
import type { AgentFailure } from '../tool-calls/agent-event.ts';
import type { Providers } from './provider.ts';

/** Returns the provider of the agent that does the task. Empty for programs that need no model. */
export const providerOf = (task: TaskState): string => agentKinds[agentOf(task)]?.provider ?? '';

/** Somebody else to give the task to while its provider is paused: of its own chain first. */
export function otherAgent(providers: Providers, task: PlannedTask, state: TaskState): string | null {
  const mine = providerOf(state);
  const serves = (agent: string): boolean => {
    const provider = agentKinds[agent]?.provider ?? '';
    return provider !== '' && provider !== mine && !isPaused(providers, provider);
  };
  return [...task.agent, ...Object.keys(agentKinds)].find(serves) ?? null;
}

export const isPaused = (providers: Providers, provider: string): boolean => providers[provider]?.status === 'paused';

/** The pause that follows from a task's trouble: as long as the provider says, else twice as long each time. */
export function pauseFor(
  providers: Providers,
  { provider, trouble }: ProviderTrouble,
  now: string,
): (RunEvent & { readonly type: 'provider-paused' }) | null {
  if (provider === '' || !pausesProvider(trouble) || isPaused(providers, provider)) return null;
  const tries = (providers[provider]?.tries ?? 0) + 1;
  return { type: 'provider-paused', provider, until: untilOf(trouble, tries, now), trouble, tries };
}

function untilOf(trouble: AgentFailure, tries: number, now: string): string | null {
  if (trouble.kind === 'needs-login') return null;
  const named = trouble.until === null ? Number.NaN : Date.parse(trouble.until);
  const backOff = Date.parse(now) + Math.min(policy.longestPause, policy.shortestPause * 2 ** (tries - 1));
  return new Date(Number.isNaN(named) ? backOff : Math.max(named, Date.parse(now) + 1_000)).toISOString();
}
