import type { RunEvent } from './events.ts';
import type { Finding } from './findings/finding.ts';
import type { AttemptId, TaskId } from './ids.ts';
import type { RunState } from './run.ts';
import { liveAttempt } from './task.ts';

/** What a snapshot did not take: a path of the workspace of an attempt, named by `because.where`, and why. */
export type Untaken = { readonly task: TaskId; readonly attempt: AttemptId; readonly because: Finding };

/** Stands for a whole workspace. */
export const wholeWorkspace = '.';

/** Without a snapshot of an agent that was at work, or may have been, all that is there counts. */
export function evolveUntaken(
  { untaken, tasks }: Pick<RunState, 'untaken' | 'tasks'>,
  event: RunEvent & { readonly type: 'attempt-ended' | 'kept-discarded' },
): readonly Untaken[] {
  if (event.type === 'kept-discarded')
    return untaken.filter(({ task, because }) => task !== event.task || !event.paths.includes(because.where ?? ''));
  const { task, attempt, snapshot, ending } = event;
  if (snapshot !== null) return [...untaken, ...snapshot.refused.map((because) => ({ task, attempt, because }))];
  const known = tasks[task];
  const isOfRecord = known?.progress.status === 'running' && liveAttempt(known)?.id === attempt;
  const isUnknown = ending.because?.rule === 'supervisor-unable' || ending.because?.rule === 'supervisor-unwatched';
  const because = { rule: 'snapshot-present', where: wholeWorkspace } as const;
  return isOfRecord || isUnknown ? [...untaken, { task, attempt, because }] : untaken;
}
