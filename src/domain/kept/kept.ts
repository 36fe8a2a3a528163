import type { AttemptId, TaskId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';

/** A path of a workspace that no snapshot holds, and why; `wholeWorkspace` for all of it. */
export type KeptPath = { readonly path: string; readonly why: Finding };

/** A kept file stays where the agent left it until a person discards it by name (I7). */
export type Kept = KeptPath & { readonly task: TaskId; readonly attempt: AttemptId };

/** The path that means a whole workspace. */
export const wholeWorkspace = '.';

export function evolveKept(
  kept: readonly Kept[],
  event: RunEvent & { readonly type: 'attempt-ended' | 'kept-discarded' },
): readonly Kept[] {
  if (event.type === 'kept-discarded')
    return kept.filter((one) => !event.kept.some(({ attempt, path }) => one.attempt === attempt && one.path === path));
  const { task, attempt } = event;
  return [...kept, ...event.kept.map(({ path, why }) => ({ task, attempt, path, why }))];
}
