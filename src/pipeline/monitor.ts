import { present } from '../domain/base/result.ts';
import { resolvedContract } from '../domain/closure/open-contracts.ts';
import type { CheckOutcome } from '../domain/gates/evidence.ts';
import { needsSnapshotChecks } from '../domain/gates/exit-gates.ts';
import { judge, judged } from '../domain/gates/judge.ts';
import { plannedById } from '../domain/plan/plan.ts';
import { evolveTask } from '../domain/run/evolve-task.ts';
import type { RunState } from '../domain/run/run.ts';
import { settleAttempt, settleLimits } from '../domain/run/settle-attempt.ts';
import { evidenceOf, type TaskProgress, type TaskState } from '../domain/run/task.ts';
import { checkStep, halt, outcomeOf } from './closure.ts';
import { contextOf, fact, type Step } from './step.ts';

/**
 * Phase 4: judges the result of an ended attempt and settles its task, in one append. The agent's own statements are no
 * evidence. A task whose snapshot is still being checked keeps no other task waiting.
 */
export function monitor(state: RunState): readonly Step[] {
  return Object.values(state.tasks).flatMap((task) =>
    task.progress.status === 'ended' ? judgeEnded(state, task, task.progress) : [],
  );
}

type Ended = TaskProgress & { readonly status: 'ended' };

function judgeEnded(state: RunState, task: TaskState, progress: Ended): readonly Step[] {
  const resolved = resolvedContract(state, task);
  const checked = resolved === null ? checkSnapshot(state, task, progress) : { resolved };
  if ('step' in checked) return checked.step;
  const evidence = { ...evidenceOf(progress), ...checked, ...present({ landing: task.about?.landing }) };
  const verdict = judged(contextOf(state), { phase: 'monitor', task: task.id, evidence });
  const settled = settleAttempt(evolveTask(task, verdict), settleLimits(state.plan, task));
  return [settled === null ? fact(verdict) : fact(verdict, settled)];
}

type Checked = { readonly step: readonly Step[] } | { readonly checks?: readonly CheckOutcome[] };

/** Runs the checks on the snapshot itself when the exit contract needs that and no other gate opposes. Ends at the first that fails. */
function checkSnapshot(state: RunState, { id: task }: TaskState, progress: Ended): Checked {
  const planned = plannedById(state.plan, task);
  const { snapshot } = progress;
  if (planned === undefined || snapshot === null || !needsSnapshotChecks(state.plan, planned)) return {};
  const verdicts = judge(contextOf(state), { phase: 'monitor', task, evidence: evidenceOf(progress) });
  if (verdicts.some(({ gate, outcome }) => gate !== 'evidence' && outcome !== 'pass')) return {};
  const checks: CheckOutcome[] = [];
  for (const check of state.plan.checks) {
    const outcome = outcomeOf(state, snapshot.tree, check);
    if (outcome === undefined) return { step: [checkStep(check, snapshot, 'snapshot')] };
    if (outcome.outcome === 'could-not-run') return { step: halt(state, outcome) };
    checks.push(outcome);
    if (outcome.outcome !== 'passed') break;
  }
  return { checks };
}
