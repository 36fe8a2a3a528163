import type { CommitId, TaskId } from '../domain/base/ids.ts';
import { openProofs, openRecords, type RoleStatus, roleStatusOf } from '../domain/closure/barriers.ts';
import { docsQueueOf } from '../domain/closure/docs-queue.ts';
import type { ClosureEvidence, ReportEvidence } from '../domain/gates/evidence.ts';
import { closureOf, type PlannedTask } from '../domain/plan/plan.ts';
import { bundlesNeeded, componentEvidence, resolvedProofs } from '../domain/proofs/proof-evidence.ts';
import { type BuiltRound, coreOf, type Tip } from '../domain/run/round.ts';
import type { RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { endedAttempt, type TaskState } from '../domain/run/task.ts';
import { effect, fact, type Step } from './step.ts';

type At = { readonly wave: number; readonly round: number };
type Candidate = BuiltRound & { readonly tip: Tip };
type Closing = { readonly step: readonly Step[] } | { readonly evidence: Pick<ClosureEvidence, 'closure' | 'bundles'> };

/**
 * Part of phase 5: the closure roles of the wave judge a candidate whose checks have passed, one by one. Each starts when the one
 * before lets the wave close. A role that changed files adds a commit to the candidate, which is checked again first. No steps: an
 * agent or a person has to act.
 */
export function closeByRoles(state: RunState, at: At, round: Candidate): Closing {
  const roles = closureOf(state.plan, at.wave);
  const wave = state.waves[at.wave];
  if (wave === undefined) return { evidence: {} };
  if (openRecords(state, wave).length + openProofs(state, wave).length > 0) return { step: [] };
  const proofs = proofEvidence(state, at, round);
  if (roles.length === 0) return { evidence: proofs };
  const reports: ReportEvidence[] = [];
  const resolved = [...(proofs.closure?.resolved ?? [])];
  for (const role of roles) {
    const status = roleStatusOf(state, wave, role, round);
    if (status.isResolved) {
      // a person decides instead of the report, not instead of the work: what passed the gates of the role stays part of it
      if (status.task?.progress.status === 'ended') return { step: [] };
      const kept = integrate(state, at, { id: role.id, task: status.task }, round);
      if (kept !== null) return { step: [kept] };
      resolved.push(role.id);
      continue;
    }
    if (status.task === null || isLeftBehind(status.task, at)) return { step: open(state, at, role, status) };
    const attempt = endedAttempt(status.task);
    if (status.report === null || status.because.length > 0 || attempt === null) return { step: [] };
    const change = integrate(state, at, { id: role.id, task: status.task }, round);
    if (change !== null) return { step: [change] };
    reports.push({ task: role.id, attempt: attempt.id, tree: status.subject.tree, report: status.report });
  }
  const queue = roles.some(({ closes }) => closes === 'docs') ? docsQueueOf(state, round.steps) : [];
  const docs = queue.length === 0 ? {} : { docs: queue };
  return {
    evidence: { ...proofs, closure: { ...proofs.closure, core: coreOf(round).tree, reports, resolved, ...docs } },
  };
}

/** Proofs and components of the candidate as evidence. Empty when it needs none. */
function proofEvidence(state: RunState, at: At, round: Candidate): Pick<ClosureEvidence, 'closure' | 'bundles'> {
  const components = componentEvidence(state, at.wave, round);
  const resolved = resolvedProofs(state, at.wave, round);
  const bundles = bundlesNeeded(state, at.wave, round);
  const isPlain = components.length + resolved.length === 0;
  const core = coreOf(round).tree;
  return {
    ...(isPlain
      ? {}
      : { closure: { core, reports: [], resolved, ...(components.length === 0 ? {} : { components }) } }),
    ...(bundles.length === 0 ? {} : { bundles }),
  };
}

/** A role that was stopped with an earlier round, which had the same tree, starts again for this one. */
const isLeftBehind = ({ about, progress }: TaskState, { round }: At): boolean =>
  about?.round !== round && progress.status === 'waiting';

/** A role that still works for an earlier tree is being stopped, and starts when it has ended. */
function open(state: RunState, at: At, { id: task }: PlannedTask, { subject }: RoleStatus): readonly Step[] {
  const known = state.tasks[task];
  const isBusy = known === undefined || isLive(known) || known.progress.status === 'ended';
  return isBusy || state.mode.mode !== 'active' ? [] : [fact({ type: 'role-opened', ...at, task, ...subject })];
}

/**
 * Brings the changes of a role into the candidate. Null when they are there. When the role has run again since, the candidate is
 * built anew, so that it has one commit of each role at most.
 */
function integrate(
  { run }: RunState,
  at: At,
  { id, task }: { readonly id: TaskId; readonly task: TaskState | null },
  round: Candidate,
): Step | null {
  const added = addedBy(id, round);
  if (added === changeOf(task)) return null;
  if (added !== undefined) return abandonRound(at, id);
  const request = { do: 'add-role', run, ...at, task: id } as const;
  return effect(`add-role ${at.wave}.${at.round} ${id}`, { do: 'ask-merger', request, answers: null });
}

/** The snapshot of a role that the candidate has. */
const addedBy = (task: TaskId, { roles = [] }: Candidate): CommitId | undefined =>
  roles.find((step) => step.task === task)?.snapshot;

/** The snapshot with the changes of a role; undefined when it changed nothing, or has not ended well. */
const changeOf = (task: TaskState | null): CommitId | undefined =>
  task?.progress.status === 'ready' ? task.progress.snapshot.commit : undefined;

const abandonRound = (at: At, task: TaskId): Step =>
  fact({ type: 'round-abandoned', ...at, because: { rule: 'round-interrupted', task } });
