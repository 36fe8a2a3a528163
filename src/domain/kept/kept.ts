import type { AttemptId, RunId, TaskId } from '../base/ids.ts';
import { err, ok, type Result } from '../base/result.ts';
import { shellPath } from '../base/shell-word.ts';
import { bytesOfShown } from '../base/shown-path.ts';
import type { RunState } from '../run/run.ts';
import { type Kept, wholeWorkspace } from './kept-paths.ts';

type Keeping = Pick<RunState, 'kept'>;

export const hasKept = ({ kept }: Keeping, attempt: AttemptId): boolean => kept.some((one) => one.attempt === attempt);

/** What of a task a person discards by these paths: each that is kept itself, and all that is kept below it. Refuses a path of nothing. */
export function discardedBy(
  state: Keeping,
  task: TaskId,
  paths: readonly string[],
): Result<readonly Kept[], { readonly path: string }> {
  const kept = state.kept.filter((one) => one.task === task);
  const none = paths.find((path) => !kept.some((one) => covers(path, one.path)));
  if (none !== undefined) return err({ path: none });
  return ok(kept.filter((one) => paths.some((path) => covers(path, one.path))));
}

export const discardCommand = (run: RunId | string, { task, path }: { readonly task: string; readonly path: string }) =>
  `tidegate clean --discard ${run}/${task} ${shellPath(path)}`;

function covers(path: string, kept: string): boolean {
  const plain = rawText(path)
    .replace(/^(?:\.\/)+(?=.)/, '')
    .replace(/\/+$/, '');
  return plain === wholeWorkspace || plain === rawText(kept) || rawText(kept).startsWith(`${plain}/`);
}

/** One character for each byte of a path. */
const rawText = (shown: string): string =>
  Array.from(bytesOfShown(shown) ?? [], (byte) => String.fromCharCode(byte)).join('');
