import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { allNeeds, eventsOf, type History, planHere, planInForce, type RecordedEvent } from '../proof/history.ts';

type Landed = Extract<RunEvent, { type: 'landed' }>;

/**
 * The commits of the run branch that a landing is made of, oldest first: those of the chosen tasks, or of all that have not
 * landed; and of each round the one with its generated files. That one is made of the whole round, so a round that has one
 * lands as a whole.
 */
export function partsToLand(history: History, chosen: readonly TaskId[] | null): Result<readonly CommitId[], Finding> {
  const landed = landedTasks(history);
  const merged = mergedTasks(history);
  const tasks = chosen ?? unlandedTasks(history);
  const isThere = (task: TaskId): boolean => tasks.includes(task) || landed.has(task);
  if (chosen !== null)
    for (const task of chosen) {
      if (!merged.includes(task)) return err({ rule: 'task-not-merged', task });
      if (landed.has(task)) return err({ rule: 'task-landed', task });
      const missing = [...allNeeds(planHere(history), task)].find((need) => merged.includes(need) && !isThere(need));
      if (missing !== undefined) return err({ rule: 'need-left-out', task, need: missing });
    }
  const parts: CommitId[] = [];
  for (const { event } of eventsOf(history, 'merged')) {
    const here = event.tasks.filter(({ task }) => tasks.includes(task));
    parts.push(...here.map(({ commit }) => commit));
    const isGenerated = event.new !== event.tasks.at(-1)?.commit;
    if (here.length === 0 || !isGenerated) continue;
    const out = event.tasks.find(({ task }) => !isThere(task));
    if (out !== undefined) return err({ rule: 'generated-left-out', task: out.task });
    parts.push(event.new);
  }
  return ok(parts);
}

/** Merged, and not landed since the last undo of the whole run. */
export function unlandedTasks(history: History): readonly TaskId[] {
  const landed = landedTasks(history);
  return mergedTasks(history).filter((task) => !landed.has(task));
}

export const mergedTasks = (history: History): readonly TaskId[] =>
  eventsOf(history, 'merged').flatMap(({ event }) => event.tasks.map(({ task }) => task));

/** Landed since the last undo of the whole run. */
const landedTasks = (history: History): ReadonlySet<TaskId> =>
  new Set(landings(history).flatMap(({ event }) => event.tasks));

/** Landings that no undo of the whole run took back. */
export const standingLandings = (history: History): readonly Landed[] => landings(history).map(({ event }) => event);

function landings(history: History): readonly RecordedEvent<Landed>[] {
  const undone = eventsOf(history, 'undone').findLast(({ event }) => event.task === null)?.position ?? 0;
  return eventsOf(history, 'landed').filter(({ position }) => position > undone);
}

/** The tasks that the person approved for landing; null: all that have not landed. */
export function approvedTasks(history: History): readonly TaskId[] | null {
  const { since } = planInForce(history);
  const last = eventsOf(history, 'tap-decided').findLast(
    ({ position, event }) => position > since && event.tap === 'land',
  );
  return (last?.event.decision === 'approved' ? last.event.tasks : undefined) ?? null;
}

/** The rebuilt commits of the landing under way: after the last merge, under the plan in force, and after the person's last decision on it. */
export function rebuiltSince(history: History): Extract<RunEvent, { type: 'landing-rebuilt' }> | undefined {
  const merged = eventsOf(history, 'merged').at(-1)?.position ?? 0;
  const decided = eventsOf(history, 'tap-decided').findLast(({ event }) => event.tap === 'land')?.position ?? 0;
  const edited = eventsOf(history, 'landing-edited').at(-1)?.position ?? 0;
  const since = Math.max(merged, decided, edited, planInForce(history).since);
  return eventsOf(history, 'landing-rebuilt').findLast(({ position }) => position > since)?.event;
}
