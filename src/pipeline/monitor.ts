import { judged } from '../domain/judge.ts';
import type { RunState } from '../domain/run.ts';
import { contextOf, fact, type Step } from './step.ts';

/** Phase 4: what an ended attempt left behind is judged; nothing that the agent says of itself is evidence. */
export function monitor(state: RunState): readonly Step[] {
  const ended = Object.values(state.tasks).find((task) => task.progress.status === 'ended');
  if (ended?.progress.status !== 'ended') return [];
  return [fact(judged(contextOf(state), { phase: 'monitor', task: ended.id, evidence: ended.progress.evidence }))];
}
