import { fingerprint } from '../base/fingerprint.ts';
import type { Finding } from '../findings/finding.ts';
import { canonicalJson } from '../plan/plan.ts';
import type { AgentEvent } from '../tool-calls/agent-event.ts';
import { type SeenCall, type Settled, seenCall } from '../tool-calls/seen-call.ts';
import type { Trip } from './spirals.ts';
import {
  afterChange,
  countEcho,
  countRead,
  countRepetition,
  countReturn,
  type Echoes,
  type Histories,
  type Reads,
  type Repetition,
  withoutReturns,
} from './spirals.ts';

export { spiralWarning, type Trip } from './spirals.ts';

/**
 * Holds what the circuit breaker remembers of an attempt: of bounded size, whatever the agent does. It looks for spirals, and rather
 * misses one than stops good work. At the first trip the agent gets a warning, at the second it is stopped.
 */
export type Breaker = {
  readonly workspace: string;
  readonly trips: number;
  /** Calls without an answer yet, the newest last. */
  readonly open: readonly SeenCall[];
  /** Denied calls whose `tool-call` or `tool-result` may still come. It is then ignored, because the denial was counted. */
  readonly denied: readonly { readonly id: string; readonly awaits: 'tool-call' | 'tool-result' }[];
  readonly reads: Reads;
  readonly repetition: Repetition;
  readonly echoes: Echoes;
  readonly histories: Histories;
};

type Step = { readonly state: Breaker; readonly trip: Trip | null };

const remembered = 32;

/** `workspace` is the path that the agent sees, so that one file has one name. */
export const newBreaker = (workspace: string): Breaker => ({
  workspace,
  trips: 0,
  open: [],
  denied: [],
  reads: [],
  repetition: null,
  echoes: [],
  histories: [],
});

export const stopDue = (state: Breaker, strict: boolean): boolean => state.trips >= (strict ? 1 : 2);

/** One event causes at most one trip: if two patterns match it, the agent still gets one warning. */
export function evolveBreaker(state: Breaker, event: AgentEvent): Step {
  switch (event.type) {
    case 'tool-call':
      return quiet(opened(state, seenCall(event.call, state.workspace)));
    case 'tool-result':
      return answered(state, fingerprint(event.id), event);
    case 'denied':
      return denied(state, seenCall(event.call, state.workspace), event.because);
    case 'file-seen': {
      const { histories, changed, trip } = countReturn(state.histories, event, state.workspace);
      const next = { ...state, histories };
      return tripped(changed ? { ...next, reads: [], repetition: afterChange(state.repetition) } : next, trip);
    }
    case 'started':
    case 'provider-trouble':
      // The agent rightly repeats the call that broke off.
      return quiet(afresh(state));
    default:
      return quiet(state);
  }
}

function opened(state: Breaker, call: SeenCall): Breaker {
  const early = state.denied.find((one) => one.id === call.id);
  const rest = state.denied.filter((one) => one.id !== call.id);
  if (early?.awaits === 'tool-call') return { ...state, denied: [...rest, { id: call.id, awaits: 'tool-result' }] };
  const others = state.open.filter((one) => one.id !== call.id);
  return { ...state, denied: rest, open: [...others.slice(1 - remembered), call] };
}

function answered(
  state: Breaker,
  id: string,
  result: { readonly outcome: 'ok' | 'failed'; readonly text: string },
): Step {
  const call = state.open.find((one) => one.id === id);
  if (!call) return quiet({ ...state, denied: state.denied.filter((one) => one.id !== id) });
  return settled(
    { ...state, open: state.open.filter((one) => one.id !== id) },
    { call, outcome: result.outcome, text: result.text, because: null },
  );
}

function denied(state: Breaker, call: SeenCall, because: Finding): Step {
  const isOpen = state.open.some((one) => one.id === call.id);
  if (!isOpen && state.denied.some((one) => one.id === call.id)) return quiet(state);
  const waiting = { id: call.id, awaits: isOpen ? 'tool-result' : 'tool-call' } as const;
  const open = state.open.filter((one) => one.id !== call.id);
  const next = { ...state, open, denied: [...state.denied.slice(1 - remembered), waiting] };
  return settled(next, { call, outcome: 'denied', text: comparable(because), because });
}

/** Returns the rule and its facts, without the words of others, which vary. */
const comparable = (because: Finding): string => canonicalJson({ ...because, words: null });

function settled(state: Breaker, done: Settled): Step {
  const echo = countEcho(state.echoes, done);
  const repetition = countRepetition(state.repetition, done);
  const read = countRead(state.reads, done);
  const isEdit = done.call.kind === 'write' && done.outcome === 'ok';
  const next = {
    ...state,
    echoes: echo.echoes,
    repetition: repetition.repetition,
    reads: isEdit ? [] : read.reads,
  };
  return tripped(next, echo.trip ?? repetition.trip ?? read.trip);
}

/** The agent gets its warning: everything that it does from here on is counted afresh. */
const tripped = (state: Breaker, trip: Trip | null): Step =>
  trip === null ? quiet(state) : { state: { ...afresh(state), trips: state.trips + 1 }, trip };

const afresh = (state: Breaker): Breaker => ({
  ...state,
  reads: [],
  repetition: null,
  echoes: [],
  histories: withoutReturns(state.histories),
});

const quiet = (state: Breaker): Step => ({ state, trip: null });
