import type { Trouble } from './agent-event.ts';
import { agentKinds } from './agents.ts';
import type { RunEvent } from './events.ts';
import type { PlannedTask } from './plan.ts';
import { pausesProvider } from './recovery.ts';
import type { RunState } from './run.ts';
import type { TaskState } from './task.ts';

/** One provider of models, as far as it made trouble in this run. */
export type ProviderState =
  | { readonly status: 'serving'; readonly tries: number }
  | { readonly status: 'paused'; readonly tries: number; readonly until: string | null; readonly trouble: Trouble };

export type Providers = Readonly<Record<string, ProviderState>>;

/** What did happen. Total: an event in the ledger is a fact and is never refused. */
export function evolveProviders(state: Providers, event: RunEvent): Providers {
  switch (event.type) {
    case 'provider-paused': {
      const { until, trouble, tries } = event;
      return { ...state, [event.provider]: { status: 'paused', tries, until, trouble } };
    }
    case 'provider-resumed':
      return { ...state, [event.provider]: { status: 'serving', tries: state[event.provider]?.tries ?? 0 } };
    case 'run-resumed':
      // a person wants it tried now
      return {};
    default:
      return state;
  }
}

/** Who does the task: the one whose turn it is, unless a person chose another. */
export const agentOf = (task: Pick<PlannedTask, 'agent'>, state: Pick<TaskState, 'agent' | 'chosen'>): string =>
  state.chosen ?? task.agent[state.agent] ?? 'command';

/** Empty for programs that need none. */
export const providerOf = (task: Pick<PlannedTask, 'agent'>, state: Pick<TaskState, 'agent' | 'chosen'>): string =>
  agentKinds[agentOf(task, state)]?.provider ?? '';

/** Somebody else to give the task to while its provider is paused: of its own chain first. */
export function otherAgent(providers: Providers, task: PlannedTask, state: TaskState): string | null {
  const mine = providerOf(task, state);
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
  provider: string,
  trouble: Trouble | null,
  now: string,
): (RunEvent & { readonly type: 'provider-paused' }) | null {
  if (trouble === null || provider === '' || !pausesProvider(trouble) || isPaused(providers, provider)) return null;
  const tries = (providers[provider]?.tries ?? 0) + 1;
  return { type: 'provider-paused', provider, until: untilOf(trouble, tries, now), trouble, tries };
}

const shortest = 30_000;
const longest = 60 * 60_000;

function untilOf(trouble: Trouble, tries: number, now: string): string | null {
  if (trouble.kind === 'needs-login') return null;
  const said = trouble.until === null ? Number.NaN : Date.parse(trouble.until);
  const backOff = Date.parse(now) + Math.min(longest, shortest * 2 ** (tries - 1));
  return new Date(Number.isNaN(said) ? backOff : Math.max(said, Date.parse(now) + 1_000)).toISOString();
}

/** Time alone brings it on: nobody is needed, and nothing is under way. */
export const goesOnByItself = (state: Pick<RunState, 'ended' | 'mode' | 'providers'> | null): boolean =>
  state !== null &&
  state.ended === null &&
  state.mode.mode === 'active' &&
  Object.values(state.providers).some((provider) => provider.status === 'paused' && provider.until !== null);
