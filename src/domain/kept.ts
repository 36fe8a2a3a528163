import type { Finding } from './findings/finding.ts';
import type { AttemptId, RunId, TaskId } from './ids.ts';
import { err, ok, type Result } from './result.ts';
import type { RunState } from './run.ts';
import { shellPath } from './shell-word.ts';
import { bytesOfShown } from './shown-path.ts';
import { wholeWorkspace } from './untaken.ts';

/** A path that no snapshot holds. It stays where the agent left it until a person discards it by name (I7). */
export type Kept = { readonly task: TaskId; readonly attempt: AttemptId; readonly path: string; readonly why: Finding };

export const keptIn = ({ untaken }: Pick<RunState, 'untaken'>): readonly Kept[] =>
  untaken.flatMap(({ task, attempt, because }) =>
    because.where !== undefined && holdsContent(because) ? [{ task, attempt, path: because.where, why: because }] : [],
  );

export const hasKept = (state: Pick<RunState, 'untaken'>, attempt: AttemptId): boolean =>
  keptIn(state).some((one) => one.attempt === attempt);

/** What of a task a person discards by these paths: each that is kept itself, and all that is kept below it. Refuses a path of nothing. */
export function discardedBy(
  state: Pick<RunState, 'untaken'>,
  task: TaskId,
  paths: readonly string[],
): Result<readonly Kept[], { readonly path: string }> {
  const kept = keptIn(state).filter((one) => one.task === task);
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

/** A FIFO holds nothing, and of two spellings both are in the snapshot. */
function holdsContent(because: Finding): boolean {
  switch (because.rule) {
    case 'nested-git':
    case 'unfit-name':
    case 'unreadable':
    case 'too-deep':
    case 'too-large':
    case 'known-value':
    case 'snapshot-present':
      return true;
    case 'secret-shape':
      return because.in === 'name';
    case 'submodule-changed':
      return because.files.some((file) => file !== because.where);
    default:
      return false;
  }
}
