import { present } from '../domain/base/result.ts';
import { resolvedContract } from '../domain/closure/open-contracts.ts';
import { plannedIn } from '../domain/derived/derived-tasks.ts';
import type { CheckOutcome } from '../domain/gates/evidence.ts';
import { needsSnapshotChecks } from '../domain/gates/exit-gates.ts';
import { judge, judged } from '../domain/gates/judge.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { continuations } from '../domain/relaunch/continuation.ts';
import { evolveTask } from '../domain/run/evolve-task.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { settleAttempt, settleLimits } from '../domain/run/settle-attempt.ts';
import { evidenceOf, type TaskProgress, type TaskState } from '../domain/run/task.ts';
import { checkStep, halt, outcomeOf } from './check-tree.ts';
import { contextOf, effect, fact, type Step } from './step.ts';

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
  const comparison = compareSides(state, task, progress);
  if (comparison !== null) return [comparison];
  const resolved = resolvedContract(state, task);
  const checked = resolved === null ? checkSnapshot(state, task, progress) : { resolved };
  if ('step' in checked) return checked.step;
  const evidence = { ...evidenceOf(progress), ...checked, ...present({ landing: task.about?.landing }) };
  const verdict = judged(contextOf(state), { phase: 'monitor', task: task.id, evidence });
  const settled = settleAttempt(evolveTask(task, verdict), settleLimits(state, task));
  if (settled === null) return [fact(verdict)];
  return [fact(verdict, settled, ...continuedBy(state, [verdict, settled], task))];
}

/** Owners that components wait for continue in the same append in which the last other task finishes. */
function continuedBy(state: RunState, events: readonly RunEvent[], { id }: TaskState): readonly RunEvent[] {
  const after = events.reduce<RunState | null>((now, event) => evolveRun(now, { seq: 0, event }), state);
  return after === null ? [] : continuations(after, id, state.plan.limits.attempts);
}

/** The merger compares the result of a resolver with both sides before the gates judge it. Null when it has, or need not. */
function compareSides({ run, derived }: RunState, { id: task }: TaskState, { attempt, snapshot }: Ended): Step | null {
  if (derived?.[task]?.purpose !== 'resolver' || snapshot === null) return null;
  if (attempt.sides?.snapshot === snapshot.commit) return null;
  const request = { do: 'compare-sides', run, task } as const;
  return effect(`compare-sides ${task} ${snapshot.commit}`, { do: 'ask-merger', request, answers: null });
}

type Checked = { readonly step: readonly Step[] } | { readonly checks?: readonly CheckOutcome[] };

/** Runs the checks on the snapshot itself when the exit contract needs that and no other gate opposes. Ends at the first that fails. */
function checkSnapshot(state: RunState, { id: task }: TaskState, progress: Ended): Checked {
  const planned = plannedIn(state, task);
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
