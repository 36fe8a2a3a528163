import type { PlanHash, TaskId } from '../base/ids.ts';
import { isNonEmpty, type NonEmpty } from '../base/result.ts';
import { makerIn, type RoundState } from '../run/round.ts';
import type { RunState } from '../run/run.ts';
import { verdictsOf } from '../run/task.ts';
import { passes, type Verdict } from './verdict.ts';

/** The ten phases in order. People see the five words beside them. */
export const phases = [
  { phase: 'contract', id: '000', word: 'Check' },
  { phase: 'load', id: '0', word: 'Check' },
  { phase: 'thread', id: '0.5', word: 'Check' },
  { phase: 'preflight', id: '0.7', word: 'Check' },
  { phase: 'ownership', id: '1', word: 'Check' },
  { phase: 'approval', id: '2', word: 'Approve' },
  { phase: 'dispatch', id: '3', word: 'Work' },
  { phase: 'monitor', id: '4', word: 'Work' },
  { phase: 'closure', id: '5', word: 'Verify' },
  { phase: 'merge', id: '6', word: 'Land' },
] as const;
export type Phase = (typeof phases)[number]['phase'];

const phaseOf: unique symbol = Symbol('phase');

/**
 * Proof that one subject of one plan passed phase P. Only this file can make one, and only from the proof of the phase
 * before, so that skipping a phase does not compile. It does not survive JSON on purpose: after a restart it is
 * rebuilt from the verdicts in the ledger.
 */
export type Passed<P extends Phase> = {
  readonly hash: PlanHash;
  readonly subject: string;
  readonly [phaseOf]: P;
};

/** The pipeline: each phase names what it needs to have passed. */
type Needs = {
  load: Passed<'contract'>;
  thread: Passed<'load'>;
  preflight: Passed<'thread'>;
  ownership: Passed<'preflight'>;
  approval: Passed<'ownership'>;
  dispatch: Passed<'approval'>;
  monitor: Passed<'dispatch'>;
  closure: NonEmpty<Passed<'monitor'>>;
  merge: Passed<'closure'>;
};

/** The first proof: a plan hash and the verdicts on the contract. */
export function beginProof(hash: PlanHash, verdicts: readonly Verdict[]): Passed<'contract'> | null {
  return passes(verdicts) ? { hash, subject: 'run', [phaseOf]: 'contract' } : null;
}

/** Null unless every verdict is a pass and there is at least one. */
export function advance<P extends keyof Needs>(
  phase: P,
  from: Needs[P] | null,
  subject: string,
  verdicts: readonly Verdict[],
): Passed<P> | null {
  if (from === null || !passes(verdicts)) return null;
  const [first, ...rest] = proofsOf(from);
  if (rest.some((proof) => proof.hash !== first.hash)) return null;
  return { hash: first.hash, subject, [phaseOf]: phase };
}

const proofsOf = (from: Passed<Phase> | NonEmpty<Passed<Phase>>): NonEmpty<Passed<Phase>> =>
  'hash' in from ? [from] : from;

// ── proofs rebuilt from the verdicts in the ledger; null when that phase has not passed ────────────────

export function approvalProof(state: RunState, index: number): Passed<'approval'> | null {
  const wave = state.waves[index];
  if (wave === undefined) return null;
  const subject = `wave ${index}`;
  const contract = beginProof(state.hash, state.contract ?? []);
  const load = advance('load', contract, 'run', state.load ?? []);
  const thread = advance('thread', load, subject, wave.thread ?? []);
  const preflight = advance('preflight', thread, subject, wave.preflight ?? []);
  const ownership = advance('ownership', preflight, subject, wave.ownership ?? []);
  return advance('approval', ownership, subject, wave.approval ?? []);
}

function dispatchProof(state: RunState, id: TaskId): Passed<'dispatch'> | null {
  const task = state.tasks[id];
  return task === undefined
    ? null
    : advance('dispatch', approvalProof(state, task.wave), id, verdictsOf(task).dispatched ?? []);
}

function monitorProof(state: RunState, id: TaskId): Passed<'monitor'> | null {
  const task = state.tasks[id];
  return task === undefined ? null : advance('monitor', dispatchProof(state, id), id, verdictsOf(task).monitored ?? []);
}

/** Every task of the round that made it into the candidate, or nothing. */
function roundProofs(state: RunState, round: RoundState): readonly [Passed<'monitor'>, ...Passed<'monitor'>[]] | null {
  if (!('steps' in round)) return null;
  const makers = round.steps.flatMap(({ task }) => [...new Set([task, makerIn(round, task)])]);
  const proofs = makers.map((task) => monitorProof(state, task));
  const present = proofs.filter((proof) => proof !== null);
  return present.length === proofs.length && isNonEmpty(present) ? present : null;
}

export function closureProof(state: RunState, wave: number, round: RoundState): Passed<'closure'> | null {
  const closed = 'closed' in round ? round.closed : [];
  return advance('closure', roundProofs(state, round), `wave ${wave} round ${round.round}`, closed);
}
