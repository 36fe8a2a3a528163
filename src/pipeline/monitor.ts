import { judged } from '../domain/gates/judge.ts';
import { evolveTask } from '../domain/run/evolve-task.ts';
import type { RunState } from '../domain/run/run.ts';
import { settleAttempt, settleLimits } from '../domain/run/settle-attempt.ts';
import { evidenceOf } from '../domain/run/task.ts';
import { contextOf, fact, type Step } from './step.ts';

/**
 * Phase 4: judges the result of an ended attempt and settles its task, in one append. The agent's own statements are no
 * evidence.
 */
export function monitor(state: RunState): readonly Step[] {
  const ended = Object.values(state.tasks).find((task) => task.progress.status === 'ended');
  if (ended?.progress.status !== 'ended') return [];
  const evidence = evidenceOf(ended.progress);
  const verdict = judged(contextOf(state), { phase: 'monitor', task: ended.id, evidence });
  const settled = settleAttempt(evolveTask(ended, verdict), settleLimits(state.plan, ended));
  return [settled === null ? fact(verdict) : fact(verdict, settled)];
}
