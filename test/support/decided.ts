import { plannedIn } from '../../src/domain/derived/derived-tasks.ts';
import { evolveRun, type Recorded, type RunState } from '../../src/domain/run/run.ts';
import { settleAttempt, settleLimits } from '../../src/domain/run/settle-attempt.ts';
import { holds } from '../../src/pipeline/holds.ts';

/** Folds an event with what the pipeline decides by itself after it: what becomes of an attempt, and who is held or released. */
function evolveDecided(before: RunState | null, recorded: Recorded): RunState | null {
  let state = evolveRun(before, recorded);
  const { event } = recorded;
  if (state !== null && event.type === 'phase-judged' && event.phase === 'monitor') state = settled(state, event.task);
  for (let more = true; state !== null && more; ) {
    const [step] = holds(state);
    more = step?.kind === 'fact';
    if (step?.kind === 'fact') for (const held of step.events) state = evolveRun(state, { seq: 0, event: held });
  }
  return state;
}

function settled(state: RunState, id: keyof RunState['tasks']): RunState | null {
  const task = state.tasks[id];
  const isPlanned = task !== undefined && plannedIn(state, task.id) !== undefined;
  const event = isPlanned ? settleAttempt(task, settleLimits(state, task)) : null;
  return event === null ? state : evolveRun(state, { seq: 0, event });
}

export const foldDecided = (events: readonly Recorded[]): RunState | null =>
  events.reduce<RunState | null>(evolveDecided, null);
