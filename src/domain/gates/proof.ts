import type { TaskId } from '../base/ids.ts';
import { isNonEmpty } from '../base/result.ts';
import type { RoundState } from '../run/round.ts';
import type { RunState } from '../run/run.ts';
import { verdictsOf } from '../run/task.ts';
import { advance, beginProof, type Passed } from './phase.ts';

/** Proofs rebuilt from the verdicts that the ledger holds. Null: that phase has not passed. */

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
  const proofs = round.steps.map((step) => monitorProof(state, step.task));
  const present = proofs.filter((proof) => proof !== null);
  return present.length === proofs.length && isNonEmpty(present) ? present : null;
}

export function closureProof(state: RunState, wave: number, round: RoundState): Passed<'closure'> | null {
  const closed = 'closed' in round ? round.closed : [];
  return advance('closure', roundProofs(state, round), `wave ${wave} round ${round.round}`, closed);
}
