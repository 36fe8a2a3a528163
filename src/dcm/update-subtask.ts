import { err, ok } from '../domain/base/result.ts';
import type { ExternalCommand, SubtaskChange, SubtaskStatus } from '../domain/ledger/dcm-commands.ts';
import type { By } from '../domain/ledger/requests.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import { misblocked, openBlockers } from './blockers.ts';
import { isSubtaskSettled } from './counts.ts';
import type { DecidedFacts } from './decide.ts';
import { type Session, type Subtask, standingOf, subtaskOf } from './session.ts';
import { beginWave } from './waves.ts';

/** What may follow what. Completed and failed are for good. */
const transitions: Readonly<Record<SubtaskStatus, readonly SubtaskStatus[]>> = {
  pending: ['running', 'paused', 'blocked', 'completed', 'failed'],
  running: ['paused', 'blocked', 'completed', 'failed'],
  paused: ['running', 'blocked', 'completed', 'failed'],
  blocked: ['pending', 'running', 'paused', 'completed', 'failed'],
  completed: [],
  failed: [],
};

type Update = ExternalCommand & { readonly type: 'update-subtask' };

/** Work on a subtask of a wave that nobody has started starts the wave, if its turn has come. */
export function updateSubtask(state: Session, { type: _, subtask: id, ...given }: Update, by: By): DecidedFacts {
  const subtask = subtaskOf(state, id);
  if (subtask === undefined) return err({ rule: 'session-unknown-subtask', subtask: id });
  const change = newsIn(subtask, given);
  if (Object.keys(change).length === 0) return ok([]);
  const { status } = subtask.progress;
  if (isSubtaskSettled(subtask)) return err({ rule: 'session-settled-subtask', status });
  if (change.status !== undefined && !transitions[status].includes(change.status))
    return err({ rule: 'session-bad-transition', from: status, to: change.status, allowed: transitions[status] });
  const next = { ...subtask, ...change };
  const unfit = change.blockedBy === undefined ? null : misblocked(state, next);
  if (unfit !== null) return err(unfit);
  const becomes = change.status ?? status;
  const blockers = becomes === 'running' || becomes === 'completed' ? openBlockers(state, next) : [];
  if (blockers.length > 0) return err({ rule: 'session-blocked', by: blockers.map(standingOf) });
  const begun = needsWave.has(becomes) ? beginWave(state, subtask.wave, by) : ok([]);
  if (!begun.ok) return begun;
  return ok([...begun.value, { type: 'external-subtask-updated', subtask: id, ...change, by }]);
}

const needsWave: ReadonlySet<SubtaskStatus> = new Set(['running', 'completed', 'failed']);

/** What is asked for and is not so already. */
function newsIn(subtask: Subtask, given: SubtaskChange): SubtaskChange {
  const now: SubtaskChange = { ...subtask, status: subtask.progress.status } as never;
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        value !== undefined && canonicalJson(value) !== canonicalJson(now[name as keyof SubtaskChange]),
    ),
  );
}
