import type { RunState } from '../../domain/run/run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';

/** One line for each task whose workspace is still being made, where that takes more than a moment. */
export async function copyingLines(repo: RepositoryHandle, state: RunState): Promise<readonly string[]> {
  const launching = Object.values(state.tasks).flatMap(({ id, progress }) =>
    progress.status === 'launching' ? [{ id, attempt: progress.attempt.id }] : [],
  );
  const lines = launching.map(async ({ id, attempt }) => {
    const copied = await repo.files.readCopied(attempt);
    return copied === null ? [] : [copyingLine(id, copied)];
  });
  return (await Promise.all(lines)).flat();
}

/** Git counts what it has written; after the last file owners are set and each file is looked at once. */
export function copyingLine(task: string, { done, total }: { readonly done: number; readonly total: number }): string {
  const counted =
    done < total ? `${grouped(done)} of ${grouped(total)} files` : `${grouped(total)} files, nearly there`;
  return `${task}: making its copy of the repository: ${counted}`;
}

const grouped = (count: number): string => count.toLocaleString('en-US');
