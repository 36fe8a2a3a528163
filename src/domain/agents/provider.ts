import type { RunId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RunState } from '../run/run.ts';
import { attemptOf } from '../run/task.ts';
import type { AgentFailure } from '../tool-calls/agent-event.ts';

/** One provider of models, as far as it made trouble in this run. */
export type ProviderState =
  | { readonly status: 'serving'; readonly tries: number }
  | {
      readonly status: 'paused';
      readonly tries: number;
      readonly until: string | null;
      readonly trouble: AgentFailure;
      /** The run that ran into it, when it was another one. */
      readonly of?: RunId;
    };

export type Providers = Readonly<Record<string, ProviderState>>;

/** Applies an event. Total: an event in the ledger is a fact and is never refused. */
export function evolveProviders(state: Providers, event: RunEvent): Providers {
  switch (event.type) {
    case 'provider-paused': {
      const { type: _, provider, ...pause } = event;
      return { ...state, [provider]: { status: 'paused', ...pause } };
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

/** Tells whether time alone continues the run: no person is needed, and nothing is in progress. */
export const continuesByItself = (state: Pick<RunState, 'ended' | 'mode' | 'providers'> | null): boolean =>
  state !== null &&
  state.ended === null &&
  state.mode.mode === 'active' &&
  Object.values(state.providers).some((provider) => provider.status === 'paused' && provider.until !== null);

/** A provider that served an agent to its end is well again: its next pause is a short one. */
export function served(state: RunState, event: RunEvent & { readonly type: 'attempt-ended' }): RunState {
  const task = state.tasks[event.task];
  const provider = task === undefined ? undefined : attemptOf(task)?.provider;
  if (event.agent?.outcome !== 'completed' || provider === undefined) return state;
  const { [provider]: _, ...others } = state.providers;
  return { ...state, providers: others };
}
