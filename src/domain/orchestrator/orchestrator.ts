import { type AttemptId, attemptId, type PlanHash, taskId } from '../base/ids.ts';
import type { Ending } from '../gates/evidence.ts';
import type { PlannedOrchestrator } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { addUsage, noUsage, type Usage } from '../tool-calls/agent-event.ts';
import type { OrchestratorEvent } from './orchestrator-events.ts';

/** The name of the orchestrator wherever a task is named. No task of a plan with an orchestrator may have it. */
export const orchestratorId = taskId('orchestrator');

/** The resident orchestrator of a run, as far as it was ever launched. No other part of the state knows it. */
export type OrchestratorState = {
  readonly launches: number;
  /** Usage and time of launches that have ended. */
  readonly used: Usage;
  readonly seconds: number;
  /** Null while none is running. */
  readonly live: LiveOrchestrator | null;
  /** The last end; null when it was never launched or is running for the first time. */
  readonly last: { readonly attempt: AttemptId; readonly ending: Ending } | null;
  /** A person resumed the run, or replaced its plan, after the last end. */
  readonly again: boolean;
};

export type LiveOrchestrator = {
  readonly id: AttemptId;
  readonly nonce: string;
  readonly agent: string;
  readonly hash: PlanHash;
  readonly usd: number;
  readonly minutes: number;
  readonly isStarted: boolean;
  readonly usage: Usage;
  readonly noted: number;
  readonly view: string;
};

const never: OrchestratorState = {
  launches: 0,
  used: noUsage,
  seconds: 0,
  live: null,
  last: null,
  again: false,
};

/** Folds an event into the orchestrator of a run. */
export function withOrchestrator(state: RunState, event: OrchestratorEvent): RunState {
  const before = state.orchestrator ?? never;
  return { ...state, orchestrator: evolveOrchestrator(before, event) };
}

function evolveOrchestrator(state: OrchestratorState, event: OrchestratorEvent): OrchestratorState {
  const { live } = state;
  // what comes of another launch than the one under way changes nothing
  const of = live?.id === event.attempt ? live : null;
  switch (event.type) {
    case 'orchestrator-intended': {
      const { attempt: id, number, nonce, agent, hash, usd, minutes, view } = event;
      const begun = { id, nonce, agent, hash, usd, minutes, isStarted: false, usage: noUsage, noted: 0, view };
      return { ...state, launches: number, live: begun, again: false };
    }
    case 'orchestrator-started':
      return of === null ? state : { ...state, live: { ...of, isStarted: true } };
    case 'orchestrator-noted': {
      const { number: noted, note } = event;
      const usage = note.note === 'usage' ? { usage: note.usage } : {};
      return of === null ? state : { ...state, live: { ...of, noted, ...usage } };
    }
    case 'orchestrator-told':
      return of === null ? state : { ...state, live: { ...of, view: event.view } };
    case 'orchestrator-ended': {
      if (of === null) return state;
      const { attempt, ending, chargedSeconds, agent } = event;
      const used = addUsage(state.used, agent?.usage ?? of.usage);
      return { ...state, used, seconds: state.seconds + chargedSeconds, live: null, last: { attempt, ending } };
    }
  }
}

/** A person resumed the run, or replaced its plan: an orchestrator that has ended may start again. */
export const mayStartAgain = (state: RunState): Pick<RunState, 'orchestrator'> =>
  state.orchestrator === undefined ? {} : { orchestrator: { ...state.orchestrator, again: true } };

/** Dollars that it has cost so far, as far as it names them. */
export function orchestratorUsd({ orchestrator }: Pick<RunState, 'orchestrator'>): number {
  if (orchestrator === undefined) return 0;
  return (orchestrator.used.usd ?? 0) + (orchestrator.live?.usage.usd ?? 0);
}

/** The money and time that its next launch may take: what is left of its own budget, and of the run's money. */
export function orchestratorAllowance(
  state: Pick<RunState, 'orchestrator'>,
  { usd, minutes }: Pick<PlannedOrchestrator, 'usd' | 'minutes'>,
  leftOfRun: number,
): { readonly usd: number; readonly minutes: number } {
  const seconds = state.orchestrator?.seconds ?? 0;
  return {
    usd: Math.max(0, Math.min(usd - orchestratorUsd(state), leftOfRun)),
    minutes: Math.max(0, minutes - Math.ceil(seconds / 60)),
  };
}

/**
 * Endings after which it starts again by itself when tasks run: we ended it because there was nothing to guide, or it was lost
 * without a fault of its own. After any other end a person has to resume the run.
 */
const innocent: readonly Ending['reason'][] = ['stopped', 'lost', 'abandoned'];

/** Tells whether the way in which it ended lets it start now. */
export function isUnspent({ orchestrator }: Pick<RunState, 'orchestrator'>, most: number): boolean {
  if (orchestrator === undefined) return true;
  const { live, last, again, launches } = orchestrator;
  return live === null && launches < most && (last === null || again || innocent.includes(last.ending.reason));
}

export const nextOrchestrator = ({
  run,
  orchestrator,
}: RunState): { readonly id: AttemptId; readonly number: number } => {
  const number = (orchestrator?.launches ?? 0) + 1;
  return { id: attemptId(run, orchestratorId, number), number };
};
