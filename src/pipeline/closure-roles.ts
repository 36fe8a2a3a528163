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
      resolved.push(role.id);
      continue;
    }
    if (status.task === null || isLeftBehind(status.task, at)) return { step: open(state, at, role, status) };
    const attempt = endedAttempt(status.task);
    if (status.report === null || status.because.length > 0 || attempt === null) return { step: [] };
    const change = integrate(state, at, status.task, round);
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
function integrate({ run }: RunState, at: At, task: TaskState, { roles = [] }: Candidate): Step | null {
  const added = roles.find((step) => step.task === task.id)?.snapshot;
  const wanted = task.progress.status === 'ready' ? task.progress.snapshot.commit : undefined;
  if (added === wanted) return null;
  if (added !== undefined)
    return fact({ type: 'round-abandoned', ...at, because: { rule: 'round-interrupted', task: task.id } });
  const request = { do: 'add-role', run, ...at, task: task.id } as const;
  return effect(`add-role ${at.wave}.${at.round} ${task.id}`, { do: 'ask-merger', request, answers: null });
}
