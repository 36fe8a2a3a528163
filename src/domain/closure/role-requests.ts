import { err, ok, type Result } from '../base/result.ts';
import { answerOnBoard } from '../board/board-requests.ts';
import { openChecks } from '../checks/open-checks.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { closureOf, hasRatchet, plannedById } from '../plan/plan.ts';
import type { BuiltRound, Tip } from '../run/round.ts';
import { currentWave, type RunState, type WaveState } from '../run/run.ts';
import { isLive } from '../run/schedule.ts';
import { type RoleSubject, snapshotOf, type TaskState } from '../run/task.ts';
import { policy } from '../settings/policy.ts';
import { type Barrier, barriersOfRun, openProofs, openRecords, roleStatusOf } from './barriers.ts';

/**
 * Decides a person's request about a closure role. It can run again, with a message or without. Nobody can drop it or accept its
 * work instead of its report: a person who disagrees resolves the barrier, with a reason.
 */
export function answerRole(
  state: RunState,
  task: TaskState,
  request: RequestEvent,
): Result<readonly RunEvent[] | 'later', Finding> {
  if (request.type !== 'requested-retry' && request.type !== 'requested-rework')
    return err({ rule: 'role-request', run: state.run, task: task.id });
  if (isLive(task) || task.progress.status === 'ended') return ok('later');
  if (task.about?.landing === true) return ok([openedAgain(task, task.about, request)]);
  const round = candidateOf(state.waves[task.wave]);
  const planned = plannedById(state.plan, task.id);
  const wave = state.waves[task.wave];
  if (round === null || planned === undefined || wave === undefined || task.about === undefined)
    return err({ rule: 'role-not-open', task: task.id });
  const { subject } = roleStatusOf(state, wave, planned, round);
  return ok([openedAgain(task, { round: round.round, ...subject }, request)]);
}

function openedAgain(
  task: TaskState,
  about: RoleSubject,
  request: RequestEvent & { readonly type: 'requested-retry' | 'requested-rework' },
): RunEvent {
  const snapshot = snapshotOf(task);
  const from = snapshot?.base === about.commit ? { from: snapshot.commit } : {};
  const rework = request.type === 'requested-rework' ? { message: request.message, ...from } : {};
  return { type: 'role-opened', wave: task.wave, task: task.id, ...about, ...rework, by: request.by };
}

/** Decides a person's resolution of a barrier. It counts for the tree of the candidate, and no longer when that changes. */
export function resolveBarrier(
  state: RunState,
  { barrier, reason, by }: RequestEvent & { readonly type: 'requested-resolve' },
  at?: string,
): Result<readonly RunEvent[], Finding> {
  if (reason.trim() === '') return err({ rule: 'resolve-reason' });
  if (reason.length > policy.recordCharacters) return err({ rule: 'post-long', limit: policy.recordCharacters });
  const judge = Object.values(state.tasks).find(({ id }) => id === barrier);
  if (judge?.about?.landing === true)
    return ok([{ type: 'barrier-resolved', wave: judge.wave, barrier, tree: judge.about.tree, reason, by }]);
  const barriers = barriersOfRun(state);
  const isOpen = ({ tree: subject, record }: Barrier): boolean => subject !== undefined || record !== undefined;
  const open = [...new Set(barriers.filter(isOpen).map(({ id }) => id))];
  const named = barriers.find(({ id }) => id === barrier);
  if (named?.record !== undefined)
    return answerOnBoard(
      state,
      { type: 'requested-record', record: named.record, act: 'dismiss', text: reason, by },
      at,
    );
  const tree = named?.tree;
  const judged = named?.kind === 'contract' && named.task !== undefined ? { task: named.task } : {};
  // the barrier of a closed wave is about one of its merged tasks
  const ofTask = named?.task === undefined ? undefined : state.tasks[named.task]?.wave;
  const wave = ofTask ?? named?.wave ?? currentWave(state)?.index;
  if (wave === undefined || tree === undefined) return err({ rule: 'no-such-barrier', run: state.run, barrier, open });
  return ok([{ type: 'barrier-resolved', wave, barrier, tree, reason, ...judged, by }]);
}

type Candidate = BuiltRound & { readonly tip: Tip };

/** The candidate that the closure roles of the wave judge; null when there is none. */
function candidateOf(wave: WaveState | undefined): Candidate | null {
  const round = wave?.rounds.at(-1);
  if (round?.status !== 'built' && round?.status !== 'completed') return null;
  return round.tip === null ? null : { ...round, tip: round.tip };
}

/** Tells whether the wave has a candidate that waits for closure roles, proofs, checks or records. It may last until a person acts. */
export function waitsForClosure(state: RunState, wave: WaveState | undefined): boolean {
  if (wave === undefined || candidateOf(wave) === null) return false;
  if (closureOf(state.plan, wave.index).length > 0) return true;
  const checks = hasRatchet(state.plan) ? openChecks(state, wave) : [];
  return openProofs(state, wave).length + openRecords(state, wave).length + checks.length > 0;
}

/** Tells whether a task is a closure role whose report nobody waits for: its candidate is judged no more, or a person resolved it. */
export function isOutdatedRole(state: RunState, { id, wave, about }: TaskState): boolean {
  if (plannedById(state.plan, id)?.closes === undefined) return false;
  if (about?.landing === true) return !isJudgingLanding(state, about);
  const round = candidateOf(state.waves[wave]);
  const { resolved = [] } = state.waves[wave] ?? {};
  const isResolved = resolved.some((one) => one.barrier === id && one.tree === about?.tree);
  return round === null || about?.round !== round.round || isResolved;
}

/** Tells whether a role judges the landing as it is rebuilt now. */
const isJudgingLanding = ({ landing }: Pick<RunState, 'landing'>, { tree }: RoleSubject): boolean =>
  landing.status === 'observed' && landing.rebuilt?.tree === tree;
